package bqtest

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Where all tables lie.
const (
	Project = "test-project"
	Dataset = "web"
)

// Server is a BigQuery. Its methods may be called at any time, from any
// goroutine.
type Server struct {
	// URL is the REST API's, Storage the host and port of the Storage API's.
	URL, Storage string

	db   *duckdb.DB
	rest *httptest.Server
	grpc *grpc.Server
	stop context.CancelFunc
	ctx  context.Context // of all jobs

	mu       sync.Mutex
	made     int
	tables   map[string]*stored
	results  map[string]*stored
	jobs     map[string]*job
	sessions map[string]*readSession
	streams  int // open
	denied   map[string]bool
	refused  []string
	seen     []Job
	calls    map[string]int
	breaks   []Break
	hold     chan struct{}
	kept     map[string][]message // nil: nothing is kept
	down     bool
	views    bool
}

// Break is a stream of rows that ends before its end.
type Break struct {
	AfterRows int64 // of those that it should bring
	Code      codes.Code
}

// Open starts a server that ends with the test.
func Open(t testing.TB) *Server {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: "2GB", TempDir: t.TempDir(), PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{db: db, tables: map[string]*stored{}, results: map[string]*stored{}, jobs: map[string]*job{},
		sessions: map[string]*readSession{}, denied: map[string]bool{}, calls: map[string]int{}}
	s.ctx, s.stop = context.WithCancel(context.Background())
	for _, sql := range setup {
		if err := s.with(s.ctx, func(c *duckdb.Conn) error { return c.Exec(s.ctx, sql) }); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s.grpc = grpc.NewServer()
	storagepb.RegisterBigQueryReadServer(s.grpc, &storageAPI{s: s})
	go func() { _ = s.grpc.Serve(l) }() // until Stop
	s.rest = httptest.NewServer(s.routes())
	s.URL, s.Storage = s.rest.URL, l.Addr().String()
	t.Cleanup(func() {
		s.Kill()
		if err := s.db.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

// setup are what GoogleSQL means where the engine's own functions mean
// something else.
var setup = []string{
	"SET GLOBAL TimeZone = 'UTC'",
	"CREATE MACRO bq_eq(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN isnan(a) OR isnan(b) THEN false ELSE a = b END",
	"CREATE MACRO bq_ne(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN isnan(a) OR isnan(b) THEN true ELSE a <> b END",
	"CREATE MACRO bq_lt(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN isnan(a) OR isnan(b) THEN false ELSE a < b END",
	"CREATE MACRO bq_le(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN isnan(a) OR isnan(b) THEN false ELSE a <= b END",
	"CREATE MACRO bq_div(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN b = 0 THEN error('division by zero') ELSE a / b END",
	"CREATE MACRO bq_mod(a, b) AS CASE WHEN a IS NULL OR b IS NULL THEN NULL WHEN b = 0 THEN error('division by zero: MOD') ELSE a % b END",
	"CREATE MACRO bq_floordiv(a, b) AS (a - ((a % b) + b) % b) // b",
	"CREATE MACRO bq_exp(a) AS CASE WHEN isinf(exp(a)) AND NOT isinf(a) THEN error('Floating point error in function: EXP') ELSE exp(a) END",
	"CREATE MACRO bq_pow(a, b) AS CASE WHEN isinf(pow(a, b)) AND NOT isinf(a) AND NOT isinf(b) THEN error('Floating point error in function: POWER') ELSE pow(a, b) END",
	"CREATE MACRO bq_numeric(a) AS TRY_CAST(CAST(a AS VARCHAR) AS DECIMAL(38,9))",
	"CREATE MACRO bq_sign(a) AS CASE WHEN a IS NULL THEN NULL WHEN a > 0 THEN 1 WHEN a < 0 THEN -1 ELSE 0 END",
}

// Kill ends the server at once, as a crash would.
func (s *Server) Kill() {
	s.mu.Lock()
	down := s.down
	s.down = true
	s.mu.Unlock()
	if down {
		return
	}
	s.Release()
	s.stop()
	s.rest.CloseClientConnections()
	s.grpc.Stop()
	s.rest.Close()
}

// Deny lets nobody read the table.
func (s *Server) Deny(table string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.denied[Project+"."+Dataset+"."+table] = true
}

// TellViews makes dry runs tell views, too, beside the tables below them.
func (s *Server) TellViews() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.views = true
}

func (s *Server) tellsViews() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.views
}

// BreakStreams breaks the next streams that are opened, one each.
func (s *Server) BreakStreams(breaks ...Break) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.breaks = append(s.breaks, breaks...)
}

// Hold keeps all streams silent behind their first batch until Release.
func (s *Server) Hold() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hold = make(chan struct{})
}

// Release lets streams go on.
func (s *Server) Release() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hold != nil {
		close(s.hold)
		s.hold = nil
	}
}

// Keep makes the server keep what it has sent of a stream and send it again
// from memory, so that a measurement is of the one who reads.
func (s *Server) Keep() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept = map[string][]message{}
}

// Running counts the jobs and the streams that the server works on.
func (s *Server) Running() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := s.streams
	for _, j := range s.jobs {
		if !j.over() {
			n++
		}
	}
	return n
}

// Jobs are the jobs that were asked for, dry runs too.
func (s *Server) Jobs() []Job {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.seen)
}

// Refused are the statements that the server could not run, with the reason:
// what a test that sends them does not show.
func (s *Server) Refused() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.refused)
}

// Calls counts the calls of a method, as in "tables.get".
func (s *Server) Calls(method string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.calls[method]
}

func (s *Server) count(method string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[method]++
}

// refusal is an error of the service's.
type refusal struct {
	status          int
	reason, message string
}

func (r *refusal) Error() string { return r.message }

var grpcCodes = map[int]codes.Code{http.StatusForbidden: codes.PermissionDenied, http.StatusNotFound: codes.NotFound, http.StatusBadRequest: codes.InvalidArgument}

func (r *refusal) grpc() error { return status.Error(grpcCodes[r.status], r.message) }
