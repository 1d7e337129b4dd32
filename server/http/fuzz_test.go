package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/fault"
)

// fuzzed is a server that random requests are sent to, as a user with a part of
// a table and as an admin.
type fuzzed struct {
	*staffServer
	log    *logBuffer
	routes http.Handler
	tokens [2]string
}

func newFuzzed(t testing.TB) *fuzzed {
	s := newStaffServer(t, "{ max_limit: 100, request_timeout_seconds: 5, max_daily_bytes_per_user: 100000000000000, max_session_bytes: 0 }")
	f := &fuzzed{staffServer: s, log: &logBuffer{}}
	f.routes = newHandler(s.core, slog.New(slog.NewTextHandler(f.log, nil)))
	f.tokens = [2]string{s.user("fay"), s.admin()}
	s.grant(api.NewGrant{User: "fay", TableID: "staff", Columns: []string{"id", "name"}, Rows: "team = 'a'"})
	return f
}

// send sends one request and checks what no answer may be.
func (f *fuzzed) send(t *testing.T, as byte, method, path, body string) {
	t.Helper()
	req, err := http.NewRequest(method, "http://server/"+strings.TrimPrefix(path, "/"), bytes.NewReader([]byte(body)))
	if err != nil {
		return // no client can send it
	}
	req.RemoteAddr = "192.0.2.1:1"
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+f.tokens[int(as)%2])
	rec := httptest.NewRecorder()
	aborted := fault.Catch(func() error { f.routes.ServeHTTP(rec, req); return nil })
	res := rec.Result()
	data, _ := io.ReadAll(res.Body)
	if res.StatusCode == http.StatusInternalServerError || res.StatusCode == http.StatusBadGateway && as%2 == 0 || strings.Contains(f.log.String(), "panic") {
		t.Fatalf("%s %q with %q: %d %s\n%s", method, path, body, res.StatusCode, data, f.log.String())
	}
	f.log.mu.Lock()
	f.log.b.Reset()
	f.log.mu.Unlock()
	if aborted != nil {
		return // rows had gone out already
	}
	switch kind, _, _ := strings.Cut(res.Header.Get("Content-Type"), ";"); {
	case res.StatusCode == http.StatusNoContent || method == http.MethodHead:
	case res.StatusCode >= 300 && res.StatusCode < 400: // a path that is not clean
	case kind == wire.ContentType:
		s, err := wire.Decode(io.NopCloser(bytes.NewReader(data)))
		if err != nil {
			t.Fatalf("%s %q with %q: %v", method, path, body, err)
		}
		defer s.Close()
		for s.Batches.Next() {
		}
		if err := s.Batches.Err(); err != nil {
			t.Fatalf("%s %q with %q: %v", method, path, body, err)
		}
	case kind == "application/json":
		if !json.Valid(data) {
			t.Fatalf("%s %q with %q: %s", method, path, body, data)
		}
		var e api.ErrorBody
		if res.StatusCode >= 400 && (json.Unmarshal(data, &e) != nil || e.Code == "" || e.Message == "" || e.RequestID == "") {
			t.Fatalf("%s %q with %q: %d %s", method, path, body, res.StatusCode, data)
		}
	case res.StatusCode == 200 && strings.HasPrefix(path, "/metrics"), kind == "text/plain", kind == "application/vnd.apache.parquet":
	default:
		t.Fatalf("%s %q with %q: %d of type %q", method, path, body, res.StatusCode, kind)
	}
	// A field of a body is quoted back at most; hidden cells never are.
	if as%2 == 0 && (bytes.Contains(data, []byte(`"pay"`)) && !strings.Contains(body+path, "pay") || bytes.Contains(data, []byte("n12"))) {
		t.Fatalf("%s %q with %q shows what is hidden: %s", method, path, body, data)
	}
}

// FuzzEndpoints sends anything to every endpoint. Its seeds also run as a test;
// for a campaign: go test -fuzz FuzzEndpoints -fuzztime 30m ./server/http
func FuzzEndpoints(f *testing.F) {
	for _, r := range routes() {
		path := anyPath.ReplaceAllString(r.path, "staff")
		for _, body := range []string{sound[r.path], "", "{}", "[]", `{"table_id":"staff","where":"id > 3 AND name LIKE '1%'","select":["id"],"order_by":["id DESC"],"limit":5}`,
			`{"sql":"SELECT count(*), max(name) FROM staff WHERE id > 3 GROUP BY ALL"}`, `{"table_id":"staff","limit":-1}`} {
			f.Add(byte(0), r.method, path, body)
			f.Add(byte(1), r.method, path, body)
		}
	}
	for _, path := range []string{"/api/v2/schema/%00", "/api/v2/schema/..%2f..%2f", "/api/v2/sample/staff?n=0", "/api/v2/sample/staff?n=100&n=1", "/api/v2/sample/staff?%zz",
		"//api/v2/catalog", "/api/v2/catalog?x=1", "/api/admin/audit?since=now&limit=-1", "/api/admin/grants/99999999999999999999", "/api/v2/schema/" + strings.Repeat("a", 5000)} {
		f.Add(byte(1), http.MethodGet, path, "")
	}
	for _, where := range []string{"((((", "'", "x = 1 -- y", "id = 1; DROP TABLE staff", "id IN (SELECT 1)", strings.Repeat("(", 500), strings.Repeat("NOT ", 300) + "true", "\\u0000", "CAST(name AS INTEGER) = 1", "pay = 1"} {
		body, _ := json.Marshal(map[string]any{"table_id": "staff", "where": where})
		f.Add(byte(0), http.MethodPost, "/api/v2/scan", string(body))
	}
	for _, sql := range []string{"SELECT", "SELECT * FROM staff, staff, staff", "FROM staff SELECT unnest(range(10))", "SELECT 1/0 FROM staff", "SELECT CAST(name AS INTEGER) FROM staff",
		"SELECT repeat(name, 1000) FROM staff", "VALUES (1)", "SELECT * FROM staff LIMIT -1", "SELECT [1,2,{'a':3}], MAP {1:2}, INTERVAL 1 DAY FROM staff", "SELECT id::HUGEINT, id::UUID FROM staff"} {
		body, _ := json.Marshal(map[string]any{"sql": sql})
		f.Add(byte(0), http.MethodPost, "/api/query", string(body))
	}
	server := newFuzzed(f)
	f.Fuzz(func(t *testing.T, as byte, method, path, body string) {
		if as%2 == 1 && (method == http.MethodDelete || method == http.MethodPost && strings.HasPrefix(path, "/api/admin/tokens")) {
			as = 0 // who ends the fuzz by removing its users
		}
		server.send(t, as, method, path, body)
	})
}
