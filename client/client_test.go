package client

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

func TestRequestsAreWhatTheServerExpects(t *testing.T) {
	var got, body string
	var header http.Header
	result := resultBody(t, 2)
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		got, body, header = r.Method+" "+strings.TrimPrefix(r.URL.RequestURI(), "/agnes"), readAll(r.Body), r.Header
		if !strings.HasPrefix(r.URL.Path, "/agnes/") {
			t.Errorf("path %s lacks the base", r.URL.Path)
		}
		switch got {
		case "POST /api/v2/scan", "POST /api/query":
			resultHeader(w.Header())
			_, _ = w.Write(result)
		case "POST /api/admin/catalog/invalidate":
			w.WriteHeader(http.StatusNoContent)
		default:
			sendJSON(w, 200, anyAnswer(r))
		}
	})
	c, _ := newTest(t, s.URL+"/agnes/", func(o *Options) { o.UserAgent = "da/1.2" })
	bodies := map[string]string{
		"POST /api/v2/scan/estimate": `{"table_id":"t","where":"x = 1"}`,
		"POST /api/v2/scan":          `{"table_id":"t","where":"x = 1"}`,
		"POST /api/query":            `{"sql":"SELECT 1"}`,
	}
	for want, ask := range operations(c) {
		if err := ask(t.Context()); err != nil {
			t.Errorf("%s: %v", want, err)
		}
		if got != want || body != bodies[want] {
			t.Errorf("sent %s %s, want %s %s", got, body, want, bodies[want])
		}
		contentType := ""
		if body != "" {
			contentType = "application/json"
		}
		for name, value := range map[string]string{
			"Authorization": "Bearer " + testToken, "User-Agent": "da/1.2", "Content-Type": contentType,
			wire.HeaderInterim: wire.InterimWanted, "Accept-Encoding": "",
		} {
			if header.Get(name) != value {
				t.Errorf("%s: header %s is %q, want %q", want, name, header.Get(name), value)
			}
		}
	}
	if c.URL() != s.URL+"/agnes" {
		t.Errorf("URL %s", c.URL())
	}
}

func TestAStreamTellsWhatTheHeadersSay(t *testing.T) {
	result := resultBody(t, 2)
	s := listen(t, func(w http.ResponseWriter, _ *http.Request) {
		resultHeader(w.Header())
		w.Header().Set(wire.HeaderOrdered, "true")
		_, _ = w.Write(result)
	})
	c, _ := newTest(t, s.URL)
	out, err := c.Scan(t.Context(), api.ScanRequest{TableID: "t"})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := drain(out)
	end := out.End()
	if err != nil || rows != 6 || end.Rows != 6 || !end.Truncated || end.Cap != "max_limit" || end.Bytes != 5 {
		t.Errorf("%d rows, %+v, %v", rows, end, err)
	}
	want := time.Date(2024, 2, 29, 12, 0, 0, 500_000_000, time.UTC)
	if out.RequestID != "0123456789abcdef" || !out.EffectiveAsOf.Equal(want) || !out.Ordered {
		t.Errorf("%q %v %t", out.RequestID, out.EffectiveAsOf, out.Ordered)
	}
}

