package spark

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// scripted is a server that describes a table of one column n, and answers
// ExecutePlan and each ReattachExecute with the next of its streams.
func scripted(t *testing.T, streams ...func(send func(...[]byte) error) error) *Spark {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := grpc.NewServer(grpc.ForceServerCodec(plain{}), grpc.UnknownServiceHandler(func(_ any, stream grpc.ServerStream) error {
		method, _ := grpc.MethodFromServerStream(stream)
		var request []byte
		if err := stream.RecvMsg(&request); err != nil {
			return err
		}
		send := func(fields ...[]byte) error {
			var m []byte
			for _, f := range fields {
				m = append(m, f...)
			}
			return stream.SendMsg(m)
		}
		switch strings.TrimPrefix(method, service) {
		case "AnalyzePlan":
			bigint := within(2, within(7))
			return send(within(2, within(1, within(21, within(1, text(1, "n"), bigint)))))
		case "ExecutePlan", "ReattachExecute":
			if len(streams) == 0 {
				return status.Error(codes.Internal, "[INVALID_HANDLE.OPERATION_NOT_FOUND] gone")
			}
			next := streams[0]
			streams = streams[1:]
			return next(send)
		}
		return send()
	}))
	go func() { _ = server.Serve(l) }()
	t.Cleanup(server.Stop)
	s := opened(t, Options{URI: "sc://" + l.Addr().String()})
	t.Cleanup(func() { _ = s.Close() })
	return s
}

// TestOnlyCompleteResultsEnd: whatever ends a stream, the rows are all there or there
// is an error.
func TestOnlyCompleteResultsEnd(t *testing.T) {
	three := numbers(t, 1, 2, 3)
	batch := func(id string, start int, data []byte) []byte {
		return append(within(2, number(1, 3), within(2, data), number(3, start)), text(13, id)...)
	}
	done := within(14)
	type stream = func(send func(...[]byte) error) error
	sends := func(last error, answers ...[]byte) stream {
		return func(send func(...[]byte) error) error {
			for _, a := range answers {
				if err := send(a); err != nil {
					return err
				}
			}
			return last
		}
	}
	broken := status.Error(codes.Unavailable, "the line broke")
	for what, c := range map[string]struct {
		streams []stream
		rows    int64
		fails   error
	}{
		"one stream":                  {[]stream{sends(nil, batch("a", 0, three), done)}, 3, nil},
		"ended early":                 {[]stream{sends(nil, batch("a", 0, three)), sends(nil), sends(nil, batch("b", 3, three), done)}, 6, nil},
		"a line that broke":           {[]stream{sends(broken, batch("a", 0, three)), sends(nil, batch("b", 3, three), done)}, 6, nil},
		"not taken up again":          {[]stream{sends(nil, batch("a", 0, three))}, 3, &api.Error{Code: api.CodeSource, Kind: api.KindConnectionLost}},
		"interrupted":                 {[]stream{sends(status.Error(codes.Internal, "[OPERATION_CANCELED] by somebody"), batch("a", 0, three))}, 3, &api.Error{Code: api.CodeQueryFailed, Kind: "operation_canceled"}},
		"a batch is missing":          {[]stream{sends(nil, batch("a", 0, three), batch("c", 6, three), done)}, 3, &api.Error{Code: api.CodeSource, Kind: api.KindUnexpectedAnswer}},
		"a batch without an end mark": {[]stream{sends(nil, batch("a", 0, three[:len(three)-8]), done)}, 0, &api.Error{Code: api.CodeSource, Kind: api.KindUnexpectedAnswer}},
		"a batch that is cut":         {[]stream{sends(nil, batch("a", 0, three[:len(three)-32]), done)}, 0, &api.Error{Code: api.CodeSource, Kind: api.KindUnexpectedAnswer}},
		"another number of rows":      {[]stream{sends(nil, append(within(2, number(1, 4), within(2, three)), text(13, "a")...), done)}, 0, &api.Error{Code: api.CodeSource, Kind: api.KindUnexpectedAnswer}},
		"a message that is none":      {[]stream{sends(nil, []byte{0xff})}, 0, &api.Error{Code: api.CodeSource, Kind: api.KindUnexpectedAnswer}},
	} {
		t.Run(what, func(t *testing.T) {
			s := scripted(t, c.streams...)
			rows, err := drained(s.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "t"}, Select: []string{"n"}}))
			if rows != c.rows || c.fails == nil && err != nil || c.fails != nil && !errors.Is(err, c.fails) {
				t.Errorf("%d rows, %v", rows, err)
			}
		})
	}
}

// numbers is an Arrow stream of a batch.
func numbers(t *testing.T, values ...int64) []byte {
	t.Helper()
	schema := arrow.NewSchema([]arrow.Field{{Name: "n", Type: arrow.PrimitiveTypes.Int64}}, nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, schema)
	defer b.Release()
	b.Field(0).(*array.Int64Builder).AppendValues(values, nil)
	var out bytes.Buffer
	w := ipc.NewWriter(&out, ipc.WithSchema(schema))
	if err := errors.Join(w.Write(b.NewRecordBatch()), w.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// TestInstantsInAnyZone: Sail gives a table the zone of the session that made it.
func TestInstantsInAnyZone(t *testing.T) {
	utc, plain := arrow.FixedWidthTypes.Timestamp_us, &arrow.TimestampType{Unit: arrow.Microsecond}
	for _, c := range []struct {
		is, as arrow.DataType
		fits   bool
	}{
		{&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Etc/UTC"}, utc, true},
		{arrow.ListOf(&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "Asia/Tokyo"}), arrow.ListOf(utc), true},
		{plain, utc, false},
		{utc, plain, false},
		{arrow.FixedWidthTypes.Timestamp_ms, utc, false},
	} {
		b := array.NewBuilder(memory.DefaultAllocator, c.is)
		b.AppendNull()
		got, err := named(b.NewArray().Data(), c.as)
		if (err == nil) != c.fits || c.fits && !arrow.TypeEqual(got.DataType(), c.as) {
			t.Errorf("%s as %s: %v", c.is, c.as, err)
		}
	}
}
