package output

import (
	"context"
	"math"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
)

// limited passes on the first rows of a reader and detects whether there were
// more. It ends early, with an error, when its context does.
type limited struct {
	recordreader.Base
	inner api.Rows
	ctx   context.Context // limits one call of Write
	left  int64
	done  bool
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
	l := &limited{inner: rdr, ctx: ctx, left: most}
	l.Begin(rdr.Schema(), rdr.Release)
	return l
}

// rename gives the columns other names, before the first call of Next.
func (l *limited) rename(names []string) {
	fields, meta := l.Schema().Fields(), l.Schema().Metadata()
	for i := range fields {
		fields[i].Name = names[i]
	}
	l.Begin(arrow.NewSchema(fields, &meta), l.inner.Release)
}

// Caveats implements api.Rows.
func (l *limited) Caveats() []api.Caveat { return l.inner.Caveats() }

// Next implements array.RecordReader. It skips empty batches.
func (l *limited) Next() bool {
	l.Set(nil)
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
	l.Set(batch.NewSlice(0, n))
	if l.Schema() != l.inner.Schema() {
		l.Set(array.NewRecordBatch(l.Schema(), l.RecordBatch().Columns(), n))
	}
}

// Err implements array.RecordReader.
func (l *limited) Err() error {
	if err := l.inner.Err(); err != nil {
		return err
	}
	return context.Cause(l.ctx)
}
