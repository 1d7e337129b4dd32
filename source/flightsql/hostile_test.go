package flightsql

import (
	"bytes"
	"context"
	"io"
	"net"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

// liar answers every statement with the messages that it has, a stream of them
// for each endpoint.
type liar struct {
	flight.BaseFlightServer
	endpoints [][]*flight.FlightData
	ordered   bool
	then      error // how each stream ends
}

func (l *liar) GetFlightInfo(context.Context, *flight.FlightDescriptor) (*flight.FlightInfo, error) {
	info := &flight.FlightInfo{Ordered: l.ordered}
	for i := range l.endpoints {
		info.Endpoint = append(info.Endpoint, &flight.FlightEndpoint{Ticket: &flight.Ticket{Ticket: []byte{byte(i)}}})
	}
	return info, nil
}

func (l *liar) DoGet(t *flight.Ticket, stream flight.FlightService_DoGetServer) error {
	for _, m := range l.endpoints[t.GetTicket()[0]] {
		if err := stream.Send(m); err != nil {
			return err
		}
	}
	return l.then
}

// recorder keeps the messages that a writer would send.
type recorder struct{ messages []*flight.FlightData }

func (r *recorder) Send(d *flight.FlightData) error {
	r.messages = append(r.messages, &flight.FlightData{DataHeader: bytes.Clone(d.GetDataHeader()), DataBody: bytes.Clone(d.GetDataBody())})
	return nil
}

// messages are those of a good stream of one batch: a schema, then rows.
func messages(t testing.TB, column string) []*flight.FlightData {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: column, Type: arrow.BinaryTypes.String}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.StringBuilder).AppendValues([]string{"one", "two", "three"}, nil)
	batch := b.NewRecordBatch()
	defer batch.Release()
	rec := &recorder{}
	w := flight.NewRecordWriter(rec, ipc.WithSchema(schema))
	if err := w.Write(batch); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return rec.messages
}

func serveLies(t *testing.T, l *liar) *FlightSQL {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := grpc.NewServer()
	flight.RegisterFlightServiceServer(s, l)
	go func() { _ = s.Serve(listener) }() // until Stop
	t.Cleanup(s.Stop)
	f := opened(t, Options{URI: "grpc://" + listener.Addr().String()})
	t.Cleanup(func() { closed(t, f) })
	return f
}

func (f *FlightSQL) count(ctx context.Context, w work) (int64, error) {
	r, err := f.run(ctx, w)
	if err != nil {
		return 0, err
	}
	defer r.Release()
	n := int64(0)
	for r.Next() {
		n += r.RecordBatch().NumRows()
		for i := range int(r.RecordBatch().NumRows()) {
			_ = r.RecordBatch().Column(0).ValueStr(i)
		}
	}
	return n, r.Err()
}

// TestLies reads answers that are not what the protocol says: each is an error
// of the source, and none is believed.
func TestLies(t *testing.T) {
	good := messages(t, "v")
	changed := func(i int, change func(d *flight.FlightData)) []*flight.FlightData {
		out := messages(t, "v")
		change(out[i])
		return out
	}
	for name, l := range map[string]*liar{
		"no message":        {endpoints: [][]*flight.FlightData{{}}},
		"no schema":         {endpoints: [][]*flight.FlightData{good[1:]}},
		"garbage":           {endpoints: [][]*flight.FlightData{{{DataHeader: bytes.Repeat([]byte{0xab}, 64)}}}},
		"other columns":     {endpoints: [][]*flight.FlightData{messages(t, "w")}},
		"other later":       {ordered: true, endpoints: [][]*flight.FlightData{good, messages(t, "w")}},
		"body is cut":       {endpoints: [][]*flight.FlightData{changed(1, func(d *flight.FlightData) { d.DataBody = d.GetDataBody()[:8] })}},
		"offsets lead out":  {endpoints: [][]*flight.FlightData{changed(1, func(d *flight.FlightData) { d.DataBody[4] = 0xff })}},
		"header is cut":     {endpoints: [][]*flight.FlightData{changed(1, func(d *flight.FlightData) { d.DataHeader = d.GetDataHeader()[:40] })}},
		"header is twisted": {endpoints: [][]*flight.FlightData{changed(1, func(d *flight.FlightData) { d.DataHeader[0] = 0xff })}},
		"cut in the middle": {endpoints: [][]*flight.FlightData{good}, then: status.Error(codes.Unavailable, "gone")},
		"parts in disorder": {endpoints: [][]*flight.FlightData{good, good}},
	} {
		t.Run(name, func(t *testing.T) {
			n, err := serveLies(t, l).count(t.Context(), work{sql: "SELECT v", names: []string{"v"}, ordered: true})
			if !api.CodeSource.Is(err) {
				t.Errorf("%d rows, %v", n, err)
			}
		})
	}
	l := &liar{ordered: true, endpoints: [][]*flight.FlightData{good, good}}
	if n, err := serveLies(t, l).count(t.Context(), work{sql: "SELECT v", names: []string{"v"}, ordered: true}); n != 6 || err != nil {
		t.Errorf("parts in order: %d rows, %v", n, err)
	}
}

// FuzzMessages puts any two messages in place of rows.
func FuzzMessages(f *testing.F) {
	good := messages(f, "v")
	f.Add(good[0].GetDataHeader(), good[1].GetDataHeader(), good[1].GetDataBody())
	f.Fuzz(func(t *testing.T, schema, header, body []byte) {
		first, err := message(&flight.FlightData{DataHeader: schema})
		if err != nil {
			t.Fatal(err)
		}
		rest := []*flight.FlightData{{DataHeader: header, DataBody: body}}
		r, err := wire.ReadParts(first, func() ([]byte, error) {
			if len(rest) == 0 {
				return nil, io.EOF
			}
			next := rest[0]
			rest = rest[1:]
			return message(next)
		})
		if err != nil {
			return
		}
		defer r.Release()
		for r.Next() {
			for j := range int(r.RecordBatch().NumCols()) {
				for i := range int(min(r.RecordBatch().NumRows(), 100)) {
					_ = r.RecordBatch().Column(j).ValueStr(i)
				}
			}
		}
	})
}
