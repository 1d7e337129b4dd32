package httpapi

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/server/core"
)

// fileOf stores the file that a service sends.
func fileOf(t *testing.T, svc api.Filer, req api.FileRequest) (path string, end api.End, err error) {
	t.Helper()
	f, err := svc.ScanFile(t.Context(), req)
	if err != nil {
		return "", api.End{}, err
	}
	defer f.Close()
	if f.Data == nil {
		t.Fatal("the rows came in another form")
	}
	data, err := io.ReadAll(f.Data)
	if err != nil {
		return "", api.End{}, err
	}
	end = f.End()
	if rows, size := f.Progress(); rows != end.Rows || size < end.Bytes {
		t.Errorf("progress ends with %d rows of %d, %d bytes of %d", rows, end.Rows, size, end.Bytes)
	}
	path = filepath.Join(t.TempDir(), "file.parquet")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, end, nil
}

// fileAnswer reads a file's rows as sorted texts.
func fileAnswer(t *testing.T, svc api.Filer, req api.FileRequest) ([]string, error) {
	t.Helper()
	path, end, err := fileOf(t, svc, req)
	if err != nil {
		return nil, err
	}
	_, rows := readParquetFile(t, path)
	if end.Rows != int64(len(rows)) {
		t.Errorf("the end record has %d rows, the file %d", end.Rows, len(rows))
	}
	return rows, nil
}

// typesSQL has a column for each type that a file holds in a way of its own.
const typesSQL = `SELECT (i % 100)::TINYINT a, i::SMALLINT b, i::INTEGER c, i::BIGINT d, i::HUGEINT e, (i % 200)::UTINYINT f, i::USMALLINT g,
	i::UINTEGER h, i::UBIGINT j, i::FLOAT k, i::DOUBLE l, i % 2 = 0 AS m, i::DECIMAL(5,1) n, i::DECIMAL(12,2) o, i::DECIMAL(30,3) p,
	DATE '2024-01-01' + i::INTEGER q, TIME '10:00' + to_microseconds(i) r, TIMESTAMP '2024-01-01' + to_microseconds(i) s,
	TIMESTAMPTZ '2024-01-01 00:00:00+00' + to_microseconds(i) t, TIMESTAMP_NS '2024-01-01' u, 'text ' || i AS v, ('x' || i)::BLOB w,
	md5('x' || i)::UUID x, to_days(i::INTEGER) y, [i, NULL] z, {'a': i, 'b': [{'c': 'x'}]} aa, MAP {'k': i} ab,
	CASE WHEN i % 3 = 0 THEN i END ac FROM range(3000) t(i)`

