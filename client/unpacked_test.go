package client

import (
	"compress/gzip"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// TestAnswersAreUnpacked: answers and errors, of which the client asks only those
// beyond this machine to be compressed, and bombs.
func TestAnswersAreUnpacked(t *testing.T) {
	const list = `{"tables":[{"id":"orders"}]}`
	packed := true
	status, text := http.StatusOK, list
	srv := listen(t, func(w http.ResponseWriter, r *http.Request) {
		if asked := r.Header.Get("Accept-Encoding") == "gzip"; asked == strings.HasPrefix(r.Host, "127.") {
			t.Errorf("%s: compression is asked for: %t", r.Host, asked)
		}
		w.Header().Set("Content-Type", "application/json")
		to := io.Writer(w)
		if packed {
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			defer z.Close()
			to = z
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(to, text)
	})
	proxied, err := url.Parse(srv.URL)
	if err != nil {
		t.Fatal(err)
	}
	far, _ := newTest(t, "http://data.example.com", func(o *Options) {
		o.AllowInsecureHTTP = true
		o.Proxy = func(*http.Request) (*url.URL, error) { return proxied, nil }
	})
	near, _ := newTest(t, srv.URL)
	for _, c := range []*Client{far, near} {
		for _, packed = range []bool{true, false} {
			status, text = http.StatusOK, list
			if tables, err := c.Tables(t.Context()); err != nil || len(tables.Tables) != 1 {
				t.Errorf("packed %t: %+v, %v", packed, tables, err)
			}
			status, text = http.StatusForbidden, `{"error":"forbidden","message":"not yours"}`
			if _, err := c.Tables(t.Context()); !api.CodeForbidden.Is(err) || !strings.Contains(err.Error(), "not yours") {
				t.Errorf("packed %t: %v", packed, err)
			}
		}
	}
	packed, status, text = true, http.StatusOK, `{"tables":[`+strings.Repeat("        ", maxJSON/8+1)
	if _, err := far.Tables(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than any of ours") {
		t.Errorf("a bomb: %v", err)
	}
}
