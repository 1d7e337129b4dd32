package httpapi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/resultset"
	"github.com/agnes-data/da/web"
)

// sound is a request for each route that its handler accepts.
var sound = map[string]string{
	"/api/v2/scan":                      `{"table_id":"t"}`,
	"/api/v2/scan/estimate":             `{"table_id":"t"}`,
	"/api/query":                        `{"sql":"SELECT 1"}`,
	"/api/admin/users":                  `{"name":"ann"}`,
	"/api/device":                       `{"name":"laptop"}`,
	"/api/device/token":                 `{"device_code":"x"}`,
	"/api/page/device":                  `{"user_code":"x"}`,
	"/api/page/device/answer":           `{"user_code":"x"}`,
	"/api/admin/groups":                 `{"name":"sales"}`,
	"/api/admin/tokens":                 `{"user":"ann"}`,
	"/api/admin/grants":                 `{"user":"ann","table_id":"t"}`,
	"/api/admin/tables":                 `{"id":"t","source":"files","relation":"a.csv"}`,
	"/api/admin/quota/rules":            `{"user":"ann","running":2}`,
	"/api/admin/dashboards":             `{"id":"d","sheet":{"tables":["t"]}}`,
	"/api/page/query":                   `{"sql":"SELECT 1"}`,
	"/api/page/profile":                 `{"table_id":"t"}`,
	"/api/page/rows":                    `{"table_id":"t"}`,
	"/api/v2/notes":                     `{"table_id":"t","text":"x"}`,
	"/api/v2/questions":                 `{"name":"late","question":"How many?","sql":"SELECT 1"}`,
	"/api/v2/questions/{name}/approval": `{"definition":"d"}`,
	"/api/page/price":                   `{"sql":"SELECT 1"}`,
	"/api/page/file":                    `{"sql":"SELECT 1","format":"csv"}`,
	"/api/page/results":                 `{"sql":"SELECT 1"}`,
	"/api/page/report":                  `{"sheet":{},"format":"html"}`,
	"/api/page/results/{id}/rows":       `{"from":0,"limit":1}`,
	"/api/page/results/{id}/summaries":  `{"columns":[0]}`,
	"/api/page/results/{id}/groups":     `{"x":0,"by":-1,"y":-1,"how":"count"}`,
	"/api/page/sign-ins":                `{"token":"` + userToken + `"}`,
}

// anyPath is what a path names.
var anyPath = regexp.MustCompile(`\{\w+\}`)

func TestEveryRouteAsksWhoIsCalling(t *testing.T) {
	s := serveTest(t, &testService{}, func(h *router) {
		h.guard.most = 1000
		h.writeRows = countRows
		h.profile = func(context.Context, api.Data, string) (any, error) { return struct{}{}, nil }
		h.report = func(context.Context, io.Writer, Report) ([]api.Caveat, error) { return nil, nil }
		h.results = resultset.New(t.TempDir(), resultset.Usual)
		t.Cleanup(h.results.Close)
	})
	for _, r := range routes(testDoor) {
		path, body := anyPath.ReplaceAllString(strings.NewReplacer("{version}", web.Version(), "{file}", web.Index, "{$}", "").Replace(r.path), "7"), sound[r.path]
		if r.method != "POST" {
			body = ""
		}
		for _, c := range []struct {
			who, header string
			want        int
		}{
			{"nobody", "", 401},
			{"a stranger", "Bearer x", 401},
			{"another scheme", "Basic " + adminToken, 401},
			{"a user", "Bearer " + userToken, 200},
			{"a user, in other letters", "bearer   " + userToken, 200},
			{"an admin", "Bearer " + adminToken, 200},
		} {
			want := c.want
			switch {
			case r.path == "/api/page/sign-ins" && r.method == "POST":
				want = 201
			case strings.HasPrefix(r.path, "/api/device"):
				want = 201
			case (strings.HasPrefix(r.path, "/api/page/device") || r.path == "/api/page/tokens/{id}") && c.want == 200:
				want = 403 // only at the page
			case r.path == "/api/v2/model/metrics/{name}" && c.want == 200:
				want = 400 // this service has no metrics
			case r.path == "/api/v2/scan/files/{tag}" && c.want == 200:
				want = 404 // this service keeps no files
			case r.path == "/api/dashboards/{id}/report" && c.want == 200:
				want = 404 // this service has no dashboards
			case strings.HasPrefix(r.path, "/api/page/results/{id}/") && c.want == 200:
				want = 412 // that one is not kept
			case strings.Contains(r.path, "/desk/") && c.want == 200:
				want = 404 // there is none on a server
			case strings.HasPrefix(r.path, openIDPath), strings.HasSuffix(r.path, "/claim"):
				want = 404 // this service has no provider
			case r.access == public:
				want = 200
			case r.access == admin && c.want == 200 && c.who != "an admin":
				want = 403
			case (r.path == "/api/admin/catalog/invalidate" || r.method == "DELETE" || r.method == "PUT") && c.want == 200:
				want = 204
			case r.access == admin && r.method == "POST" && c.want == 200 && !strings.HasSuffix(r.path, "/refresh"):
				want = 201
			}
			res, text := s.ask(t, r.method, path, body, "Authorization", c.header)
			if res.StatusCode != want {
				t.Errorf("%s %s for %s: %d, want %d: %s", r.method, path, c.who, res.StatusCode, want, text)
			}
			if want == 401 {
				challenge := res.Header.Get("WWW-Authenticate")
				if !strings.HasPrefix(challenge, "Bearer ") || strings.Contains(challenge, "invalid_token") != (c.who == "a stranger") {
					t.Errorf("%s for %s: WWW-Authenticate %q", path, c.who, challenge)
				}
				if e := errorOf(t, text); e.Code != api.CodeUnauthorized {
					t.Errorf("%s for %s: %+v", path, c.who, e)
				}
			}
		}
	}
}

