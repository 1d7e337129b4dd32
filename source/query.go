package source

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// Querier is a source that also runs whole SELECT statements. The statement is
// proven read-only, and its tables are found, by the parser of the engine that
// runs it.
type Querier interface {
	Source
	// Tables proves that sql is one read-only SELECT and returns the tables
	// that it reads, as written, each once. It returns CodeStatement errors.
	Tables(ctx context.Context, sql string) ([]string, error)
	// Query runs sql with every table name bound to its relation and nothing
	// else in reach. The caller releases the reader; cancelling ctx stops the
	// engine.
	Query(ctx context.Context, sql string, tables map[string]Relation) (array.RecordReader, error)
}
