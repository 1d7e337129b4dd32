package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
)

// These tests drive the routes over real connections, with a service whose
// answers each test writes itself.

const (
	userToken  = "token-of-a-user"
	adminToken = "token-of-an-admin"
)

// testService answers with what its functions return; one that is nil answers
// with something harmless.
type testService struct {
	testAdmin
	tables   func(context.Context) (*api.TableList, error)
	schema   func(context.Context, string) (*api.TableSchema, error)
	sample   func(context.Context, string, int) (*api.Sample, error)
	estimate func(context.Context, api.ScanRequest) (*api.Estimate, error)
	scan     func(context.Context, api.ScanRequest) (*api.Stream, error)
	query    func(context.Context, api.QueryRequest) (*api.Stream, error)
	refresh  func(context.Context) error
	access   string
}

func (s *testService) Tables(ctx context.Context) (*api.TableList, error) {
	if s.tables == nil {
		return &api.TableList{Tables: []api.Table{}}, nil
	}
	return s.tables(ctx)
}

func (s *testService) SemanticModel(context.Context) (*api.SemanticModel, error) {
	return &api.SemanticModel{Tables: []api.SemanticTable{}, Metrics: []api.Metric{}}, nil
}

func (s *testService) Known(context.Context) (*api.Known, error) {
	return &api.Known{Questions: []api.SavedQuestion{}, Notes: []api.Note{}}, nil
}

func (s *testService) SavedQuestion(_ context.Context, name string) (*api.SavedQuestion, error) {
	return &api.SavedQuestion{NewQuestion: api.NewQuestion{Name: name}}, nil
}

func (s *testService) SaveQuestion(_ context.Context, q api.NewQuestion) (*api.SavedQuestion, error) {
	return &api.SavedQuestion{NewQuestion: q}, nil
}

func (s *testService) ApproveQuestion(ctx context.Context, name string, _ api.NewApproval) (*api.SavedQuestion, error) {
	return s.SavedQuestion(ctx, name)
}

func (s *testService) DropQuestion(context.Context, string) error { return nil }

func (s *testService) PutNote(_ context.Context, n api.Note) (*api.Note, error) { return &n, nil }

func (s *testService) DropNote(context.Context, string) error { return nil }

func (s *testService) Schema(ctx context.Context, id string) (*api.TableSchema, error) {
	if s.schema == nil {
		return &api.TableSchema{TableID: id, SQLFlavor: "duckdb"}, nil
	}
	return s.schema(ctx, id)
}

func (s *testService) Sample(ctx context.Context, id string, n int) (*api.Sample, error) {
	if s.sample == nil {
		return &api.Sample{TableID: id, Rows: []api.Row{}}, nil
	}
	return s.sample(ctx, id, n)
}

func (s *testService) Estimate(ctx context.Context, req api.ScanRequest) (*api.Estimate, error) {
	if s.estimate == nil {
		return &api.Estimate{TableID: req.TableID}, nil
	}
	return s.estimate(ctx, req)
}

func (s *testService) Scan(ctx context.Context, req api.ScanRequest) (*api.Stream, error) {
	if s.scan == nil {
		return streamOf(batchOf(0, 3)), nil
	}
	return s.scan(ctx, req)
}

func (s *testService) Query(ctx context.Context, req api.QueryRequest) (*api.Stream, error) {
	if s.query == nil {
		return streamOf(batchOf(0, 3)), nil
	}
	return s.query(ctx, req)
}

func (s *testService) Search(_ context.Context, req api.SearchRequest) (*api.SearchResult, error) {
	return &api.SearchResult{Query: req.Query, Hits: []api.SearchHit{}}, nil
}

func (s *testService) Dashboards(context.Context) ([]api.Dashboard, error) { return nil, nil }

func (s *testService) TableJoins(context.Context, string) (*api.TableJoins, error) {
	return &api.TableJoins{}, nil
}

func (s *testService) TablePage(context.Context, api.TablePageRequest) (*api.PageTables, error) {
	return &api.PageTables{Tables: []api.PageTable{}}, nil
}

func (s *testService) Manifest(context.Context) (*api.SyncManifest, error) {
	return &api.SyncManifest{Tables: []api.SyncTable{}, Failed: []api.SyncFailure{}}, nil
}

func (s *testService) LocalTable(_ context.Context, id string) (*api.SyncTable, error) {
	return &api.SyncTable{TableID: id, Bytes: int64(len(testFile)), XXH3: "0123"}, nil
}

// testFile is the content of every synced table.
const testFile = "PAR1 and PAR1"

