package flightsql

import (
	"context"
	"io"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"

	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/internal/rows/wire"
)

// work describes a request to the engine.
type work struct {
	sql      string
	tables   *flightsql.GetTablesOpts // used instead of sql
	names    []string                 // the columns that are expected; nil: any
	warnings []string
	ordered  bool
	seesAll  bool
}

// run starts a statement and returns its rows.
func (f *FlightSQL) run(ctx context.Context, w work) (array.RecordReader, error) {
	outer := ctx
	var cancel context.CancelFunc
	if f.o.Timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, f.o.Timeout)
	} else {
		ctx, cancel = context.WithCancel(ctx)
	}
	r := &reader{f: f, w: w, outer: outer, ctx: ctx, cancel: cancel}
	if err := r.start(); err != nil {
		err = r.fault(err) // before Release, which ends the context
		r.free()
		return nil, err
	}
	return r, nil
}

// reader returns the rows of a statement, one endpoint after the other.
type reader struct {
	recordreader.Base
	f      *FlightSQL
	w      work
	outer  context.Context //nolint:containedctx // of the scan that it belongs to
	ctx    context.Context //nolint:containedctx // outer, with the source's own bound
	cancel context.CancelFunc

	info  *flight.FlightInfo
	next  int                // endpoint
	cur   array.RecordReader // of the current endpoint
	err   error
	ended bool
}

var _ array.RecordReader = (*reader)(nil)

// start sends the statement and reads the schema of its first rows.
func (r *reader) start() (err error) {
	if err = r.f.again(r.ask); err != nil {
		return err
	}
	if len(r.info.GetEndpoint()) > 1 && r.w.ordered && !r.info.GetOrdered() {
		return unexpected("it sends the rows in several parts and does not say that they are in order")
	}
	if len(r.info.GetEndpoint()) > 0 {
		return r.f.again(r.open)
	}
	// There is nothing to read, but the schema is still needed.
	if r.cur, err = wire.ReadParts(r.info.GetSchema(), func() ([]byte, error) { return nil, io.EOF }); err != nil {
		return err
	}
	return r.settle()
}

// Next goes on to the next batch.
func (r *reader) Next() bool {
	r.Set(nil)
	for r.err == nil && !r.ended {
		if r.cur.Next() {
			b := r.cur.RecordBatch()
			r.Set(array.NewRecordBatch(r.Schema(), b.Columns(), b.NumRows()))
			return true
		}
		if r.err = r.fault(r.cur.Err()); r.err != nil {
			break
		}
		if r.next >= len(r.info.GetEndpoint()) {
			r.ended = true
			break
		}
		r.cur.Release()
		r.cur = nil
		r.err = r.fault(r.f.again(r.open))
	}
	return false
}

// Err is the reason why Next returned false; nil at the end.
func (r *reader) Err() error { return r.err }

// fault turns an error into one of the vocabulary.
func (r *reader) fault(err error) error { return failure(r.ctx, err, r.w.seesAll) }

// free stops the statement if it still runs.
func (r *reader) free() {
	r.cancel()
	if r.cur != nil {
		r.cur.Release()
	}
	if !r.ended && r.info != nil {
		go r.f.dismiss(context.WithoutCancel(r.outer), r.info)
	}
}
