package flightsql

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/flight"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// cancelTime limits how long it may take to tell the engine that a result is no
// longer wanted.
const cancelTime = 5 * time.Second

// ask sends the statement and gets the list of endpoints that hold its rows.
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

// open starts reading the next endpoint. It uses the existing connection, whatever
// other hosts the engine names.
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
				return nil, err // also io.EOF: it says that everything has arrived
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

// message converts a Flight message into the form that Arrow streams have.
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

// settle accepts the schema of an endpoint. The first endpoint's schema becomes
// that of the result; the others must have the same.
func (r *reader) settle() error {
	fields := r.cur.Schema().Fields()
	if r.Schema() != nil {
		if !sameFields(fields, r.Schema().Fields()) {
			return unexpected("the parts of the rows have different columns")
		}
		return nil
	}
	got := make([]string, len(fields))
	for i, f := range fields {
		got[i] = f.Name
		fields[i].Nullable = true
		fields[i].Metadata = arrow.Metadata{} // drop the engine's own metadata
	}
	if r.w.names != nil && !slices.Equal(got, r.w.names) {
		return unexpected("the rows have other columns than were asked for")
	}
	r.Begin(api.SchemaWith(fields, api.CaveatsOf(api.CaveatNarrowed, r.w.warnings...)), r.free)
	return nil
}

func sameFields(a, b []arrow.Field) bool {
	return slices.EqualFunc(a, b, func(x, y arrow.Field) bool { return x.Name == y.Name && arrow.TypeEqual(x.Type, y.Type) })
}

// dismiss tells the engine that nobody reads the rest, so that it stops working.
// Not every engine supports this call.
func (f *FlightSQL) dismiss(ctx context.Context, info *flight.FlightInfo) {
	ctx, cancel := context.WithTimeout(ctx, cancelTime)
	defer cancel()
	if ctx, err := f.credited(ctx); err == nil {
		_, _ = f.client.CancelFlightInfo(ctx, &flight.CancelFlightInfoRequest{Info: info})
	}
}
