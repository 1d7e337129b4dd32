package listed

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/parquetwriter"
	"github.com/agnes-data/da/source/embedded"
)

// Stored is a column of parquet files.
type Stored struct {
	// Key finds the column in a file, as a literal: its name, or the id of its
	// field. Either all of a relation are names or all are ids.
	Key  string
	Type string // that it is read as
	// Default is the text of what a file without the column has; nil: NULL.
	Default *string
}

// ReadParquet calls the engine's table function for linked files, in their order.
// The stored columns are named c0, c1, and so on, so that none has the name of a
// column of the engine's: file_index, file_row_number and filename.
func ReadParquet(paths []string, stored []Stored) string {
	quoted := make([]string, len(paths))
	for i, p := range paths {
		quoted[i] = duckdb.PathLiteral(p)
	}
	columns := make([]string, len(stored))
	for i, c := range stored {
		value := "NULL::VARCHAR"
		if c.Default != nil {
			value = duckdb.Literal(*c.Default)
		}
		columns[i] = fmt.Sprintf("%s: {name: 'c%d', type: %s, default_value: %s}", c.Key, i, duckdb.Literal(c.Type), value)
	}
	if len(columns) == 0 { // the engine must not take the columns of the first file for those of all
		columns = append(columns, "'da': {name: 'c0', type: 'VARCHAR', default_value: NULL::VARCHAR}")
	}
	return "read_parquet([" + strings.Join(quoted, ", ") + "], hive_partitioning = false, schema = MAP {" + strings.Join(columns, ", ") + "})"
}

// PerFile is an expression whose value depends on a row's file alone: a literal for
// each file of a ReadParquet, whose alias is src. The engine computes it once for
// thousands of rows.
func PerFile(typ string, literals []string) string {
	same := true
	for _, l := range literals {
		same = same && l == literals[0]
	}
	if same {
		return literals[0] + "::" + typ
	}
	return "([" + strings.Join(literals, ", ") + "]::" + typ + "[])[src.file_index::BIGINT + 1]"
}

// Filtered keeps the engine's filters from a column that files may store by an older type:
// the engine makes the value of a filter one of that type, by which 1.001 equals a
// DECIMAL(6,2) of 1.00, and a moment the date that it is on.
func Filtered(value string) string {
	return "CASE WHEN src.file_index >= 0 THEN " + value + " END"
}

// empty is a relation of the columns without rows.
func (t *Table) empty(number string) string {
	items := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		items[i] = "NULL::" + c.Type + " AS " + duckdb.Quote(c.Name)
	}
	if number != "" {
		items = append(items, "NULL::INTEGER AS "+duckdb.Quote(number))
	}
	return "(SELECT " + strings.Join(items, ", ") + " WHERE false)"
}

// Gone are the rows that are deleted from a file.
type Gone struct {
	File int // among those of a ReadParquet
	Rows iter.Seq[uint64]
}

// goneSchema is that of the files with the numbers of deleted rows.
var goneSchema = arrow.NewSchema([]arrow.Field{{Name: "file", Type: arrow.PrimitiveTypes.Int32},
	{Name: "row", Type: arrow.PrimitiveTypes.Int64}}, nil)

// batchRows is how many numbers are written at a time.
const batchRows = 64 << 10

// LinkGone writes the numbers of deleted rows into a file for the engine, and
// returns the relation that reads it: its columns are file and row.
func (r *Request) LinkGone(ctx context.Context, all []Gone) (_ string, err error) {
	path, err := r.path("the list of deleted rows")
	if err != nil {
		return "", err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", embedded.Internal("list deleted rows", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b := array.NewRecordBuilder(memory.DefaultAllocator, goneSchema)
	defer b.Release()
	file, row := b.Field(0).(*array.Int32Builder), b.Field(1).(*array.Int64Builder) //nolint:forcetypeassert // by its schema
	batches := func(yield func(arrow.RecordBatch, error) bool) {
		for _, g := range all {
			for n := range g.Rows {
				file.Append(int32(g.File)) //nolint:gosec // at most embedded.MaxFiles
				row.Append(int64(n))       //nolint:gosec // the format says so
				if row.Len() == batchRows && !yield(b.NewRecordBatch(), ctx.Err()) {
					return
				}
			}
		}
		yield(b.NewRecordBatch(), ctx.Err())
	}
	rows := array.ReaderFromIter(goneSchema, batches)
	defer rows.Release()
	if err := parquetwriter.Write(ctx, f, rows, parquetwriter.Options{}); err != nil {
		return "", embedded.Internal("list deleted rows", err)
	}
	return "read_parquet(" + duckdb.PathLiteral(path) + ")", nil
}

// Without leaves the rows out of from, a ReadParquet, that the relation gone has; the
// alias of what remains is src.
func Without(from, gone string) string {
	return from + " AS src ANTI JOIN " + gone + " AS gone ON gone.file = src.file_index AND gone.row = src.file_row_number"
}
