package output

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
)

// limited passes on the first rows of a reader and detects whether there were
// more. It ends early, with an error, when its context does.
type limited struct {
	inner  api.Rows
	ctx    context.Context // limits one call of Write
	schema *arrow.Schema
	refs   atomic.Int64
	left   int64
	done   bool
	cur    arrow.RecordBatch
	// Atomic, because an interrupted engine may read on for a moment while the
	// counters are read.
	rows      atomic.Int64
	truncated atomic.Bool
}

var _ api.Rows = (*limited)(nil)

// newLimited retains rdr until it is released itself. most 0 means all rows.
func newLimited(ctx context.Context, rdr api.Rows, most int64) *limited {
	if most <= 0 {
		most = math.MaxInt64
	}
	rdr.Retain()
	l := &limited{inner: rdr, ctx: ctx, schema: rdr.Schema(), left: most}
	l.refs.Store(1)
	return l
}

// rename gives the columns other names, before the first call of Next.
func (l *limited) rename(names []string) {
	fields, meta := l.schema.Fields(), l.schema.Metadata()
	for i := range fields {
		fields[i].Name = names[i]
	}
	l.schema = arrow.NewSchema(fields, &meta)
}

// Caveats implements api.Rows.
func (l *limited) Caveats() []api.Caveat { return l.inner.Caveats() }

// Next implements array.RecordReader. It skips empty batches.
func (l *limited) Next() bool {
	l.drop()
	for !l.done && l.ctx.Err() == nil && l.inner.Next() {
		batch := l.inner.RecordBatch()
		n := batch.NumRows()
		if n == 0 {
			continue
		}
		if n > l.left {
			l.truncated.Store(true)
			l.done, n = true, l.left
		}
		if n == 0 { // this batch only showed that there is another row
			return false
		}
		l.left -= n
		l.rows.Add(n)
		l.take(batch, n)
		return true
	}
	l.done = true
	return false
}

// take makes the first n rows of batch the current ones.
func (l *limited) take(batch arrow.RecordBatch, n int64) {
	l.cur = batch.NewSlice(0, n)
	if l.schema == l.inner.Schema() {
		return
	}
	sliced := l.cur
	l.cur = array.NewRecordBatch(l.schema, sliced.Columns(), n)
	sliced.Release()
}

func (l *limited) drop() {
	if l.cur != nil {
		l.cur.Release()
		l.cur = nil
	}
}

// Schema implements array.RecordReader.
func (l *limited) Schema() *arrow.Schema { return l.schema }

// RecordBatch implements array.RecordReader.
func (l *limited) RecordBatch() arrow.RecordBatch { return l.cur }

// Record implements array.RecordReader.
func (l *limited) Record() arrow.RecordBatch { return l.cur }

// Err implements array.RecordReader.
func (l *limited) Err() error {
	if err := l.inner.Err(); err != nil {
		return err
	}
	return context.Cause(l.ctx)
}

// Retain implements array.RecordReader.
func (l *limited) Retain() {
	l.refs.Add(1)
	l.inner.Retain()
}

// Release implements array.RecordReader.
func (l *limited) Release() {
	if l.refs.Add(-1) == 0 {
		l.drop()
	}
	l.inner.Release()
}
