package sqliterows

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/internal/rows/recordreader"
)

// A batch ends with the first row that fills one of these.
const (
	batchRows  = 32 << 10
	batchBytes = 4 << 20
)

// Read reads the first rows of columns that Describe has found; limit < 0: all. The
// caller releases the reader before it closes the file.
func (f *File) Read(ctx context.Context, table string, columns []Column, limit int64) (array.RecordReader, error) {
	fields, items := make([]arrow.Field, len(columns)), make([]string, len(columns))
	for i, c := range columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowTypes[c.Type], Nullable: true}
		if fields[i].Type == nil {
			return nil, fmt.Errorf("a column of SQLite cannot be read as %s", c.Type)
		}
		items[i] = "+" + quote(c.Name) // an expression has no declared type, by which the driver would change values
	}
	if len(columns) == 0 {
		return nil, fmt.Errorf("no column of %s is read", table)
	}
	// Otherwise an index that has all of the columns decides the order, also by others that nobody may see.
	rows, err := f.conn.QueryContext(ctx,
		fmt.Sprintf("SELECT %s FROM main.%s NOT INDEXED LIMIT %d", strings.Join(items, ", "), quote(table), limit))
	if err != nil {
		return nil, explain(err)
	}
	built := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	r := &reader{rows: rows, columns: columns, built: built}
	r.Begin(built.Schema(), func() {
		built.Release()
		_ = rows.Close() // it was only read
	})
	return r, nil
}

// reader implements array.RecordReader. The engine calls it from threads of its own,
// which iterators cannot be.
type reader struct {
	recordreader.Base
	rows    *sql.Rows
	columns []Column
	built   *array.RecordBuilder
	err     error
}

// Err is why Next returned false; nil at the end.
func (r *reader) Err() error { return explain(r.err) }

// Next goes on to the next batch.
func (r *reader) Next() bool {
	r.Set(nil)
	n := 0
	if r.err == nil {
		n, r.err = r.gather()
	}
	if r.err != nil || n == 0 {
		return false
	}
	r.Set(r.built.NewRecordBatch())
	return true
}

var arrowTypes = map[string]arrow.DataType{
	"BIGINT": arrow.PrimitiveTypes.Int64, "DOUBLE": arrow.PrimitiveTypes.Float64, "VARCHAR": arrow.BinaryTypes.String,
	"BLOB": arrow.BinaryTypes.Binary,
}

// gather puts the next rows into the builder.
func (r *reader) gather() (n int, err error) {
	values, into := make([]any, len(r.columns)), make([]any, len(r.columns))
	for i := range values {
		into[i] = &values[i]
	}
	for size := 0; n < batchRows && size < batchBytes && r.rows.Next(); n++ {
		if err := r.rows.Scan(into...); err != nil {
			return 0, err
		}
		for i, v := range values {
			taken, err := put(r.built.Field(i), v)
			if err != nil {
				return 0, unreadable(r.columns[i].Name, err.Error())
			}
			size += taken
		}
	}
	return n, r.rows.Err()
}

// put appends a value and returns about how many bytes it takes.
func put(to array.Builder, v any) (int, error) {
	switch to := to.(type) {
	case *array.Int64Builder:
		if x, ok := v.(int64); ok {
			to.Append(x)
			return 8, nil
		}
	case *array.Float64Builder:
		switch x := v.(type) {
		case float64:
			to.Append(x)
			return 8, nil
		case int64:
			if x >= -exact && x <= exact {
				to.Append(float64(x))
				return 8, nil
			}
		}
	case *array.BinaryBuilder:
		if x, ok := v.([]byte); ok {
			to.Append(x)
			return len(x), nil
		}
	case *array.StringBuilder:
		if v != nil {
			text, err := textOf(v)
			to.Append(text)
			return len(text), err
		}
	}
	if v == nil {
		to.AppendNull()
		return 8, nil
	}
	return 0, fmt.Errorf("it was changed meanwhile to one of type %T; ask again", v)
}

// textOf writes any value as text.
func textOf(v any) (string, error) {
	switch v := v.(type) {
	case string:
		return v, valid(v)
	case int64:
		return strconv.FormatInt(v, 10), nil
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), nil
	case []byte:
		return fmt.Sprintf("x'%x'", v), nil
	}
	return "", fmt.Errorf("it is of type %T", v)
}