func (s *testService) TableData(_ context.Context, _ api.SyncTable, from, n int64) (io.ReadCloser, error) {
	return io.NopCloser(strings.NewReader(testFile[from : from+n])), nil
}

func (s *testService) Whoami(context.Context) (*api.Identity, error) {
	return &api.Identity{User: "una"}, nil
}

func (s *testService) RefreshCaches(ctx context.Context) error {
	if s.refresh == nil {
		return nil
	}
	return s.refresh(ctx)
}

func (s *testService) PriceQuery(context.Context, api.QueryRequest) (*api.QueryPrice, error) {
	return &api.QueryPrice{Tables: []string{"orders"}}, nil
}

// service is what a backend answers everybody.
type service interface {
	Data() api.Data
	Administration() api.Administration
}

func (s *testService) Data() api.Data {
	return api.Data{Catalog: s, TablePager: s, Searcher: s, Modeler: s, Knower: s, Scanner: s, Querier: s, QueryPricer: s, Syncer: s, Identifier: s, Meter: s}
}

func (s *testService) Administration() api.Administration {
	return api.Administration{
		CacheAdmin: s, SourceAdmin: s, HealthAdmin: s, UserAdmin: s, GroupAdmin: s,
		TokenAdmin: s, GrantAdmin: s, TableAdmin: s, AuditAdmin: s, DashboardAdmin: s, RunAdmin: s, ViewAdmin: s,
	}
}

func (s *testService) Health(context.Context) ([]api.HealthCheck, error) {
	return []api.HealthCheck{{Name: "disk", Status: api.CheckOK, Says: "1 TB free below state_dir"}}, nil
}

type testBackend struct{ service service }

func (b testBackend) Ready(context.Context) error { return nil }

func (b testBackend) Authenticate(_ context.Context, token string) (core.Principal, error) {
	switch token {
	case userToken:
		return core.Principal{User: "una"}, nil
	case adminToken:
		return core.Principal{User: "adam", Admin: true}, nil
	}
	return core.Principal{}, &api.Error{Code: api.CodeUnauthorized, Message: "the token is not valid"}
}

func (b testBackend) Data(core.Principal) api.Data { return b.service.Data() }

func (b testBackend) Administration(core.Principal) api.Administration {
	return b.service.Administration()
}

func (b testBackend) Access(context.Context, core.Principal) (string, error) {
	if s, ok := b.service.(*testService); ok {
		return s.access, nil
	}
	return "", nil
}

func (b testBackend) Left(context.Context, core.Principal) api.Remaining { return api.Remaining{} }

func (b testBackend) Answered(string, string, int, time.Duration) {}

func (b testBackend) Metrics() []byte { return nil }

func (b testBackend) SignIn(ctx context.Context, _ core.Origin, token, browser string) (*api.CreatedSignIn, error) {
	who, err := b.Authenticate(ctx, token)
	if err != nil {
		return nil, err
	}
	return &api.CreatedSignIn{SignIn: api.SignIn{ID: "1", User: who.User, Browser: browser}, Key: "key", Cookie: "cookie"}, nil
}

func (b testBackend) SignedIn(_ context.Context, cookie, key string) (core.Principal, error) {
	if cookie != "cookie" || key != "key" {
		return core.Principal{}, &api.Error{Code: api.CodeUnauthorized, Message: "this browser is not signed in"}
	}
	return core.Principal{User: "una", SignIn: "1"}, nil
}

func (b testBackend) SignInAs(context.Context, core.Origin, string, string) (*api.CreatedSignIn, error) {
	return nil, errNoRoute
}
func (b testBackend) RefuseSignIn(_ context.Context, _ core.Origin, err error) error { return err }
func (b testBackend) ClaimSignIn(context.Context, string) (*api.CreatedSignIn, error) {
	return nil, errNoRoute
}
func (b testBackend) SignIns(core.Principal) api.SignInKeeper { return testSignIns{} }
func (b testBackend) Entry() string                           { return EntryToken }

func (b testBackend) BeginDevice(context.Context, string, string) (*api.DeviceCodes, error) {
	return &api.DeviceCodes{}, nil
}
func (b testBackend) PollDevice(context.Context, core.Origin, string) (*api.CreatedToken, error) {
	return &api.CreatedToken{}, nil
}
func (b testBackend) Devices(core.Principal) api.DeviceKeeper { return testDevices{} }

// testDevices has no machine that waits.
type testDevices struct{}

func (testDevices) Device(context.Context, string, string) (*api.Device, error) {
	return nil, errNoRoute
}
func (testDevices) AnswerDevice(context.Context, api.DeviceAnswer) error { return nil }
func (testDevices) OwnTokens(context.Context) ([]api.Token, error)       { return []api.Token{}, nil }
func (testDevices) EndOwnToken(context.Context, string) error            { return nil }

