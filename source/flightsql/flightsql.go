package flightsql

import (
	"context"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/flight"
	"github.com/apache/arrow-go/v18/arrow/flight/flightsql"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"google.golang.org/grpc"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say where an engine is and which dialect it speaks.
type Options struct {
	// URI is grpc+tls://host:port, or grpc://host:port without TLS.
	URI string
	// Dialect is the language of the engine: predicate.DuckDB (the default) or
	// predicate.Postgres.
	Dialect predicate.Dialect
	// Token is sent as a bearer token. User and Password are exchanged for a token
	// if the engine offers that, and otherwise sent with every call. Set Token, or
	// User and Password, or nothing if the engine asks for no credentials.
	Token          string
	User, Password string
	// CAFile holds the certificates of the authorities that may sign the engine's
	// certificate; empty: the system's.
	CAFile string
	// Timeout limits each statement; 0: the request's own time.
	Timeout time.Duration
}

// maxMessage limits the size of one message from the engine. Batches are the
// largest.
const maxMessage = 256 << 20

// FlightSQL is a source: one engine.
type FlightSQL struct {
	o      Options
	conn   *grpc.ClientConn
	client *flightsql.Client
	flight flight.Client

	mu    sync.Mutex
	token string // what User and Password were exchanged for, as a header
}

var _ source.Source = (*FlightSQL)(nil)

// Open checks the options. It does not connect: an engine that is down is an
// error of the requests that need it.
func Open(o Options) (*FlightSQL, error) {
	if o.Dialect == "" {
		o.Dialect = predicate.DuckDB
	}
	if gates[o.Dialect] == nil {
		return nil, badOption("the dialect of a Flight SQL source is duckdb or postgres", "")
	}
	if o.Token != "" && o.User != "" {
		return nil, badOption("a Flight SQL source has a token or a user, not both", "")
	}
	conn, err := dial(o)
	if err != nil {
		return nil, err
	}
	cl := flight.NewClientFromConn(conn, nil)
	return &FlightSQL{o: o, conn: conn, flight: cl, client: &flightsql.Client{Client: cl, Alloc: memory.DefaultAllocator}}, nil
}

func badOption(message, hint string) error {
	return &api.Error{Code: api.CodeConfig, Message: message, Hint: hint}
}

// Dialect is the configured one.
func (f *FlightSQL) Dialect() predicate.Dialect { return f.o.Dialect }

// Version returns "": the protocol has no versions of tables.
func (f *FlightSQL) Version(context.Context, source.Relation) (string, error) { return "", nil }

// Close ends the connection; readers that are still open end with an error.
func (f *FlightSQL) Close() error { return f.conn.Close() }
