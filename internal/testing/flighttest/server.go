package flighttest

import (
	"context"
	"crypto/tls"
	"net"
	"sync/atomic"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Options say whom the server lets in, and what it tells. The zero value:
// everybody, without TLS, and everything.
type Options struct {
	TLS *tls.Config
	// Token must come as a bearer token.
	Token string
	// User and Password are exchanged for a token, or, with NoHandshake, must
	// come with every call.
	User, Password string
	NoHandshake    bool
	// NoCatalogs and NoSchemas make it an engine that has no such thing: tables
	// are listed without.
	NoCatalogs, NoSchemas bool
}

// Server is one engine, listening on this machine.
type Server struct {
	flightsql.BaseServer
	o       Options
	engine  engine
	grpc    *grpc.Server
	address string
	running atomic.Int64
	tokens  atomic.Int64 // how often they were revoked
}

// New starts a server over DuckDB, with a database in memory, for the time of a
// test.
func New(t testing.TB, o Options) *Server {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, o, duck{db})
}

// NewPostgres starts a server over the PostgreSQL database of a DSN, for the time
// of a test.
func NewPostgres(t testing.TB, dsn string, o Options) *Server {
	t.Helper()
	p, err := openPostgres(dsn)
	if err != nil {
		t.Fatal(err)
	}
	return serve(t, o, p)
}

func serve(t testing.TB, o Options, e engine) *Server {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{o: o, engine: e, address: listener.Addr().String()}
	options := []grpc.ServerOption{grpc.UnaryInterceptor(s.unary), grpc.StreamInterceptor(s.stream)}
	if o.TLS != nil {
		options = append(options, grpc.Creds(credentials.NewTLS(o.TLS)))
	}
	s.grpc = grpc.NewServer(options...)
	flight.RegisterFlightServiceServer(s.grpc, flightsql.NewFlightServer(s))
	served := make(chan error, 1)
	go func() { served <- s.grpc.Serve(listener) }()
	t.Cleanup(func() {
		s.Kill()
		if err := <-served; err != nil {
			t.Errorf("serve: %v", err)
		}
		if err := e.close(); err != nil {
			t.Errorf("close the engine: %v", err)
		}
	})
	return s
}

// URI is where the server listens, without TLS.
func (s *Server) URI() string { return "grpc://" + s.address }

// SecureURI is where it listens, with TLS.
func (s *Server) SecureURI() string { return "grpc+tls://" + s.address }

// Kill ends the server at once, with whatever it works on.
func (s *Server) Kill() { s.grpc.Stop() }

// Running counts the statements that the engine works on for clients.
func (s *Server) Running() int { return int(s.running.Load()) }

// Exec runs statements in the engine, past the protocol.
func (s *Server) Exec(ctx context.Context, sql string) error { return s.engine.exec(ctx, sql) }