func TestURLsAndTokensAreCheckedFirst(t *testing.T) {
	for url, says := range map[string]string{
		"":                             "must begin with",
		"data.example.com":             "must begin with",
		"data.example.com:8400":        "must begin with",
		"ftp://data.example.com":       "must begin with",
		"https://":                     "must begin with",
		"https://:8400":                "must begin with",
		"https://ann:pw@example.com":   "user or password",
		"https://example.com?token=x":  "query",
		"https://example.com#x":        "fragment",
		"https://ex ample.com":         "cannot be read",
		"http://data.example.com":      "in the clear",
		"http://127.0.0.1.nip.io":      "in the clear",
		"http://192.168.0.1:8400":      "in the clear",
		"http://[2001:db8::1]":         "in the clear",
		"http://localhost.example.com": "in the clear",
	} {
		_, err := New(Options{URL: url, Token: testToken})
		if e := codeOf(t, err); e.Code != api.CodeConfig || !strings.Contains(e.Message, says) || e.Hint == "" || strings.Contains(e.Message, "pw") {
			t.Errorf("%s: %#v", url, e)
		}
	}
	for _, url := range []string{"https://data.example.com", "http://localhost:1", "http://LocalHost", "http://127.0.0.1:1", "http://127.8.9.1", "http://[::1]:1/x/"} {
		if _, err := New(Options{URL: url, Token: testToken}); err != nil {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := New(Options{URL: "http://data.example.com"}); err != nil {
		t.Errorf("without a token: %v", err)
	}
	if _, err := New(Options{URL: "http://data.example.com", Token: testToken, AllowInsecureHTTP: true}); err != nil {
		t.Errorf("when allowed: %v", err)
	}
	for _, token := range []string{"a b", "a\n", "a\r\nX-Evil: 1", "ä", "\x00"} {
		_, err := New(Options{URL: "https://data.example.com", Token: token})
		if e := codeOf(t, err); e.Code != api.CodeConfig || strings.Contains(e.Message, token) {
			t.Errorf("token %q: %v", token, err)
		}
	}
}

func TestNamesAreCheckedBeforeAnythingIsSent(t *testing.T) {
	s := listen(t, func(http.ResponseWriter, *http.Request) { t.Error("something was sent") })
	c, _ := newTest(t, s.URL)
	for _, id := range []string{"", "Orders", "../admin", "a/b", "a?b", strings.Repeat("a", 65)} {
		for what, ask := range map[string]func() error{
			"schema":   func() error { _, err := c.Schema(t.Context(), id); return err },
			"sample":   func() error { _, err := c.Sample(t.Context(), id, 1); return err },
			"scan":     func() error { _, err := c.Scan(t.Context(), api.ScanRequest{TableID: id}); return err },
			"estimate": func() error { _, err := c.Estimate(t.Context(), api.ScanRequest{TableID: id}); return err },
		} {
			if err := ask(); !api.CodeInvalidName.Is(err) {
				t.Errorf("%s of %q: %v", what, id, err)
			}
		}
	}
}

func TestRedirectsStayOnTheServer(t *testing.T) {
	elsewhere := listen(t, func(w http.ResponseWriter, r *http.Request) {
		t.Errorf("another server was asked, with token %q", r.Header.Get("Authorization"))
	})
	var target func(r *http.Request) (int, string)
	asked := 0
	s := listen(t, func(w http.ResponseWriter, r *http.Request) {
		asked++
		if r.URL.Path == "/moved" {
			if r.Header.Get("Authorization") != "Bearer "+testToken {
				t.Errorf("token %q after a redirect on the same server", r.Header.Get("Authorization"))
			}
			if r.Method == http.MethodPost {
				if got := readAll(r.Body); got != `{"table_id":"t"}` {
					t.Errorf("a redirect lost the body: %q", got)
				}
			}
			sendJSON(w, 200, anyAnswer(r))
			return
		}
		status, to := target(r)
		w.Header().Set("Location", to)
		w.WriteHeader(status)
	})
	c, _ := newTest(t, s.URL)
	port := s.URL[strings.LastIndex(s.URL, ":"):]
	for _, x := range []struct {
		what, to string
		status   int
	}{
		{"another port", elsewhere.URL, 302},
		{"another port, keeping the method", elsewhere.URL, 307},
		{"another host", "http://localhost" + port + "/moved", 302},
		{"another host of that name", "http://127.0.0.1.example.com/moved", 307},
		{"with the token's user", "http://127.0.0.1:1@" + strings.TrimPrefix(elsewhere.URL, "http://"), 302},
		{"another scheme", "ftp://127.0.0.1" + port + "/moved", 302},
		{"for ever", "/loop", 302},
	} {
		asked = 0
		target = func(*http.Request) (int, string) { return x.status, x.to }
		_, err := c.Tables(t.Context())
		if e := codeOf(t, err); e.Code != api.CodeConfig || e.Kind != "redirect" || asked > 4 {
			t.Errorf("%s: %d requests, %#v", x.what, asked, e)
		}
	}
	for _, status := range []int{301, 302, 307, 308} {
		target = func(*http.Request) (int, string) { return status, "/moved" }
		if _, err := c.Tables(t.Context()); err != nil {
			t.Errorf("GET, %d: %v", status, err)
		}
		est, err := c.Estimate(t.Context(), api.ScanRequest{TableID: "t"})
		if status < 307 { // these turn a POST into a GET
			if !api.CodeConfig.Is(err) {
				t.Errorf("POST, %d: %v", status, err)
			}
		} else if err != nil || est.TableID != "t" {
			t.Errorf("POST, %d: %v, %v", status, est, err)
		}
	}
	n := 0
	target = func(r *http.Request) (int, string) {
		if n++; n <= 2 {
			return 302, "/again"
		}
		return 302, "/moved"
	}
	if _, err := c.Tables(t.Context()); err != nil {
		t.Errorf("three redirects: %v", err)
	}
}

func TestRedirectsMayGoToHTTPSAndNeverBack(t *testing.T) {
	c, err := New(Options{URL: "http://data.example.com", AllowInsecureHTTP: true, Token: testToken})
	if err != nil {
		t.Fatal(err)
	}
	request := func(url string) *http.Request {
		r, err := http.NewRequest(http.MethodGet, url, nil)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, x := range []struct {
		from, to string
		ok       bool
	}{
		{"http://data.example.com/x", "https://data.example.com/x", true},
		{"http://data.example.com:8400/x", "https://DATA.example.com:8443/x", true},
		{"https://data.example.com/x", "https://data.example.com:443/y", true},
		{"https://data.example.com/x", "http://data.example.com/x", false},
		{"https://data.example.com/x", "https://data.example.com:8443/x", false},
		{"http://data.example.com/x", "https://www.data.example.com/x", false},
		{"https://data.example.com/x", "https://evil.data.example.com/x", false},
	} {
		err := c.checkRedirect(request(x.to), []*http.Request{request(x.from)})
		if (err == nil) != x.ok {
			t.Errorf("%s → %s: %v", x.from, x.to, err)
		}
	}
}
