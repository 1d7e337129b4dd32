// Package source defines what the server needs from a place that holds data:
// describe a table, show a few rows, estimate a scan and run it.
//
// A source never sees the user's text, only typed expressions. It decides nothing
// about rights: the server passes a Relation that already says which columns and
// rows this caller can see. A source imports neither the server nor another
// source.
package source

import (
	"context"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// Relation names a table inside a source, reduced to what the caller can see.
type Relation struct {
	// Name is the source's own name: a path pattern below a lake's root, or
	// schema.table in a database.
	Name string
	// Columns are the names that exist for this caller, in table order; nil
	// means all.
	Columns []string
	// Rule is ANDed to every read; nil means all rows.
	Rule predicate.Expr
	// Masks are the columns whose values the caller does not see, with what is shown
	// in place of them. The core masks the rows; a source only keeps its errors and
	// caveats free of values.
	Masks map[string]string
	// Reading says how to parse the table's text files; nil means that everything
	// is detected.
	Reading *Reading
	// Place, if it is set, is where a Borrower finds the table, whatever its Name.
	Place *Place
}

// Reading sets what delimited text leaves ambiguous. Empty fields are detected.
type Reading struct {
	Delimiter  string
	Encoding   string
	DateFormat string            // order of days, months and years, such as D/M/Y
	NoHeader   bool              // the first row is data
	HeaderLine int64             // the line that names the columns, from 1
	Types      map[string]string // column → type
}

// Scan is a checked request for a part of a relation.
type Scan struct {
	Relation Relation
	// Select are column names in the requested order; never empty.
	Select []string
	// Where has been checked against the relation's schema; nil means all rows.
	Where   predicate.Expr
	OrderBy []predicate.Order
	// Limit is the number of rows, in order if there is one; nil means all. The
	// source does not apply the server's own caps; it is stopped when they are
	// reached.
	Limit *int64
	// Env has the values of clock functions in the predicate.
	Env predicate.Env
	// Traced asks for the rows file by file, and for the number of rows of each;
	// see Tracer.
	Traced bool
	// Held reports, for a traced scan, whether the caller already has a file's
	// rows, so that they need not be read; nil means that none are there.
	Held func(file string) bool
	// Account is who pays; sources that do not bill ignore it.
	Account Account
}

// Ordered reports whether the order of rows matters.
func (s Scan) Ordered() bool { return s.Limit != nil || len(s.OrderBy) > 0 || s.Traced }

// Tracer is a source whose tables can consist of files or partitions that can be
// read separately. The rows of a traced scan are TracedRows.
type Tracer interface {
	Source
	// Traceable reports whether a scan can be Traced.
	Traceable(ctx context.Context, scan Scan) (bool, error)
}

// TracedRows are rows that know their files.
type TracedRows interface {
	// Files returns, after the last row, the table's files: first those that were
	// read, in the order of their rows. nil if unknown.
	Files() []FileRows
}

// FileRows is a file or a partition, by its identity: another one once it is
// changed.
type FileRows struct {
	File   string
	Rows   int64           // that were read
	Held   bool            // it was not read
	Values *api.ValueRange // which rows these are, for a partition
}

// Traveller is a source that can read a table as it was.
type Traveller interface {
	Source
	// At is the name of a relation as of a version, which is the number of a snapshot,
	// a tag, a branch, or a time in RFC 3339; whether there is such a version, the
	// relation's readers say. The error is errors.ErrUnsupported if no relation of
	// the source has versions.
	At(relation, version string) (string, error)
}

// Printer is a source whose predicates are written in one dialect and translated
// to its engine's dialect, as far as possible.
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
	Format      string // of the files that hold the table; empty if it is not in files
	Description string // from the source itself; may be empty
	Columns     []api.Column
	// Pseudo are columns that predicates and orders can use, but that cannot be
	// selected and are not part of "all columns". Only callers who see all
	// columns have them.
	Pseudo      []api.Column
	PartitionBy []string
	ClusteredBy []string
	ForeignKeys []ForeignKey
	RowCount    *int64 // exact; nil: unknown
	RowEstimate *int64 // the engine's estimate; nil if there is none, or if RowCount is known
	SizeBytes   *int64 // stored; nil: unknown
	// Caveats say what was guessed or left out where the table's files were read. How a
	// scan changes values is told by the scan. Only callers who see the whole table get
	// them, as they can tell of any row.
	Caveats []api.Caveat
	// Version changes whenever schema or data may have changed; it is part of
	// cache keys. Empty if the source has no versions.
	Version string
	// AsOf is when a source with a cache last asked; zero means now.
	AsOf time.Time
}

// ForeignKey says that the values of columns are those of a row of another relation of
// the source, which no other row there has.
type ForeignKey struct {
	To    []string // the names that mean the other relation, without quotes
	Pairs []api.ColumnPair
}

// Names reports whether a column of the key's own relation is one of these.
func (k ForeignKey) Names(these func(column string) bool) bool {
	return slices.ContainsFunc(k.Pairs, func(p api.ColumnPair) bool { return these(p.Column) })
}

// VersionChecker is a source that caches versions and can ask for the current one.
type VersionChecker interface {
	Source
	// VersionNow returns Schema.Version as of this call.
	VersionNow(ctx context.Context, rel Relation) (string, error)
}

// InProcessSource is a source that may compute its rows in this process, in place of waiting
// for another one that does.
type InProcessSource interface {
	Source
	ComputesHere() bool
}

// Idler is a source that can free what it keeps for the next request.
type Idler interface {
	Source
	// Wake makes what requests will need, so that the first does not wait for it.
	Wake()
	// Idle frees what no request uses. The next request makes it again.
	Idle()
}

// Versioned are the rows of a scan with their actual version, which can differ
// from the last one that the source returned.
type Versioned interface {
	// RowsVersion is the Schema.Version that the rows are read at.
	RowsVersion() string
}

// Source reads one configured place. It is safe for concurrent use. Errors are
// *api.Error: CodeSource if the place is down or refuses access, CodeQueryFailed
// if the engine rejects the request.
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
	// Estimate returns what Scan would read, without reading it.
	Estimate(ctx context.Context, scan Scan) (*api.Estimate, error)
	// Scan starts reading. Cancelling ctx stops the engine. The caller always
	// releases the reader. An error during reading is the reader's Err, never an
	// early end.
	Scan(ctx context.Context, scan Scan) (array.RecordReader, error)
	// Close releases the source's resources; no call may follow.
	Close() error
}
