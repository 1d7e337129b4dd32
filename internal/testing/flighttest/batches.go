package flighttest

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/jackc/pgx/v5"

	"github.com/agnes-data/da/internal/rows/recordreader"
)

// batches are rows as Arrow, some thousand at a time.
type batches struct {
	recordreader.Base
	rows  pgx.Rows
	kinds []kind
	first bool // the batch is there before it was asked for
	err   error
}

// newBatches reads the first batch, so that what fails at once fails here.
func newBatches(r pgx.Rows, kinds []kind, schema *arrow.Schema) (*batches, error) {
	b := &batches{rows: r, kinds: kinds}
	b.Begin(schema, r.Close)
	b.first = b.next()
	return b, b.err
}

func (b *batches) Err() error { return b.err }

func (b *batches) Next() bool {
	if b.first {
		b.first = false
		return true
	}
	return b.next()
}

func (b *batches) next() bool {
	b.Set(nil)
	builder := array.NewRecordBuilder(memory.DefaultAllocator, b.Schema())
	defer builder.Release()
	rows, size := 0, 0
	for ; rows < 4096 && size < 1<<20 && b.err == nil && b.rows.Next(); rows++ {
		for i, raw := range b.rows.RawValues() {
			size += len(raw)
			if raw == nil {
				builder.Field(i).AppendNull()
			} else if err := b.kinds[i].add(builder.Field(i), string(raw)); err != nil {
				b.err = fmt.Errorf("column %s: %w", b.Schema().Field(i).Name, err)
				return false
			}
		}
	}
	if b.err = b.rows.Err(); b.err != nil || rows == 0 {
		return false
	}
	b.Set(builder.NewRecordBatch())
	return true
}
