package source

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// Statement is what a proven SELECT reads.
type Statement struct {
	// Tables are the names of the tables, each once.
	Tables []string
	// Columns are the names, in lower case, of the columns that it may read;
	// there may be names of other things among them. Whole says that it may
	// read any column.
	Columns []string
	Whole   bool
}

// Querier is a source that also runs whole SELECT statements. The statement is
// proven read-only, and its tables are found, by the parser of the engine that
// runs it.
type Querier interface {
	Source
	// Inspect proves that sql is one read-only SELECT and tells what it reads.
	// It returns CodeStatement errors.
	Inspect(ctx context.Context, sql string) (Statement, error)
	// Query runs sql with every table name bound to its relation and nothing
	// else in reach. The caller releases the reader; cancelling ctx stops the
	// engine.
	Query(ctx context.Context, sql string, tables map[string]Relation) (array.RecordReader, error)
}
