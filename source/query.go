package source

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// Statement says what a proven SELECT reads.
type Statement struct {
	// Tables are the names of the tables, each once.
	Tables []string
	// Columns are the names, in lower case, of the columns that it may read; they
	// can include names of other things. Whole says that it may read any column.
	Columns []string
	Whole   bool
}

// Querier is a source that also runs whole SELECT statements. The parser of the
// engine that runs a statement also proves it read-only and finds its tables.
type Querier interface {
	Source
	// Inspect proves that sql is one read-only SELECT and returns what it reads.
	// Its errors are CodeStatement.
	Inspect(ctx context.Context, sql string) (Statement, error)
	// Query runs sql with each table name bound to its relation; the statement
	// can reach nothing else. The caller releases the reader; cancelling ctx
	// stops the engine.
	Query(ctx context.Context, sql string, tables map[string]Relation) (array.RecordReader, error)
}

// Binder is a Querier that finds mistakes in a statement, such as unknown columns, without reading rows.
type Binder interface {
	Querier
	// Bind returns the error that Query would, as far as that depends on the tables' columns.
	Bind(ctx context.Context, sql string, tables map[string]Relation) error
}
