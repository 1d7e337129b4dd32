// Package flightapi serves the core over Arrow Flight SQL, which ADBC, JDBC and ODBC
// drivers speak. Its calls are HTTP requests like those of the routes: they come through
// the same handler, which has checked the token, logs, counts and limits them. There are
// no rules about data, rights or limits here: the core has them.
package flightapi

import (
	"context"
	"net/http"
	"strings"
	"sync"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/canonical"
	"github.com/agnes-data/da/server/fault"
)

// Path is where calls arrive, as gRPC names them.
const Path = "/arrow.flight.protocol.FlightService/{method}"

// Handler answers the calls of callers with access to data.
func Handler(version string) func(data api.Data, w http.ResponseWriter, r *http.Request) error {
	calls := grpc.NewServer(grpc.UnaryInterceptor(safely), grpc.StreamInterceptor(streamSafely))
	flight.RegisterFlightServiceServer(calls, server{flightsql.NewFlightServer(newStatements(version))})
	return func(data api.Data, w http.ResponseWriter, r *http.Request) error {
		if r.ProtoMajor != 2 {
			return &api.Error{Code: api.CodeBadRequest, Kind: api.KindNoSuchRoute, Message: "Flight SQL is not spoken at this address",
				Hint: "It has one of its own: server.flight of the instance file."}
		}
		ctx, cancel := context.WithCancel(r.Context())
		v := &visit{data: data}
		defer func() {
			cancel()
			v.running.Wait() // nothing reads rows once the call has ended
			if t, ok := w.(interface{ Told(err error) }); ok {
				t.Told(v.err)
			}
		}()
		calls.ServeHTTP(flusher{w, http.NewResponseController(w)}, r.WithContext(context.WithValue(ctx, visitKey{}, v)))
		return nil
	}
}

// safely answers a panic with an error. gRPC runs calls in goroutines of its own, where a
// panic would end the process.
func safely(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (out any, err error) {
	err = fault.Catch(func() error {
		out, err = handle(ctx, req)
		return err
	})
	return out, told(ctx, err)
}

func streamSafely(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	return told(stream.Context(), fault.Catch(func() error { return handle(srv, stream) }))
}

// told is the error of a call as gRPC tells it, and notes it for log and figures. The
// library's own errors are told already.
func told(ctx context.Context, err error) error {
	if _, ok := status.FromError(err); ok {
		return err
	}
	visitOf(ctx).err = err
	return statusOf(err)
}

// flusher lets gRPC flush the writer of a call.
type flusher struct {
	http.ResponseWriter
	control *http.ResponseController
}

// Flush implements http.Flusher. It sends the status itself, so that it is logged.
func (f flusher) Flush() {
	_, _ = f.Write(nil)
	_ = f.control.Flush() // the next write fails if the client has gone
}

// visit is one call.
type visit struct {
	data    api.Data
	running sync.WaitGroup
	err     error // the call's
}

type visitKey struct{}

func visitOf(ctx context.Context) *visit { return ctx.Value(visitKey{}).(*visit) }

// server is the Flight service.
type server struct{ flight.FlightServer }

// Handshake gives the token back as that of further calls: drivers ask with a name and a
// password, which is the token.
func (server) Handshake(stream flight.FlightService_HandshakeServer) error {
	asked, _ := metadata.FromIncomingContext(stream.Context())
	return stream.SendHeader(metadata.Pairs("authorization", strings.Join(asked.Get("authorization"), "")))
}

// maxMessage is the size in bytes from which a batch travels in several messages.
// ADBC's driver takes none of more than 16 MB.
const maxMessage = 4 << 20

// send streams rows into a channel until they or the call end. It takes over rows. What is
// known of them stands in the metadata of the schema, what comes up while they are read in
// those of an empty last batch; few drivers show either, so a cut is an error.
func send(ctx context.Context, rows *api.Stream) (*arrow.Schema, <-chan flight.StreamChunk, error) {
	rows.RefuseCut(false)
	schema := api.SchemaWith(rows.Batches.Schema().Fields(), rows.Caveats())
	out, v := make(chan flight.StreamChunk), visitOf(ctx)
	put := func(c flight.StreamChunk) bool {
		select {
		case out <- c:
			return true
		case <-ctx.Done():
			if c.Data != nil {
				c.Data.Release()
			}
			return false
		}
	}
	v.running.Go(func() {
		defer close(out)
		defer rows.Close()
		err := fault.Catch(func() error {
			for rows.Batches.Next() {
				batch, err := canonical.Batch(rows.Batches.RecordBatch())
				if err != nil {
					return err
				}
				n := batch.NumRows()
				step := max(1, min(n, n*maxMessage/max(1, api.BatchBytes(batch))))
				going := true
				for from := int64(0); from < n && going; from += step {
					going = put(flight.StreamChunk{Data: batch.NewSlice(from, min(from+step, n))})
				}
				batch.Release()
				if !going {
					return ctx.Err()
				}
			}
			if err := rows.Batches.Err(); err != nil {
				return err
			}
			if late := api.EncodeCaveats(rows.End().All()); late != "" {
				none := array.NewRecordBuilder(memory.DefaultAllocator, schema)
				defer none.Release()
				put(flight.StreamChunk{Data: none.NewRecordBatch(), AppMetadata: []byte(late)})
			}
			return nil
		})
		if err != nil {
			put(flight.StreamChunk{Err: err})
		}
	})
	return schema, out, nil
}

var errReadOnly = &api.Error{Code: api.CodeStatement, Message: "nothing can be written here", Hint: "Send one SELECT."}

var errParameters = &api.Error{Code: api.CodeStatement, Message: "values of parameters are not taken here",
	Hint: "Write them into the statement."}