// testSignIns are none.
type testSignIns struct{}

func (testSignIns) SignIns(context.Context, bool) ([]api.SignIn, error) { return []api.SignIn{}, nil }
func (testSignIns) EndSignIn(context.Context, string) error             { return nil }

// testDoor answers everybody alike.
var testDoor = Door{Path: "/mcp", Gives: "nothing", About: "A door of tests.",
	Serve: func(_ api.Data, w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }}

// logBuffer collects log lines from all goroutines.
type logBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// served is a handler on a real port.
type served struct {
	*httptest.Server
	log *logBuffer
}

// serveTest serves s; adjust may change the handler's bounds.
func serveTest(t *testing.T, s service, adjust ...func(*router)) served {
	t.Helper()
	log := &logBuffer{}
	h := newHandler(testBackend{s}, slog.New(slog.NewTextHandler(log, nil)), testDoor)
	for _, f := range adjust {
		f(h)
	}
	srv := httptest.NewServer(h)
	t.Cleanup(func() {
		srv.CloseClientConnections() // a test that failed may have left some in use
		srv.Close()
	})
	return served{srv, log}
}

// ask sends a request with an admin's token and reads the whole answer.
func (s served) ask(t *testing.T, method, path, body string, header ...string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+adminToken)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Del(header[i])
		if header[i+1] != "" {
			req.Header.Set(header[i], header[i+1])
		}
	}
	res, err := s.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res, string(data)
}

// errorOf reads an error envelope.
func errorOf(t *testing.T, body string) api.ErrorBody {
	t.Helper()
	var e api.ErrorBody
	dec := json.NewDecoder(strings.NewReader(body))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&e); err != nil {
		t.Fatalf("no error envelope: %q", body)
	}
	return e
}

func testSchema() *arrow.Schema {
	return arrow.NewSchema([]arrow.Field{
		{Name: "n", Type: arrow.PrimitiveTypes.Int64},
		{Name: "s", Type: arrow.BinaryTypes.String, Nullable: true},
	}, nil)
}

// batchOf makes n rows, numbered from from.
func batchOf(from, n int) arrow.RecordBatch {
	b := array.NewRecordBuilder(memory.DefaultAllocator, testSchema())
	defer b.Release()
	for i := from; i < from+n; i++ {
		b.Field(0).(*array.Int64Builder).Append(int64(i))
		b.Field(1).(*array.StringBuilder).Append("some text that fills a row")
	}
	return b.NewRecordBatch()
}

// steps is a reader of batches whose every step a test decides: a batch, the
// end (nil, nil), or an error.
type steps struct {
	next func(i int) (arrow.RecordBatch, error)
	i    int
	cur  arrow.RecordBatch
	err  error
	rows int64
	busy atomic.Bool // a Next is running
}

func (s *steps) Retain()                        {}
func (s *steps) Release()                       {}
func (s *steps) Schema() *arrow.Schema          { return testSchema() }
func (s *steps) RecordBatch() arrow.RecordBatch { return s.cur }
func (s *steps) Record() arrow.RecordBatch      { return s.cur }
func (s *steps) Err() error                     { return s.err }

func (s *steps) Next() bool {
	s.busy.Store(true)
	defer s.busy.Store(false)
	s.cur, s.err = s.next(s.i)
	s.i++
	if s.cur != nil {
		s.rows += s.cur.NumRows()
	}
	return s.cur != nil
}

var asOf = time.Date(2024, 2, 29, 12, 0, 0, 123456000, time.UTC)

// streamFrom makes a stream of steps, with a truthful end record.
func streamFrom(next func(i int) (arrow.RecordBatch, error)) *api.Stream {
	s := &steps{next: next}
	return &api.Stream{
		EffectiveAsOf: asOf,
		Batches:       s,
		End:           func() api.End { return api.End{Rows: s.rows, Bytes: 77} },
	}
}

func streamOf(batches ...arrow.RecordBatch) *api.Stream {
	return streamFrom(func(i int) (arrow.RecordBatch, error) {
		if i < len(batches) {
			return batches[i], nil
		}
		return nil, nil
	})
}

// soon fails the test if c is not closed, or sent to, within a minute: what waits
// for a client that has gone would wait for ever.
func soon[T any](t *testing.T, c <-chan T, what string) (v T) {
	t.Helper()
	select {
	case v = <-c:
	case <-time.After(time.Minute):
		t.Fatalf("not within a minute: %s", what)
	}
	return v
}