// TestFilesAreWhatFetchesWrote has random requests answered in both ways: the
// file of the server, and rows that the client writes, as of old. They are the
// same row for row, type for type, with the same end.
func TestFilesAreWhatFetchesWrote(t *testing.T) {
	dir := t.TempDir()
	enginetest.Parquet(t, filepath.Join(dir, "types.parquet"), typesSQL)
	c := openCore(t, dir, `
api: { scan: { max_limit: 2000 } }
sources: { files: { type: lake, root: . } }
tables: [{ id: types, source: files, path: types.parquet, public: true }]
`)
	srv := httptest.NewServer(newHandler(c, slog.New(slog.DiscardHandler), testDoor))
	defer srv.Close()
	s := &staffServer{t: t, core: c, url: srv.URL}
	far := s.over(s.user("una"))
	schema, err := far.Schema(t.Context(), "types")
	if err != nil {
		t.Fatal(err)
	}
	conn := enginetest.Conn(t)
	for round := range uint64(25) {
		rnd := rand.New(rand.NewPCG(7, round))
		req := api.ScanRequest{TableID: "types", Where: fmt.Sprintf("d %% %d = 0", 1+rnd.IntN(5))}
		for _, col := range schema.Columns {
			if rnd.IntN(3) > 0 || round == 0 {
				req.Select = append(req.Select, col.Name)
			}
		}
		if rnd.IntN(2) == 0 {
			n := int64(rnd.IntN(1000))
			req.Limit = &n
			req.OrderBy = []string{"d"}
		}
		file, end, err := fileOf(t, far, api.FileRequest{Scan: req, Codec: api.FileZstd})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := far.Scan(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		old := filepath.Join(t.TempDir(), "old.parquet")
		if _, err := conn.WriteParquet(t.Context(), old, rows.Batches); err != nil {
			t.Fatal(err)
		}
		if was := rows.End(); was.Rows != end.Rows || was.Bytes != end.Bytes || was.Truncated != end.Truncated || was.Cap != end.Cap {
			t.Errorf("%+v: the end was %+v and is %+v", req, was, end)
		}
		rows.Close()
		if got, want := contents(t, conn, file), contents(t, conn, old); got != want && !end.Truncated { // without an order, other rows may be cut
			t.Errorf("%+v:\n got %s\nwant %s", req, got, want)
		}
	}
}

// contents describes a file's columns, and all its rows without their order.
func contents(t *testing.T, conn *duckdb.Conn, path string) string {
	t.Helper()
	file := "read_parquet(" + duckdb.Literal(path) + ")"
	cols, err := conn.Describe(t.Context(), "SELECT * FROM "+file)
	if err != nil {
		t.Fatal(err)
	}
	var sum string
	if err := conn.QueryRow(t.Context(), "SELECT count(*) || ' rows, ' || coalesce(sum(hash(r)), 0) FROM "+file+" r", nil, &sum); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(cols, sum)
}

// TestAnOlderServerSendsRows: one that does not know files passes over what it is
// asked for.
func TestAnOlderServerSendsRows(t *testing.T) {
	s := newStaffServer(t, "{}")
	token := s.user("una")
	s.grant(api.NewGrant{User: "una", TableID: "staff"})
	older := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Accept")
		newHandler(s.core, slog.New(slog.DiscardHandler), testDoor).ServeHTTP(w, r)
	}))
	defer older.Close()
	c, err := client.New(client.Options{URL: older.URL, Token: token})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f, err := c.ScanFile(t.Context(), api.FileRequest{Scan: api.ScanRequest{TableID: "staff"}})
	if err != nil || f.Data != nil {
		t.Fatalf("%+v, %v", f, err)
	}
	if rows, err := rowsOf(f.Stream); rows != int64(len(makeStaff())) || err != nil {
		t.Errorf("%d rows, %v", rows, err)
	}
}

// filing answers scans with files made by hand.
type filing struct {
	*testService
	file func(context.Context) (*api.File, error)
}

func (s filing) ScanFile(ctx context.Context, _ api.FileRequest) (*api.File, error) {
	return s.file(ctx)
}

func (filing) ForgetFile(context.Context, string) error { return nil }

func (s filing) Data() api.Data {
	d := s.testService.Data()
	d.Filer = s
	return d
}

func fileFrom(data io.Reader, closed func()) *api.File {
	s := streamOf()
	s.Batches, s.CloseFunc = api.NoRows(testSchema()), closed
	return &api.File{Stream: s, Data: data, Progress: func() (rows, bytes int64) { return 0, 0 }}
}

func askFile(t *testing.T, ctx context.Context, s served) (*http.Response, error) {
	t.Helper()
	req, err := http.NewRequestWithContext(ctx, "POST", s.URL+"/api/v2/scan", strings.NewReader(sound["/api/v2/scan"]))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+userToken)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", wire.AcceptFile(api.FileSnappy, wire.ContentType))
	return s.Client().Do(req)
}

