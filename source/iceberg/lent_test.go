package iceberg

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/minio/minio-go/v7/pkg/signer"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/opentables"
	"github.com/agnes-data/da/internal/testing/s3test"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/listed"
)

// lending is a store whose keys are lent: each session token is good for some requests.
type lending struct {
	uses int
	ends string // of each token, in milliseconds

	mu    sync.Mutex
	given int
	left  map[string]int
}

func (l *lending) keys() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.given++
	token := fmt.Sprintf("a secret token %d", l.given)
	l.left[token] = l.uses
	return map[string]string{"s3.access-key-id": "lent", "s3.secret-access-key": "a secret key", "s3.session-token": token,
		"s3.session-token-expires-at-ms": l.ends}
}

// before starts the store before a real one, and returns its address.
func (l *lending) before(t *testing.T, address string) string {
	target, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	forward := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(target)
		r.Out.Host = target.Host
		r.Out.Header.Del("X-Amz-Security-Token") // the real store does not know it
		r.Out.Header.Del("Authorization")
		r.Out.Header = signer.SignV4(*r.Out, s3test.AccessKey, s3test.SecretKey, "", s3test.Region).Header
	}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := r.Header.Get("X-Amz-Security-Token")
		l.mu.Lock()
		l.left[token]--
		good := l.left[token] >= 0 && strings.Contains(r.Header.Get("Authorization"), "Credential=lent/")
		l.mu.Unlock()
		if !good {
			w.WriteHeader(http.StatusForbidden)
			fmt.Fprintf(w, "<Error><Code>AccessDenied</Code><Message>%s %s</Message></Error>", token, r.Header.Get("Authorization"))
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func (l *lending) open(t *testing.T) *listed.Source {
	dir := opentables.Unpack(t, "iceberg")
	real := opentables.Upload(t, dir)
	l.left = map[string]int{}
	rest := opentables.NewREST(t, dir)
	rest.At, rest.Lends = "s3a://tables/lake", l.keys
	src, err := OpenCatalog(Catalog{URI: rest.URL, Warehouse: "tests", Client: opentables.RESTClient, Secret: opentables.RESTSecret},
		listed.Options{Bucket: &bucket.Options{URL: real.URL, Endpoint: l.before(t, real.Endpoint), Region: real.Region}, CacheDir: t.TempDir(), TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// TestLentKeys reads tables with keys that a catalog lends. Each key ends after a few
// requests, so a fetch needs several.
func TestLentKeys(t *testing.T) {
	l := &lending{uses: 16, ends: "1"} // long ago; requests at the same time share a key
	src := l.open(t)
	for _, table := range []string{"p_identity", "posdel_part", "dv3", "eq"} {
		before := l.given
		r, err := src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "a.b." + table}, Select: []string{"id"}})
		if err != nil {
			t.Fatal(table, err)
		}
		rows, err := enginetest.Rows(r)
		if err != nil || len(rows) == 0 || l.given-before < 3 {
			t.Errorf("%s: %d rows, %v, with %d keys", table, len(rows), err, l.given-before)
		}
	}
}

// TestLentKeysThatEndUnexpectedly are an error that tells no secret.
func TestLentKeysThatEndUnexpectedly(t *testing.T) {
	l := &lending{uses: 2, ends: "4102444800000"}
	_, err := l.open(t).Schema(t.Context(), source.Relation{Name: "a.b.plain"})
	if !api.CodeSource.Is(err) || !strings.Contains(err.Error(), "does not let the server read") {
		t.Errorf("%v: %v", err, errors.Unwrap(err))
	}
	if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "a secret") {
		t.Errorf("it tells a secret: %s", text)
	}
}
