package spark

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/agnes-data/da/internal/rows/recordreader"
)

// chunks returns the rows of a statement, one chunk after the other.
type chunks struct {
	recordreader.Base
	w       *Warehouse
	ctx     context.Context //nolint:containedctx // of the scan that it belongs to
	cancel  context.CancelFunc
	seesAll bool

	of    *answer
	next  int         // chunk
	open  *ipc.Reader // of the chunk before; nil: it has ended
	total int64       // rows that have come
	whole bool
	err   error
}

// run runs a statement and returns its rows, as those of a schema; nil: as they come.
func (w *Warehouse) run(ctx context.Context, sql string, schema *arrow.Schema, seesAll bool) (*chunks, error) {
	r := &chunks{w: w, seesAll: seesAll}
	r.ctx, r.cancel = bounded(ctx, w.o.Timeout)
	r.Begin(schema, r.free)
	of, err := w.ask(r.ctx, sql)
	if err != nil {
		err = w.failure(r.ctx, err, seesAll)
		r.Release()
		return nil, err
	}
	r.of = of
	return r, nil
}

// Next goes on to the next batch.
func (r *chunks) Next() bool {
	r.Set(nil)
	var b arrow.RecordBatch
	for r.err == nil && !r.whole && b == nil {
		b, r.err = r.batch()
		r.err = r.w.failure(r.ctx, r.err, r.seesAll)
	}
	r.Set(b)
	return b != nil
}

// batch reads the next batch; nil: a chunk has begun or ended, or all.
func (r *chunks) batch() (_ arrow.RecordBatch, err error) {
	switch {
	case r.open == nil && r.next < r.of.Manifest.Chunks:
		r.open, err = r.w.chunk(r.ctx, r.of, r.next)
		r.next++
	case r.open == nil:
		if r.whole = true; r.total != r.of.Manifest.Rows {
			err = unexpected("it has not as many rows as it says")
		}
	case r.open.Next():
		b := r.open.RecordBatch()
		if r.total += b.NumRows(); r.Schema() != nil {
			return like(b, r.Schema())
		}
		b.Retain()
		return b, nil
	default:
		err = r.open.Err()
		r.open.Release()
		r.open = nil
	}
	return nil, err
}

// Err is the reason why Next returned false; nil at the end.
func (r *chunks) Err() error { return r.err }

// free ends the statement if rows of it are left.
func (r *chunks) free() {
	if r.open != nil {
		r.open.Release()
	}
	r.cancel()
	if r.of != nil && !r.whole {
		r.w.stop(r.ctx, r.of.ID)
	}
}
