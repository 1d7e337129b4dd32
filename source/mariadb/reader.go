package mariadb

import (
	"context"
	"database/sql"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/source"
)

// Bounds of a batch, whichever is reached first.
const (
	maxBatchRows  = 8192
	maxBatchBytes = 4 << 20
)

// reader turns the rows of a statement into batches.
type reader struct {
	recordreader.Base
	ctx     context.Context //nolint:containedctx // of the scan that it belongs to
	stmt    *statement
	columns []column
	seesAll bool

	builder *array.RecordBuilder
	values  []sql.RawBytes
	targets []any
	err     error
	ended   bool
}

var _ array.RecordReader = (*reader)(nil)

// newReader returns a reader that owns the statement.
func newReader(ctx context.Context, s *statement, columns []column, seesAll bool) *reader {
	r := &reader{ctx: ctx, stmt: s, columns: columns, seesAll: seesAll, values: make([]sql.RawBytes, len(columns)),
		targets: make([]any, len(columns))}
	var fields []arrow.Field
	var caveats []api.Caveat
	for i, c := range columns {
		fields = append(fields, c.codec.field(c.Name))
		r.targets[i] = &r.values[i]
		if c.codec.note != "" {
			caveats = append(caveats, api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: []string{c.Name}},
				Text: "column " + c.Name + ": " + c.codec.note})
		}
	}
	r.Begin(api.SchemaWith(fields, caveats), r.free)
	r.builder = array.NewRecordBuilder(memory.DefaultAllocator, r.Schema())
	return r
}

// Next goes on to the next batch.
func (r *reader) Next() bool {
	r.Set(nil)
	if r.ended {
		return false
	}
	rows, size := 0, 0
	for rows < maxBatchRows && size < maxBatchBytes {
		if !r.stmt.rows.Next() {
			r.ended = true
			r.err = failure(r.ctx, r.stmt.rows.Err(), r.seesAll)
			break
		}
		n, err := r.row()
		if err != nil {
			r.ended, r.err = true, err
			r.stmt.cancel()
			break
		}
		rows, size = rows+1, size+n
	}
	if r.err != nil || rows == 0 {
		return false
	}
	r.Set(r.builder.NewRecordBatch())
	return true
}

// row adds the current row to the batch and returns its size.
func (r *reader) row() (size int, err error) {
	if err := r.stmt.rows.Scan(r.targets...); err != nil {
		return 0, failure(r.ctx, err, r.seesAll)
	}
	for i, v := range r.values {
		b := r.builder.Field(i)
		if v == nil {
			b.AppendNull()
			continue
		}
		size += len(v)
		if err := r.columns[i].codec.decode(b, v); err != nil {
			return 0, source.Unreadable(r.columns[i].Name, err, r.seesAll)
		}
	}
	return size, nil
}

// Err is the reason why Next returned false; nil at the end.
func (r *reader) Err() error { return r.err }

// free stops the statement if it still runs.
func (r *reader) free() {
	r.builder.Release()
	if r.ended && r.err == nil {
		r.stmt.close()
		return
	}
	r.stmt.stop()
}
