package worker

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/sqliterows"
)

// SQLite is what a job reads of a file of SQLite.
type SQLite struct {
	File  string
	Table string
	// Columns are those that are read; nil: the job gets a row with the description
	// of the table as JSON, or of all tables' names if Table is empty.
	Columns []sqliterows.Column
	Limit   int64  // of the rows; below 0: all
	As      string // the name of the engine's table
}

// into makes the table.
func (l SQLite) into(ctx context.Context, conn *duckdb.Conn, temp string) error {
	f, err := sqliterows.Open(ctx, l.File, temp)
	if err != nil {
		return err
	}
	defer f.Close()
	var rows array.RecordReader
	if l.Columns == nil {
		rows, err = l.described(ctx, f)
	} else {
		rows, err = f.Read(ctx, l.Table, l.Columns, l.Limit)
	}
	if err != nil {
		return err
	}
	defer rows.Release()
	return conn.Import(ctx, "incoming", rows, "CREATE TEMP TABLE "+duckdb.Quote(l.As)+" AS SELECT * FROM incoming")
}

func (l SQLite) described(ctx context.Context, f *sqliterows.File) (array.RecordReader, error) {
	var found any
	var err error
	if l.Table == "" {
		found, err = f.Names(ctx)
	} else {
		found, err = f.Describe(ctx, l.Table)
	}
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(found)
	if err != nil {
		return nil, fmt.Errorf("describe a table of SQLite: %w", err)
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "described", Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).Append(string(text)) //nolint:forcetypeassert // by its schema
	return array.NewRecordReader(schema, []arrow.RecordBatch{b.NewRecordBatch()})
}
