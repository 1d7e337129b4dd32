package flighttest

import (
	"fmt"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/jackc/pgx/v5"
)

// batches are rows as Arrow, some thousand at a time.
type batches struct {
	rows   pgx.Rows
	kinds  []kind
	schema *arrow.Schema
	first  bool // batch is there before it was asked for
	batch  arrow.RecordBatch
	err    error
	refs   atomic.Int64
}

// newBatches reads the first batch, so that what fails at once fails here.
func newBatches(r pgx.Rows, kinds []kind, schema *arrow.Schema) (*batches, error) {
	b := &batches{rows: r, kinds: kinds, schema: schema}
	b.refs.Store(1)
	b.first = b.next()
	return b, b.err
}

func (b *batches) Schema() *arrow.Schema          { return b.schema }
func (b *batches) RecordBatch() arrow.RecordBatch { return b.batch }
func (b *batches) Record() arrow.RecordBatch      { return b.batch }
func (b *batches) Err() error                     { return b.err }
func (b *batches) Retain()                        { b.refs.Add(1) }

func (b *batches) Release() {
	if b.refs.Add(-1) == 0 {
		b.rows.Close()
		if b.batch != nil {
			b.batch.Release()
		}
	}
}

func (b *batches) Next() bool {
	if b.first {
		b.first = false
		return true
	}
	return b.next()
}

func (b *batches) next() bool {
	if b.batch != nil {
		b.batch.Release()
		b.batch = nil
	}
	builder := array.NewRecordBuilder(memory.DefaultAllocator, b.schema)
	defer builder.Release()
	rows, size := 0, 0
	for ; rows < 4096 && size < 1<<20 && b.err == nil && b.rows.Next(); rows++ {
		for i, raw := range b.rows.RawValues() {
			size += len(raw)
			if raw == nil {
				builder.Field(i).AppendNull()
			} else if err := b.kinds[i].add(builder.Field(i), string(raw)); err != nil {
				b.err = fmt.Errorf("column %s: %w", b.schema.Field(i).Name, err)
				return false
			}
		}
	}
	if b.err = b.rows.Err(); b.err != nil || rows == 0 {
		return false
	}
	b.batch = builder.NewRecordBatch()
	return true
}