// TestAFileThatBreaksOffIsACut: what goes wrong behind the first byte must not
// look like an end.
func TestAFileThatBreaksOffIsACut(t *testing.T) {
	closed := make(chan struct{})
	s := serveTest(t, filing{&testService{}, func(context.Context) (*api.File, error) {
		return fileFrom(io.MultiReader(strings.NewReader("PAR1"), failing{}), func() { close(closed) }), nil
	}})
	res, err := askFile(t, t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err == nil || res.Header.Get("Content-Type") != wire.FileType || bytes.Contains(body, []byte(`"rows"`)) {
		t.Errorf("%s ended with %v: %q", res.Header.Get("Content-Type"), err, body)
	}
	soon(t, closed, "the file is closed")
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, fmt.Errorf("the disk is gone") }

// TestAClientThatLeavesAFileStopsTheWork leaves before the file has begun, and
// while it is silent.
func TestAClientThatLeavesAFileStopsTheWork(t *testing.T) {
	for _, stage := range []string{"before", "within"} {
		reached, stopped := make(chan struct{}), make(chan struct{})
		s := serveTest(t, filing{&testService{}, func(ctx context.Context) (*api.File, error) {
			if stage == "before" {
				close(reached)
				<-ctx.Done()
				close(stopped)
				return nil, ctx.Err()
			}
			from, to := io.Pipe()
			go func() {
				_, _ = io.WriteString(to, "PAR1")
				close(reached)
			}()
			return fileFrom(from, func() { _ = from.Close(); close(stopped) }), nil
		}})
		ctx, leave := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			if res, err := askFile(t, ctx, s); err == nil {
				_, _ = io.Copy(io.Discard, res.Body)
				_ = res.Body.Close()
			}
		}()
		soon(t, reached, stage+": the work begins")
		leave()
		soon(t, stopped, stage+": the work stops")
		<-done
	}
}

// TestCapsOfFilesAreThoseOfScans: one row beyond a cap is looked for, and what is
// read counts for the quota as rows do.
func TestCapsOfFilesAreThoseOfScans(t *testing.T) {
	for _, n := range []int{119, 120, 121} {
		s := newStaffServer(t, fmt.Sprintf("{ max_limit: %d }", n))
		c := s.over(s.user("una"))
		s.grant(api.NewGrant{User: "una", TableID: "staff"})
		_, end, err := fileOf(t, c, api.FileRequest{Scan: api.ScanRequest{TableID: "staff"}})
		if err != nil || end.Truncated != (n < 120) || end.Rows != int64(min(n, 120)) {
			t.Errorf("max_limit %d: %+v, %v", n, end, err)
		}
		q, err := c.Quota(t.Context())
		if err != nil || q.ResultBytes != end.Bytes || q.Running != 0 {
			t.Errorf("max_limit %d: %+v, %v; %d bytes were sent", n, q, err, end.Bytes)
		}
		events, err := s.core.As(core.LocalAdmin).Audit(t.Context(), api.AuditQuery{})
		if err != nil || !slices.ContainsFunc(events, func(e api.AuditEvent) bool {
			return e.EventType == api.EventScan && e.Data.ResultRows != nil && *e.Data.ResultRows == end.Rows
		}) {
			t.Errorf("max_limit %d: the audit has %+v, %v", n, events, err)
		}
	}
}

// TestSlowClientsHoldNoMemory: two clients that have asked for a file and read
// nothing of it do not keep a third one out, with memory for one writing engine.
func TestSlowClientsHoldNoMemory(t *testing.T) {
	dir := t.TempDir()
	enginetest.Parquet(t, filepath.Join(dir, "big.parquet"), "SELECT i AS id, md5('x' || i) AS name FROM range(20000) t(i)")
	c := openCore(t, dir, `
limits: { memory: 600MB }
api: { scan: { request_timeout_seconds: 60 } }
sources: { files: { type: lake, root: . } }
tables: [{ id: big, source: files, path: big.parquet }]
`)
	svc := c.As(core.LocalAdmin)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second) // a slot is waited for longer
	defer cancel()
	for range 2 {
		slow, err := svc.ScanFile(ctx, api.FileRequest{Scan: api.ScanRequest{TableID: "big"}})
		if err != nil {
			t.Fatal(err)
		}
		defer slow.Close()
		if _, err := io.ReadFull(slow.Data, make([]byte, 4)); err != nil || slow.Tag != "" {
			t.Errorf("tag %q, %v", slow.Tag, err)
		}
	}
	path, end, err := fileOf(t, svc, api.FileRequest{Scan: api.ScanRequest{TableID: "big"}})
	if err != nil || end.Rows != 20_000 {
		t.Fatalf("the third: %+v, %v", end, err)
	}
	if _, rows := readParquetFile(t, path); len(rows) != 20_000 {
		t.Errorf("%d rows arrived", len(rows))
	}
	left, err := filepath.Glob(filepath.Join(dir, "state", "kept", "*", "*"))
	if err != nil || len(left) != 2 {
		t.Errorf("on the disk: %v, %v", left, err)
	}
}
