package spark

import (
	"context"
	"sync"
	"time"

	"google.golang.org/grpc"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// Options say where a Spark Connect server is.
type Options struct {
	// URI is sc://host:port, with parameters as Spark's own clients take them:
	// sc://host:443/;use_ssl=true;x-databricks-cluster-id=…
	// With session_id it reads in a session that is there, and sees its temporary
	// views; otherwise it makes one of its own.
	URI string
	// Token is sent as a bearer token.
	Token string
	// CAFile holds the certificates of the authorities that may sign the server's
	// certificate; empty: the system's.
	CAFile string
	// Timeout limits each scan; 0: the request's own time.
	Timeout time.Duration
}

// Spark is a source: one server.
type Spark struct {
	o       Options
	address address
	conn    *grpc.ClientConn

	mu       sync.Mutex
	current  *session
	stopping sync.WaitGroup // what is told to the server in the background
}

var (
	_ source.Printer = (*Spark)(nil)
	_ source.Prober  = (*Spark)(nil)
)

// Open checks the options. It does not connect: a server that is down is an error of
// the requests that need it.
func Open(o Options) (*Spark, error) {
	a, err := parseAddress(o.URI)
	if err != nil {
		return nil, err
	}
	s := &Spark{o: o, address: a}
	if o.Token != "" {
		a.headers.Set("authorization", "Bearer "+o.Token)
	}
	s.conn, err = dial(a, o)
	return s, err
}

func badOption(message, hint string) error {
	return &api.Error{Code: api.CodeConfig, Message: message, Hint: hint}
}

// Dialect is the one that people write predicates in.
func (s *Spark) Dialect() predicate.Dialect { return predicate.DuckDB }

// Printed is what they become.
func (s *Spark) Printed() predicate.Dialect { return predicate.Spark }

// Version returns "": the protocol has no versions of tables.
func (s *Spark) Version(context.Context, source.Relation) (string, error) { return "", nil }

// Probe implements source.Prober. It sets again what the session has set.
func (s *Spark) Probe(ctx context.Context) error {
	return failure(ctx, s.in(ctx, func(at *session) error {
		_, err := s.call(ctx, "Config", at.request(8, configured()))
		return err
	}), true)
}

// Close ends the session, and with it what still runs there.
func (s *Spark) Close() error {
	s.stopping.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.current != nil && s.address.session == "" {
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		_, _ = s.call(ctx, "ReleaseSession", s.current.request(0))
	}
	return s.conn.Close()
}