func TestUnknownPathsAndMethodsAreJSON(t *testing.T) {
	s := serveTest(t, &testService{})
	for _, c := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"POST", "/", 405, "GET, HEAD"},
		{"GET", "/page/main.js", 404, ""},
		{"GET", "/page/an-older-one/main.js", 404, ""},
		{"GET", "/page/" + web.Version() + "/nothing.js", 404, ""},
		{"GET", "/page/", 404, ""},
		{"GET", "/api/v2/nothing", 404, ""},
		{"POST", "/api/v2/schema/a/b", 404, ""},
		{"POST", "/api/v2/catalog", 405, "GET, HEAD"},
		{"GET", "/api/v2/scan", 405, "POST"},
		{"DELETE", "/api/v2/schema/t", 405, "GET, HEAD"},
		{"BREW", "/healthz", 405, "GET, HEAD"},
	} {
		res, body := s.ask(t, c.method, c.path, "")
		if res.StatusCode != c.status || res.Header.Get("Allow") != c.allow {
			t.Errorf("%s %s: %d, Allow %q", c.method, c.path, res.StatusCode, res.Header.Get("Allow"))
		}
		e := errorOf(t, body)
		if e.Code != api.CodeBadRequest || e.RequestID != res.Header.Get("X-Request-Id") || e.RequestID == "" {
			t.Errorf("%s %s: %+v", c.method, c.path, e)
		}
	}
}

func TestHeadIsGetWithoutABody(t *testing.T) {
	s := serveTest(t, &testService{})
	got, body := s.ask(t, "GET", "/api/v2/catalog", "")
	head, none := s.ask(t, "HEAD", "/api/v2/catalog", "")
	if head.StatusCode != 200 || none != "" || head.ContentLength != int64(len(body)) || got.ContentLength != head.ContentLength {
		t.Errorf("HEAD: %d, %q, length %d; GET has %d bytes", head.StatusCode, none, head.ContentLength, len(body))
	}
}

func TestRequestIDsAreTheServersOwn(t *testing.T) {
	s := serveTest(t, &testService{})
	form := regexp.MustCompile(`^[0-9a-f]{32}$`)
	seen := map[string]bool{}
	for _, path := range []string{"/healthz", "/nothing", "/api/v2/catalog", "/api/v2/schema/-"} {
		res, _ := s.ask(t, "GET", path, "", "X-Request-Id", "00000000000000000000000000000000")
		id := res.Header.Get("X-Request-Id")
		if !form.MatchString(id) || seen[id] || id == strings.Repeat("0", 32) {
			t.Errorf("%s: request id %q", path, id)
		}
		seen[id] = true
	}
}

