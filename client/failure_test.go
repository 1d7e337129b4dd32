package client

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

func TestEnvelopesBecomeTheErrorAgain(t *testing.T) {
	sent := api.ErrorBody{}
	status := 0
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) { sendJSON(w, status, sent) })
	c, _ := newTest(t, s.URL)
	for code, st := range map[api.Code]int{
		api.CodeBadRequest: 400, api.CodeRejected: 400, api.CodeStatement: 400, api.CodeQueryFailed: 400,
		api.CodeUnknownTable: 404, api.CodeUnauthorized: 401, api.CodeForbidden: 403, api.CodeQuota: 429, api.CodeBudget: 429,
		api.CodeInternal: 500, api.CodeSource: 502, api.CodeUnavailable: 503, api.CodeTimeout: 504,
	} {
		status = st
		sent = api.ErrorBody{Code: code, Kind: "kind", Message: "what happened", Hint: "What to do.",
			Details: map[string]any{"limit": 5.0, "list": []any{"a"}}, RequestID: "abc"}
		for op, ask := range operations(c) {
			e := codeOf(t, ask(t.Context()))
			if e.Code != code || e.Kind != "kind" || e.Message != "what happened" || e.Hint != "What to do." ||
				e.RequestID != "abc" || e.Details["limit"] != 5.0 {
				t.Errorf("%s, %s: %#v", op, code, e)
			}
		}
	}
}

func TestOtherAnswersAreReadByTheirStatus(t *testing.T) {
	const page = "<html>Bad gateway</html>"
	for _, x := range []struct {
		status      int
		contentType string
		body        string
		code        api.Code
	}{
		{401, "text/html", page, api.CodeUnauthorized},
		{403, "text/html", page, api.CodeForbidden},
		{404, "text/html", page, api.CodeConfig},
		{405, "", "", api.CodeConfig},
		{407, "text/html", page, api.CodeUnreachable},
		{408, "", "", api.CodeTimeout},
		{413, "text/html", page, api.CodeBadRequest},
		{418, "text/plain", "short and stout", api.CodeBadRequest},
		{429, "text/html", page, api.CodeQuota},
		{500, "text/html", page, api.CodeInternal},
		{501, "", "", api.CodeUnavailable},
		{502, "text/html", page, api.CodeUnavailable},
		{503, "text/html", page, api.CodeUnavailable},
		{504, "text/html", page, api.CodeTimeout},
		{304, "", "", api.CodeConfig},
		{302, "", "", api.CodeConfig}, // without a target
		{503, "application/json", "", api.CodeUnavailable},
		{503, "application/json", `{"error":"unheard_of","message":"x"}`, api.CodeUnavailable},
		{503, "application/json", `{"error":"disk_full","message":"your disk is full"}`, api.CodeUnavailable},
		{503, "application/json", `{"error":"interrupted"}`, api.CodeUnavailable},
		{403, "application/json", `{"error":{"code":403,"message":"another API"}}`, api.CodeForbidden},
		{500, "application/json", `[`, api.CodeInternal},
		{400, "application/json", `{"error":"query_failed","message":"no","details":{"x":"` + strings.Repeat("x", maxErrorBody) + `"}}`, api.CodeBadRequest},
	} {
		s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
			if x.contentType != "" {
				w.Header().Set("Content-Type", x.contentType)
			}
			w.Header().Set("X-Request-Id", "from-the-header")
			w.WriteHeader(x.status)
			if x.status != 304 {
				_, _ = w.Write([]byte(x.body))
			}
		})
		c, _ := newTest(t, s.URL)
		for op, ask := range operations(c) {
			e := codeOf(t, ask(t.Context()))
			if e.Code != x.code || strings.Contains(e.Message, "<html>") || e.Message == "" || e.Hint == "" {
				t.Errorf("%s, %d %.60s: %#v", op, x.status, x.body, e)
			}
			if x.status != 302 && e.RequestID != "from-the-header" {
				t.Errorf("%s, %d: request id %q", op, x.status, e.RequestID)
			}
		}
	}
}

