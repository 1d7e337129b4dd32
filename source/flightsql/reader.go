package flightsql

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"sync/atomic"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/wire"
)

// work is what the engine is asked for.
type work struct {
	sql      string
	tables   *flightsql.GetTablesOpts // in place of sql
	names    []string                 // the columns that must come; nil: any
	warnings []string
	ordered  bool
	seesAll  bool
}

// cancelTime is how long the engine may take to be told that nobody waits.
const cancelTime = 5 * time.Second

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
	r.refs.Store(1)
	if err := r.start(); err != nil {
		err = r.fault(err) // before Release, which ends the context
		r.Release()
		return nil, err
	}
	return r, nil
}

// reader is the rows of a statement, an endpoint after the other.
type reader struct {
	f      *FlightSQL
	w      work
	outer  context.Context //nolint:containedctx // of the scan that it belongs to
	ctx    context.Context //nolint:containedctx // outer, with the source's own bound
	cancel context.CancelFunc
	refs   atomic.Int64

	info   *flight.FlightInfo
	next   int                // endpoint
	cur    array.RecordReader // of the current endpoint
	schema *arrow.Schema
	batch  arrow.RecordBatch
	err    error
	ended  bool
}

var _ array.RecordReader = (*reader)(nil)

// start asks for the statement and goes to its first rows' schema.
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
	// Nothing to read; its schema is told all the same.
	if r.cur, err = wire.ReadParts(r.info.GetSchema(), func() ([]byte, error) { return nil, io.EOF }); err != nil {
		return err
	}
	return r.settle()
}

func (r *reader) ask() error {
	ctx, err := r.f.credited(r.ctx)
	if err != nil {
		return err
	}
	if r.w.tables != nil {
		r.info, err = r.f.client.GetTables(ctx, r.w.tables)
	} else {
		r.info, err = r.f.client.Execute(ctx, r.w.sql)
	}
	return err
}

// open starts reading the next endpoint, over the connection that there is,
// whatever other hosts the engine names.
func (r *reader) open() error {
	ctx, err := r.f.credited(r.ctx)
	if err != nil {
		return err
	}
	stream, err := r.f.flight.DoGet(ctx, r.info.GetEndpoint()[r.next].GetTicket())
	if err != nil {
		return err
	}
	read := func() ([]byte, error) {
		for {
			data, err := stream.Recv()
			if err != nil {
				return nil, err // io.EOF, too: the end of the call says that all has come
			}
			if len(data.GetDataHeader()) > 0 {
				return message(data)
			}
		}
	}
	first, err := read()
	if errors.Is(err, io.EOF) {
		return unexpected("a part of the rows is empty")
	}
	if err != nil {
		return err
	}
	if r.cur, err = wire.ReadParts(first, read); err != nil {
		return err
	}
	r.next++
	return r.settle()
}

// message puts a message of Flight into the form that Arrow streams have.
func message(data *flight.FlightData) ([]byte, error) {
	meta, body := data.GetDataHeader(), data.GetDataBody()
	if len(meta) > wire.MaxMetadata || len(body) > wire.MaxBody {
		return nil, unexpected("a message is too large")
	}
	padded := (len(meta) + 7) &^ 7
	out := make([]byte, 8+padded+len(body))
	copy(out, "\xff\xff\xff\xff")
	binary.LittleEndian.PutUint32(out[4:], uint32(padded))
	copy(out[8:], meta)
	copy(out[8+padded:], body)
	return out, nil
}

// settle takes the schema of an endpoint: the first one's is the result's, and
// the others must have the same.
func (r *reader) settle() error {
	fields := r.cur.Schema().Fields()
	if r.schema != nil {
		if !sameFields(fields, r.schema.Fields()) {
			return unexpected("the parts of the rows have different columns")
		}
		return nil
	}
	got := make([]string, len(fields))
	for i, f := range fields {
		got[i] = f.Name
		fields[i].Nullable = true
		fields[i].Metadata = arrow.Metadata{} // the engine's own words
	}
	if r.w.names != nil && !slices.Equal(got, r.w.names) {
		return unexpected("the rows have other columns than were asked for")
	}
	var meta *arrow.Metadata
	if len(r.w.warnings) > 0 {
		text, _ := json.Marshal(r.w.warnings) // strings always can
		m := arrow.NewMetadata([]string{api.WarningsKey}, []string{string(text)})
		meta = &m
	}
	r.schema = arrow.NewSchema(fields, meta)
	return nil
}

func sameFields(a, b []arrow.Field) bool {
	return slices.EqualFunc(a, b, func(x, y arrow.Field) bool { return x.Name == y.Name && arrow.TypeEqual(x.Type, y.Type) })
}

// Next goes on to the next batch.
func (r *reader) Next() bool {
	r.drop()
	for r.err == nil && !r.ended {
		if r.cur.Next() {
			b := r.cur.RecordBatch()
			r.batch = array.NewRecordBatch(r.schema, b.Columns(), b.NumRows())
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

// RecordBatch is the current batch, until the next call of Next.
func (r *reader) RecordBatch() arrow.RecordBatch { return r.batch }

// Record is RecordBatch under its older name.
func (r *reader) Record() arrow.RecordBatch { return r.batch }

// Schema returns the schema; its metadata holds the warnings, if any.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// Err is why Next returned false; nil at the end.
func (r *reader) Err() error { return r.err }

// fault is an error in the words of the vocabulary.
func (r *reader) fault(err error) error { return failure(r.ctx, err, r.w.seesAll) }

// Retain adds a reference.
func (r *reader) Retain() { r.refs.Add(1) }

// Release drops a reference; with the last one the statement stops, if it still
// runs.
func (r *reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	r.drop()
	r.cancel()
	if r.cur != nil {
		r.cur.Release()
	}
	if !r.ended && r.info != nil {
		go r.f.dismiss(context.WithoutCancel(r.outer), r.info)
	}
}

func (r *reader) drop() {
	if r.batch != nil {
		r.batch.Release()
		r.batch = nil
	}
}

// dismiss tells an engine that worked ahead that nobody reads the rest. Not
// every engine knows the word.
func (f *FlightSQL) dismiss(ctx context.Context, info *flight.FlightInfo) {
	ctx, cancel := context.WithTimeout(ctx, cancelTime)
	defer cancel()
	if ctx, err := f.credited(ctx); err == nil {
		_, _ = f.client.CancelFlightInfo(ctx, &flight.CancelFlightInfoRequest{Info: info})
	}
}
