// Package recordreader has what the readers of record batches share: schema, current
// batch and references. It reads nothing itself.
package recordreader

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
)

// Base is a record reader without Next and Err: a reader embeds it and adds these. The
// zero value has one reference.
type Base struct {
	schema *arrow.Schema
	batch  arrow.RecordBatch
	more   atomic.Int64 // references beside the first
	free   func()
}

// Begin sets the schema, and what the last Release does; nil: nothing.
func (b *Base) Begin(schema *arrow.Schema, free func()) { b.schema, b.free = schema, free }

// Set takes over the batch that is current from now on, or nil if there is none. The
// one before is released.
func (b *Base) Set(batch arrow.RecordBatch) {
	if b.batch != nil {
		b.batch.Release()
	}
	b.batch = batch
}

// Schema returns the schema, which every batch has.
func (b *Base) Schema() *arrow.Schema { return b.schema }

// RecordBatch returns the current batch, which is valid until the next call of Next.
func (b *Base) RecordBatch() arrow.RecordBatch { return b.batch }

// Record is the older name of RecordBatch.
func (b *Base) Record() arrow.RecordBatch { return b.batch }

// Retain adds a reference.
func (b *Base) Retain() { b.more.Add(1) }

// Release drops a reference. The last one frees what the reader holds.
func (b *Base) Release() {
	if b.more.Add(-1) >= 0 {
		return
	}
	b.Set(nil)
	if b.free != nil {
		b.free()
	}
}