func TestWhatServersSayIsMadeSafeToShow(t *testing.T) {
	evil := "\x1b]0;owned\x07\x1b[2J\u202etxt\r\nError: fake"
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Request-Id", "id\x1b[0m")
		sendJSON(w, 400, api.ErrorBody{Code: api.CodeBadRequest, Kind: evil, Message: evil, Hint: evil + strings.Repeat("h", 1<<15), RequestID: evil,
			Details: map[string]any{evil: evil, "deep": map[string]any{"list": []any{evil}}}})
	})
	c, _ := newTest(t, s.URL)
	_, err := c.Tables(t.Context())
	e := codeOf(t, err)
	all := fmt.Sprintf("%s%s%s%s%v", e.Kind, e.Message, strings.ReplaceAll(e.Hint, "\n", ""), e.RequestID, e.Details)
	if strings.ContainsAny(all, "\x1b\x07\r\n\u202e") {
		t.Errorf("%q", all)
	}
	if len(e.Hint) > 5000 {
		t.Errorf("a hint of %d bytes", len(e.Hint))
	}
}

func TestAnswersOfSomethingElseAreNoData(t *testing.T) {
	for what, f := range map[string]http.HandlerFunc{
		"a login page": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<html>please log in</html>")
		},
		"other JSON": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `["hello"]`)
		},
		"broken JSON": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{"tables": [`)
		},
		"two JSONs": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			fmt.Fprint(w, `{}{}`)
		},
		"a result without its time": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/vnd.apache.arrow.stream")
		},
		"nothing": func(http.ResponseWriter, *http.Request) {},
	} {
		c, p := newTest(t, listen(t, f).URL)
		for op, ask := range operations(c) {
			if op == "POST /api/admin/catalog/invalidate" {
				continue // it expects nothing
			}
			e := codeOf(t, ask(t.Context()))
			if e.Code != api.CodeConfig || e.Kind != "not_agnes" || !strings.Contains(e.Message, "is not an Agnes server") {
				t.Errorf("%s, %s: %#v", what, op, e)
			}
		}
		if n := len(p.take()); n > 0 {
			t.Errorf("%s: %d retries", what, n)
		}
	}
}

// TestAnswersThatOnlyLookRight: JSON of something else must not read as a
// catalog without tables, or as a table without columns.
func TestAnswersThatOnlyLookRight(t *testing.T) {
	status, body := 0, ""
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	})
	c, _ := newTest(t, s.URL)
	ask := map[string]func() error{
		"catalog":  func() error { _, err := c.Tables(t.Context()); return err },
		"schema":   func() error { _, err := c.Schema(t.Context(), "t"); return err },
		"sample":   func() error { _, err := c.Sample(t.Context(), "t", 1); return err },
		"estimate": func() error { _, err := c.Estimate(t.Context(), api.ScanRequest{TableID: "t"}); return err },
		"search":   func() error { _, err := c.Search(t.Context(), api.SearchRequest{Query: "x", Limit: 1}); return err },
		"whoami":   func() error { _, err := c.Whoami(t.Context()); return err },
		"quota":    func() error { _, err := c.Quota(t.Context()); return err },
		"sources":  func() error { _, err := c.Sources(t.Context()); return err },
		"users":    func() error { _, err := c.Users(t.Context()); return err },
		"refresh":  func() error { return c.RefreshCaches(t.Context()) },
	}
	good := `{"tables": [], "table_id": "t", "sql_flavor": "duckdb", "user": "u"}`
	for _, x := range []struct {
		op     string // empty: all
		status int
		body   string
	}{
		{"", 206, good},
		{"", 202, good},
		{"", 203, good},
		{"catalog", 200, `{}`}, {"catalog", 200, `null`}, {"catalog", 200, `{"tables": null}`},
		{"schema", 200, `{}`}, {"schema", 200, `null`},
		{"schema", 200, `{"table_id": "u", "sql_flavor": "duckdb"}`},
		{"schema", 200, `{"table_id": "t"}`},
		{"schema", 200, `{"table_id": "t", "sql_flavor": "duckdb", "row_count": -1}`},
		{"sample", 200, `{}`}, {"sample", 200, `null`}, {"sample", 200, `{"table_id": "u"}`},
		{"estimate", 200, `{}`}, {"estimate", 200, `null`}, {"estimate", 200, `{"table_id": "u"}`},
		{"estimate", 200, `{"table_id": "t", "estimated_scan_bytes": -1}`},
		{"estimate", 200, `{"table_id": "t", "bq_cost_estimate_usd": -0.5}`},
		{"search", 200, `{}`}, {"search", 200, `null`},
		{"whoami", 200, `{}`}, {"whoami", 200, `null`},
		{"quota", 200, `{}`}, {"quota", 200, `null`}, {"quota", 200, `{"user": "u", "scan_bytes": -1}`},
		{"users", 200, `null`}, {"sources", 200, `null`},
	} {
		for op, ask := range ask {
			if x.op != "" && x.op != op {
				continue
			}
			status, body = x.status, x.body
			if e, ok := ask().(*api.Error); !ok || e.Code != api.CodeConfig || e.Kind != "not_agnes" {
				t.Errorf("%s, %d %s: %v", op, x.status, x.body, e)
			}
			status, body = 200, good
			switch op {
			case "schema":
				body = `{"table_id": "t", "sql_flavor": "duckdb", "columns": [{"name": "n", "type": "INTEGER"}]}`
			case "users", "sources":
				body = `[]`
			case "search":
				body = `{"hits": []}`
			}
			if err := ask(); err != nil {
				t.Errorf("%s of ours: %v", op, err)
			}
		}
	}
}

// gone returns the URL of a port where nobody listens.
func gone(t *testing.T) string {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return "http://" + ln.Addr().String()
}

func TestServersThatCannotBeReached(t *testing.T) {
	tls := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer tls.Close()
	tls.Config.ErrorLog = nil
	plain := listen(t, func(http.ResponseWriter, *http.Request) {})
	for what, x := range map[string]struct {
		url     string
		says    string
		retries int
	}{
		"nobody listens":      {gone(t), "connection refused", 2},
		"no such host":        {"https://no-such-host.invalid", "no-such-host.invalid", -1}, // a resolver may be down
		"a certificate":       {tls.URL, "signed by nobody", 0},
		"http spoken to TLS":  {"https" + strings.TrimPrefix(plain.URL, "http"), "does not speak TLS", 0},
		"a proxy that is off": {"https://data.example.com", "connection refused", 2},
	} {
		dead := gone(t)
		c, p := newTest(t, x.url, func(o *Options) {
			o.Proxy = func(r *http.Request) (*url.URL, error) {
				if r.URL.Host == "data.example.com" {
					return url.Parse(dead)
				}
				return nil, nil
			}
		})
		for op, ask := range operations(c) {
			e := codeOf(t, ask(t.Context()))
			if e.Code != api.CodeUnreachable || !strings.Contains(e.Message, x.says) || !strings.Contains(e.Message, x.url) || e.Hint == "" || !e.Retryable() {
				t.Errorf("%s, %s: %#v", what, op, e)
			}
			if n := len(p.take()); n != x.retries && x.retries >= 0 {
				t.Errorf("%s, %s: %d retries", what, op, n)
			}
		}
	}
}

// TestRetries counts how often each operation is sent.
func TestRetries(t *testing.T) {
	hangUp := func(w http.ResponseWriter) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			panic(err)
		}
		_ = conn.Close()
	}
	status := func(n int, header ...string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			for i := 0; i < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			w.WriteHeader(n)
		}
	}
	envelope := func(n int, code api.Code) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) { sendJSON(w, n, api.ErrorBody{Code: code, Message: "x"}) }
	}
	for _, x := range []struct {
		what   string
		answer func(http.ResponseWriter)
		sent   int // by idempotent operations; others send once
		code   api.Code
	}{
		{"the connection breaks", hangUp, 3, api.CodeUnreachable},
		{"502", status(502), 3, api.CodeUnavailable},
		{"503", status(503), 3, api.CodeUnavailable},
		{"503, soon", status(503, "Retry-After", "7"), 3, api.CodeUnavailable},
		{"503, much later", status(503, "Retry-After", "3600"), 1, api.CodeUnavailable},
		{"503, of ours", envelope(503, api.CodeUnavailable), 3, api.CodeUnavailable},
		{"502, the source", envelope(502, api.CodeSource), 3, api.CodeSource},
		{"502, a table that is refused", func(w http.ResponseWriter) {
			sendJSON(w, 502, api.ErrorBody{Code: api.CodeSource, Kind: api.KindUnlikeFiles, Message: "x"})
		}, 1, api.CodeSource},
		{"504, a proxy", status(504), 3, api.CodeTimeout},
		{"504, after minutes of work", envelope(504, api.CodeTimeout), 1, api.CodeTimeout},
		{"500", status(500), 1, api.CodeInternal},
		{"429", status(429, "Retry-After", "1"), 1, api.CodeQuota},
		{"400", envelope(400, api.CodeRejected), 1, api.CodeRejected},
		{"401", status(401), 1, api.CodeUnauthorized},
	} {
		var sent atomic.Int32
		s := listen(t, func(w http.ResponseWriter, r *http.Request) {
			sent.Add(1)
			_ = readAll(r.Body)
			x.answer(w)
		})
		c, p := newTest(t, s.URL)
		for op, ask := range operations(c) {
			sent.Store(0)
			want := x.sent
			if !idempotent(op) {
				want = 1
			}
			e := codeOf(t, ask(t.Context()))
			if int(sent.Load()) != want || e.Code != x.code {
				t.Errorf("%s, %s: sent %d times, %s; want %d, %s", x.what, op, sent.Load(), e.Code, want, x.code)
			}
			waits := p.take()
			if len(waits) != want-1 {
				t.Errorf("%s, %s: pauses %v", x.what, op, waits)
			}
			for i, d := range waits {
				low := firstPause << i
				if x.what == "503, soon" {
					low = 7 * time.Second
				}
				if d < low || d >= max(2*firstPause<<i, low+1) {
					t.Errorf("%s, %s: pause %d is %v", x.what, op, i, d)
				}
			}
		}
	}
}

func TestRetryAfterIsKeptForTheUser(t *testing.T) {
	header := ""
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", header)
		w.WriteHeader(429)
	})
	c, _ := newTest(t, s.URL)
	for _, x := range []struct {
		header string
		least  int64
	}{{"3600", 3600}, {time.Now().Add(time.Hour).UTC().Format(http.TimeFormat), 3500}, {"", 0}, {"soon", 0}, {"-1", 0}} {
		header = x.header
		_, err := c.Tables(t.Context())
		got, ok := codeOf(t, err).Details["retry_after_seconds"].(int64)
		if ok != (x.least > 0) || got < x.least || got > 3600 {
			t.Errorf("%q: %v", x.header, got)
		}
	}
}

func TestARetryMaySucceed(t *testing.T) {
	var sent atomic.Int32
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		switch sent.Add(1) {
		case 1:
			w.WriteHeader(503)
		case 2: // an answer that breaks off
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Content-Length", "1000")
			_, _ = w.Write([]byte(`{"tables":`))
		default:
			sendJSON(w, 200, api.TableList{Tables: []api.Table{{ID: "t"}}})
		}
	})
	c, _ := newTest(t, s.URL)
	list, err := c.Tables(t.Context())
	if err != nil || len(list.Tables) != 1 || sent.Load() != 3 {
		t.Errorf("%v, %v, sent %d times", list, err, sent.Load())
	}
}

func TestAScanIsRetriedWhileNobodyListens(t *testing.T) {
	address := strings.TrimPrefix(gone(t), "http://")
	result := resultBody(t, 2)
	tries := 0
	c, _ := newTest(t, "http://"+address, func(o *Options) {
		o.Wait = func(context.Context, time.Duration) error {
			if tries++; tries == 2 { // now the server comes up
				ln, err := net.Listen("tcp", address)
				if err != nil {
					t.Error(err)
					return err
				}
				srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					resultHeader(w.Header())
					_, _ = w.Write(result)
				})}
				t.Cleanup(func() { _ = srv.Close() })
				go func() { _ = srv.Serve(ln) }()
			}
			return nil
		}
	})
	if rows, err := scanAll(t.Context(), c); err != nil || rows != 6 || tries != 2 {
		t.Errorf("%d rows, %v, after %d pauses", rows, err, tries)
	}
}
