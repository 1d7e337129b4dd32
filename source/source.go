// Package source is what a place that holds data must be able to do for the
// server: describe a table, show a few rows, estimate a scan and run it.
//
// A source never sees the user's text, only typed expressions, and decides
// nothing about rights: the server gives it a Relation that already says which
// columns and rows exist for this caller. A source imports neither the server
// nor another source.
package source

import (
	"context"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// Relation names a table inside a source, cut down to what the caller may see.
type Relation struct {
	// Name is the source's own name: a path pattern below a lake's root, or
	// schema.table in a database.
	Name string
	// Columns are the names that exist for this caller, in table order; nil
	// means all.
	Columns []string
	// Rule is ANDed to every read; nil means all rows.
	Rule predicate.Expr
	// Reading is how the table's text files are read, as far as that is not left
	// to what is in them; nil: all of it is.
	Reading *Reading
}

// Reading says of delimited text what its content leaves open. Empty fields are
// found out.
type Reading struct {
	Delimiter  string
	Encoding   string
	DateFormat string            // order of days, months and years, as in D/M/Y
	NoHeader   bool              // the first row is data
	Types      map[string]string // column → type
}

// Scan is a checked request for a part of a relation.
type Scan struct {
	Relation Relation
	// Select are column names, in the order wanted; never empty.
	Select []string
	// Where has been checked against the relation's schema; nil means all rows.
	Where   predicate.Expr
	OrderBy []predicate.Order
	// Limit is the number of rows wanted, in order if there is one; nil means
	// all. The server's own caps are not a source's business: it stops reading.
	Limit *int64
	// Env holds what the predicate's clock functions evaluate to.
	Env predicate.Env
	// Traced asks for the rows file by file, and for how many there are of each: see
	// Tracer.
	Traced bool
	// Held reports of a file of a scan that is Traced that the caller has its rows,
	// and they are not read; nil: all are.
	Held func(file string) bool
	// Account is who pays; a source that bills nothing has no use for it.
	Account Account
}

// Ordered reports whether the order of rows must be kept.
func (s Scan) Ordered() bool { return s.Limit != nil || len(s.OrderBy) > 0 || s.Traced }

// Tracer is a source of tables in files, some of which can be read without the
// others. The rows of a scan that is Traced are Filed.
type Tracer interface {
	Source
	// Traceable reports whether a scan can be Traced.
	Traceable(ctx context.Context, scan Scan) (bool, error)
}

// Filed are rows that know their files.
type Filed interface {
	// Files tells, after the last row, which files the table has: first those that
	// were read, in the order of their rows. nil: that is not known.
	Files() []FileRows
}

// FileRows is a file, by its identity: another one once it is changed.
type FileRows struct {
	File string
	Rows int64 // that were read
	Held bool  // it was not read
}

// Printer is a source whose predicates are written in one dialect, and printed
// for its engine in another, as far as that has an equal.
type Printer interface {
	Source
	// Printed is the language of the engine.
	Printed() predicate.Dialect
}

// Printed is the language in which a source prints predicates for its engine.
func Printed(s Source) predicate.Dialect {
	if p, ok := s.(Printer); ok {
		return p.Printed()
	}
	return s.Dialect()
}

// Schema describes a relation.
type Schema struct {
	Format      string // of the files that hold the table; empty: it lies in no files
	Description string // the source's own; empty: none
	Columns     []api.Column
	// Pseudo are columns that predicates and orders may name, but no select list
	// and no "all columns"; only for a caller who sees all columns.
	Pseudo      []api.Column
	PartitionBy []string
	ClusteredBy []string
	RowCount    *int64 // exact; nil: unknown
	RowEstimate *int64 // what the engine takes it for; nil: it does not say, or RowCount is known
	SizeBytes   *int64 // stored; nil: unknown
	// Version changes when schema or data may have; caches are keyed by it.
	// Empty means that the source cannot tell.
	Version string
	// AsOf is when a source that remembers what it was told last asked; zero:
	// now.
	AsOf time.Time
}

// Asker is a source that remembers versions, and asks for one anew.
type Asker interface {
	Source
	// VersionNow returns Schema.Version as of this call.
	VersionNow(ctx context.Context, rel Relation) (string, error)
}

// Versioned are the rows of a scan that know of which version they are, where
// that may be another than the last one that the source told.
type Versioned interface {
	// RowsVersion is the Schema.Version that the rows are read at.
	RowsVersion() string
}

// Source reads one configured place. All methods may be called concurrently.
// Errors are *api.Error: CodeSource where the place is down or refuses us,
// CodeQueryFailed where the engine refuses what was asked.
type Source interface {
	// Dialect is the language of the source's predicates and statements.
	Dialect() predicate.Dialect
	// Version returns Schema.Version without reading the schema, cheaply.
	Version(ctx context.Context, rel Relation) (string, error)
	// Schema describes the relation without running a billed scan.
	Schema(ctx context.Context, rel Relation) (*Schema, error)
	// Sample reads up to n rows without running a billed scan. The caller
	// releases the reader.
	Sample(ctx context.Context, rel Relation, n int) (array.RecordReader, error)
	// Estimate tells what Scan would read, without reading it.
	Estimate(ctx context.Context, scan Scan) (*api.Estimate, error)
	// Scan starts reading. Cancelling ctx stops the work in the engine; the
	// caller releases the reader in any case. An error in the middle shows as
	// the reader's Err, never as an early end.
	Scan(ctx context.Context, scan Scan) (array.RecordReader, error)
	// Close frees what the source holds; no call may follow.
	Close() error
}
