package listed

import (
	"context"
	"math"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
)

// Format reads the metadata of tables of one kind.
type Format interface {
	// Name is the format's, as schemas have it.
	Name() string
	// Split separates the name of a relation into the table and what comes behind
	// its @, a version. The error is errors.ErrUnsupported if tables have none.
	Split(root *Root, name string) (table, at string, err error)
	// Table describes a table as its metadata say now. It is not changed once it
	// is made, and may be one that was returned before.
	Table(ctx context.Context, r *Request, name string) (*Table, error)
}

// Lister is a Format that knows the names of all tables.
type Lister interface {
	Format
	// Tables lists them, and the views, which are not read.
	Tables(ctx context.Context, r *Request) (tables, views []string, err error)
}

// Table is a table at one version.
type Table struct {
	// Version is another one whenever rows or columns may be.
	Version string
	// Reading is another one whenever the rows of a file that is as it was may be read as
	// others.
	Reading     string
	Description string
	Columns     []api.Column // types are the engine's
	Caveats     []api.Caveat // each about one column
	PartitionBy []string
	ClusteredBy []string
	Plan        Plan

	total  totals
	travel travel
}

// Plan finds and reads the files of a table.
type Plan interface {
	// Files lists the files, in the order of their rows. It leaves out a file if may says
	// that the scan needs no row of it. may is not for concurrent use.
	Files(ctx context.Context, r *Request, may func(Group) bool) ([]File, error)
	// From is a relation with the live rows of files, at least one. Its columns are
	// those of the table, and one of the name number, unless that is empty: which of
	// the files a row is of.
	From(ctx context.Context, r *Request, files []File, number string) (string, error)
}

// Apart is the Plan of a table that is read in a process of its own.
type Apart interface {
	Plan
	// Prepare adds to the process's job what From names: the columns that it reads,
	// and at least so many rows, below 0 all.
	Prepare(r *Request, j *worker.Job, reads func(column string) bool, rows int64) error
}

// Group is what is known of some rows.
type Group struct {
	Rows   int64 // 1: unknown
	Bounds func(column string, kind predicate.Kind) (interval.Bounds, bool)
}

// File is a data file with the rows that are deleted from it.
type File struct {
	Group
	Path string // below the root
	Size int64
	// Known says that Group.Rows is the number of rows in the file, and Gone how
	// many of them are deleted. Exact says that no others are.
	Known, Exact bool
	Gone         int64
	// Also are the files that say which of its rows are deleted.
	Also []Sized
	// Mark is what else tells it from the same file at another version.
	Mark string
	// Of is the format's own.
	Of any
}

// Sized is a file and its size.
type Sized struct {
	Path string
	Size int64
}

// live is how many rows of the file are left.
func (f *File) live() interval.Count {
	if !f.Known {
		return interval.Count{High: math.MaxInt64}
	}
	return f.left(interval.Exactly(f.Rows))
}

// left is how many of some rows of the file are left: any of them may be deleted.
func (f *File) left(c interval.Count) interval.Count {
	out := interval.Count{Low: max(0, c.Low-f.Gone), High: min(c.High, f.Rows-f.Gone)}
	if !f.Exact {
		out.Low = 0
	}
	return out
}

// engineColumns are columns as the engine has them.
func engineColumns(cols []api.Column) []duckdb.Column {
	out := make([]duckdb.Column, len(cols))
	for i, c := range cols {
		out[i] = duckdb.Column{Name: c.Name, Type: c.Type}
	}
	return out
}