func TestErrorsCarryTheStatusOfTheirCode(t *testing.T) {
	var err error
	s := serveTest(t, &testService{
		tables: func(context.Context) (*api.TableList, error) { return nil, err },
		scan:   func(context.Context, api.ScanRequest) (*api.Stream, error) { return nil, err },
	})
	for code, status := range map[api.Code]int{
		api.CodeBadRequest: 400, api.CodeInvalidName: 400, api.CodeRejected: 400, api.CodeStatement: 400,
		api.CodeQueryFailed: 400, api.CodeUnknownColumn: 400, api.CodeUnauthorized: 401, api.CodeForbidden: 403,
		api.CodeUnknownTable: 404, api.CodeQuota: 429, api.CodeBudget: 429, api.CodeSource: 502,
		api.CodeUnavailable: 503, api.CodeTimeout: 504,
	} {
		err = fmt.Errorf("scan: %w", &api.Error{
			Code: code, Kind: "a_kind", Message: "what happened", Hint: "What to do.",
			Details: map[string]any{"limit": 5}, Err: errors.New("the inner cause"),
		})
		for _, ask := range [][3]string{{"GET", "/api/v2/catalog", ""}, {"POST", "/api/v2/scan", sound["/api/v2/scan"]}} {
			res, body := s.ask(t, ask[0], ask[1], ask[2])
			e := errorOf(t, body)
			if res.StatusCode != status || e.Code != code || e.Kind != "a_kind" || e.Message != "what happened" ||
				e.Hint != "What to do." || e.Details["limit"] != float64(5) || e.RequestID != res.Header.Get("X-Request-Id") {
				t.Errorf("%s at %s: %d, %+v", code, ask[1], res.StatusCode, e)
			}
			if strings.Contains(body, "inner cause") {
				t.Errorf("%s at %s: the cause went out: %s", code, ask[1], body)
			}
			if res.Header.Get("Content-Type") != "application/json; charset=utf-8" || res.Header.Get("Trailer") != "" {
				t.Errorf("%s at %s: headers %v", code, ask[1], res.Header)
			}
		}
	}
}

func TestFaultsTellTheLogAndNobodyElse(t *testing.T) {
	var err error
	s := serveTest(t, &testService{tables: func(context.Context) (*api.TableList, error) {
		if err == nil {
			panic("a secret slip")
		}
		return nil, err
	}})
	for what, e := range map[string]error{
		"an error without a code":         errors.New("a secret path"),
		"an internal error":               &api.Error{Code: api.CodeInternal, Message: "a secret name", Hint: "secret", Err: errors.New("a secret cause")},
		"a code that does not travel":     &api.Error{Code: api.CodeDiskFull, Message: "a secret disk"},
		"a code that nobody has heard of": &api.Error{Code: "secret", Message: "a secret thing"},
		"a panic":                         nil,
	} {
		err = e
		res, body := s.ask(t, "GET", "/api/v2/catalog", "")
		want := `{"error":"internal","message":"internal error","details":{},"request_id":"` + res.Header.Get("X-Request-Id") + "\"}\n"
		if res.StatusCode != 500 || body != want {
			t.Errorf("%s: %d %s", what, res.StatusCode, body)
		}
	}
	log := s.log.String()
	for _, want := range []string{"a secret path", "a secret cause", "a secret disk", "a secret thing", "panic: a secret slip", "http_test.go"} {
		if !strings.Contains(log, want) {
			t.Errorf("the log does not tell %q:\n%s", want, log)
		}
	}
}

func TestRetryAfterComesFromTheDetails(t *testing.T) {
	var details map[string]any
	s := serveTest(t, &testService{tables: func(context.Context) (*api.TableList, error) {
		return nil, &api.Error{Code: api.CodeQuota, Kind: "daily_bytes", Message: "used up", Details: details}
	}})
	for _, c := range []struct {
		value any
		want  string
	}{{int64(3600), "3600"}, {0, "0"}, {1.2, "2"}, {-5, "0"}, {nil, ""}, {"soon", ""}} {
		details = map[string]any{"retry_after_seconds": c.value, "current": 5, "limit": 5}
		res, body := s.ask(t, "GET", "/api/v2/catalog", "")
		if got := res.Header.Get("Retry-After"); res.StatusCode != 429 || got != c.want {
			t.Errorf("%v: %d, Retry-After %q", c.value, res.StatusCode, got)
		}
		if e := errorOf(t, body); e.Details["limit"] != float64(5) {
			t.Errorf("%v: %+v", c.value, e)
		}
	}
}

func TestDetailsThatAreNoJSONDoNotHideTheError(t *testing.T) {
	s := serveTest(t, &testService{tables: func(context.Context) (*api.TableList, error) {
		return nil, &api.Error{Code: api.CodeForbidden, Message: "no", Details: map[string]any{"f": func() {}}}
	}})
	res, body := s.ask(t, "GET", "/api/v2/catalog", "")
	if e := errorOf(t, body); res.StatusCode != 403 || e.Message != "no" {
		t.Errorf("%d %s", res.StatusCode, body)
	}
}

