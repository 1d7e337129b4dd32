package flighttest

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// engine is what runs the statements. All of it may be called concurrently.
type engine interface {
	// exec runs statements past the protocol.
	exec(ctx context.Context, sql string) error
	// check prepares a statement.
	check(ctx context.Context, sql string) error
	// query runs a statement until ctx is done. The caller releases the reader.
	query(ctx context.Context, sql string) (array.RecordReader, error)
	// tables lists the tables and views whose names match the patterns, if there
	// are any, by name.
	tables(ctx context.Context, schema, name *string) ([]table, error)
	close() error
}

// table is a table or view: its name in three parts, its type and its columns.
type table struct {
	catalog, schema, name, kind string
	columns                     *arrow.Schema
}
