// Package flightapi serves the core over Arrow Flight SQL, which ADBC, JDBC and ODBC
// drivers speak. Its calls are HTTP requests like those of the routes: they come through
// the same handler, which has checked the token, logs, counts and limits them. There are
// no rules about data, rights or limits here: the core has them.
package flightapi

import (
	"context"
	"net/http"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/metadata"

	"github.com/agnes-data/da/api"
)

// Path is where calls arrive, as gRPC names them.
const Path = "/arrow.flight.protocol.FlightService/{method}"

// Handler answers the calls of callers with access to data.
func Handler(version string) func(data api.Data, w http.ResponseWriter, r *http.Request) error {
	calls := grpc.NewServer(grpc.UnaryInterceptor(unary), grpc.StreamInterceptor(streaming))
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
			err := v.end()
			if t, ok := w.(interface{ Told(err error) }); ok {
				t.Told(err)
			}
		}()
		calls.ServeHTTP(flusher{w, http.NewResponseController(w)}, r.WithContext(context.WithValue(ctx, visitKey{}, v)))
		return nil
	}
}

func unary(ctx context.Context, req any, _ *grpc.UnaryServerInfo, handle grpc.UnaryHandler) (out any, err error) {
	err = visitOf(ctx).run(func() error {
		out, err = handle(ctx, req)
		return err
	})
	return out, err
}

func streaming(srv any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
	return visitOf(stream.Context()).run(func() error { return handle(srv, stream) })
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

// server is the Flight service.
type server struct{ flight.FlightServer }

// Handshake gives the token back as that of further calls: drivers ask with a name and a
// password, which is the token.
func (server) Handshake(stream flight.FlightService_HandshakeServer) error {
	asked, _ := metadata.FromIncomingContext(stream.Context())
	return stream.SendHeader(metadata.Pairs("authorization", strings.Join(asked.Get("authorization"), "")))
}