func TestOneLogLineThatKeepsSecrets(t *testing.T) {
	const secret = "ann@example.com"
	s := serveTest(t, &testService{
		scan: func(context.Context, api.ScanRequest) (*api.Stream, error) {
			return nil, &api.Error{Code: api.CodeRejected, Kind: "unknown_function", Message: "no " + secret, Err: errors.New(secret)}
		},
		query: func(context.Context, api.QueryRequest) (*api.Stream, error) {
			return nil, &api.Error{Code: api.CodeQueryFailed, Message: secret, Err: errors.New(secret)}
		},
	})
	_, _ = s.ask(t, "POST", "/api/v2/scan", `{"table_id":"t","where":"mail = '`+secret+`'"}`)
	_, _ = s.ask(t, "POST", "/api/query", `{"sql":"SELECT '`+secret+`'"}`)
	_, _ = s.ask(t, "POST", "/api/v2/scan", `{"`+secret+`":1}`)
	_, _ = s.ask(t, "GET", "/api/v2/schema/"+secret, "")
	_, _ = s.ask(t, "GET", "/"+secret+"?x="+secret, "")
	_, _ = s.ask(t, "GET", "/api/v2/catalog", "", "Authorization", "Bearer "+secret)
	res, _ := s.ask(t, "GET", "/api/v2/catalog", "")
	s.Close() // so that every line has been written
	log := s.log.String()
	if strings.Contains(log, secret) || strings.Contains(log, adminToken) {
		t.Errorf("the log tells:\n%s", log)
	}
	lines := strings.Split(strings.TrimSpace(log), "\n")
	if len(lines) != 7 {
		t.Errorf("%d lines for 7 requests:\n%s", len(lines), log)
	}
	for _, want := range []string{
		"level=INFO", "msg=request", "method=GET", "route=/api/v2/catalog", "status=200", "duration=", "bytes=",
		"user=adam", "request_id=" + res.Header.Get("X-Request-Id"),
	} {
		if !strings.Contains(lines[len(lines)-1], want) {
			t.Errorf("the last line lacks %q: %s", want, lines[len(lines)-1])
		}
	}
	if !strings.Contains(lines[0], "code=validator_rejected kind=unknown_function") {
		t.Errorf("the first line: %s", lines[0])
	}
}

func TestTablesAndParametersAreChecked(t *testing.T) {
	s := serveTest(t, &testService{
		schema: func(context.Context, string) (*api.TableSchema, error) { t.Error("schema was asked"); return nil, nil },
		sample: func(_ context.Context, _ string, n int) (*api.Sample, error) {
			return &api.Sample{Columns: []string{}, Rows: make([]api.Row, n)}, nil
		},
	})
	for path, code := range map[string]api.Code{
		"/api/v2/schema/Orders":                     api.CodeInvalidName,
		"/api/v2/schema/..%2f..%2fetc":              api.CodeInvalidName,
		"/api/v2/schema/%00":                        api.CodeInvalidName,
		"/api/v2/schema/t?refresh=1":                api.CodeBadRequest,
		"/api/v2/catalog?x":                         api.CodeBadRequest,
		"/api/v2/catalog?a;b":                       api.CodeBadRequest,
		"/api/v2/sample/t?n=0":                      api.CodeBadRequest,
		"/api/v2/sample/t?n=101":                    api.CodeBadRequest,
		"/api/v2/sample/t?n=":                       api.CodeBadRequest,
		"/api/v2/sample/t?n=1e1":                    api.CodeBadRequest,
		"/api/v2/sample/t?n=5&n=6":                  api.CodeBadRequest,
		"/api/v2/sample/t?n=5&where=1":              api.CodeBadRequest,
		"/api/v2/sample/" + strings.Repeat("a", 65): api.CodeInvalidName,
	} {
		res, body := s.ask(t, "GET", path, "")
		if e := errorOf(t, body); res.StatusCode != 400 || e.Code != code {
			t.Errorf("%s: %d %s", path, res.StatusCode, body)
		}
	}
	for path, rows := range map[string]int{"/api/v2/sample/t": 5, "/api/v2/sample/t?n=1": 1, "/api/v2/sample/t?n=100": 100} {
		_, body := s.ask(t, "GET", path, "")
		if got := strings.Count(body, "{}"); got != rows {
			t.Errorf("%s: %d rows: %s", path, got, body)
		}
	}
}

// TestOldClientsGetNoInterimResponses speaks HTTP/1.0, which has none.
func TestOldClientsGetNoInterimResponses(t *testing.T) {
	s := serveTest(t, &testService{tables: func(context.Context) (*api.TableList, error) {
		<-time.After(30 * time.Millisecond) // many intervals
		return &api.TableList{}, nil
	}}, func(h *router) { h.interimEvery = time.Microsecond })
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET /api/v2/catalog HTTP/1.0\r\nAuthorization: Bearer %s\r\n%s: %s\r\n\r\n", userToken, wire.HeaderInterim, wire.InterimWanted)
	res, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 {
		t.Errorf("the first answer is %s", res.Status)
	}
}
