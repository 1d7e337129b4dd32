package iceberg

import (
	"cmp"
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
	// says, if set, is how the store refuses a token that it knows and that is used up.
	says string
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
			w.WriteHeader(map[string]int{"": http.StatusForbidden, "ExpiredToken": http.StatusBadRequest}[l.says])
			fmt.Fprintf(w, "<Error><Code>%s</Code><Message>%s %s</Message></Error>", cmp.Or(l.says, "AccessDenied"), token, r.Header.Get("Authorization"))
			return
		}
		forward.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

// open opens tables of the store. change has a catalog lend keys in another way, and returns
// its address; nil: they come with the table.
func (l *lending) open(t *testing.T, change func(dir string, rest *opentables.REST) string) *listed.Source {
	dir := opentables.Unpack(t, "iceberg")
	real := opentables.Upload(t, dir)
	l.left = map[string]int{}
	rest := opentables.NewREST(t, dir)
	rest.At, rest.Lends = "s3a://tables/lake", l.keys
	at := rest.URL
	if change != nil {
		at = change(dir, rest)
	}
	src, err := OpenCatalog(Catalog{URI: at, Warehouse: "tests", Client: opentables.RESTClient, Secret: opentables.RESTSecret},
		listed.Options{Bucket: &bucket.Options{URL: real.URL, Endpoint: l.before(t, real.Endpoint), Region: real.Region}, CacheDir: t.TempDir(), TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// renewed holds that tables are read with at least so many keys each.
func (l *lending) renewed(t *testing.T, src *listed.Source, keys int, tables ...string) {
	t.Helper()
	for _, table := range tables {
		before := l.given
		rows, err := enginetest.Text(src.Scan(t.Context(), source.Scan{Relation: source.Relation{Name: "a.b." + table}, Select: []string{"id"}}))
		if err != nil || len(rows) == 0 || l.given-before < keys {
			t.Errorf("%s: %d bytes of rows, %v, with %d keys", table, len(rows), err, l.given-before)
		}
	}
}

// TestLentKeys reads tables with keys that a catalog lends. Each key ends after a few
// requests, so a fetch needs several.
func TestLentKeys(t *testing.T) {
	l := &lending{uses: 16, ends: "1"} // long ago; requests at the same time share a key
	l.renewed(t, l.open(t, nil), 3, "p_identity", "posdel_part", "dv3", "eq")
}

// TestLentKeysThatTheStoreEnds renews keys that the store says have ended, long before the
// catalog said that they would.
func TestLentKeysThatTheStoreEnds(t *testing.T) {
	l := &lending{uses: 16, ends: "4102444800000", says: "ExpiredToken"}
	l.renewed(t, l.open(t, nil), 2, "p_identity")
}

// TestLentKeysOfTheTable takes those that come with the table where the catalog refuses to
// give others.
func TestLentKeysOfTheTable(t *testing.T) {
	for _, refused := range []int{http.StatusNotFound, http.StatusUnauthorized, http.StatusForbidden, http.StatusBadRequest} {
		l := &lending{uses: 16, ends: "1"}
		l.renewed(t, l.open(t, func(_ string, rest *opentables.REST) string {
			return before(t, rest.URL, func(w http.ResponseWriter, path []string, _ *http.Request) bool {
				if path[1] == "credentials" {
					w.WriteHeader(refused)
				}
				return path[1] == "credentials"
			})
		}), 3, "p_identity")
	}
}

// TestLentKeysOfAPlan reads files with keys that come with the plan alone, and asks for
// others by the plan's name.
func TestLentKeysOfAPlan(t *testing.T) {
	l := &lending{uses: 16, ends: "1"}
	src := l.open(t, func(dir string, rest *opentables.REST) string {
		rest.Lends = nil
		p := &planner{t: t, dir: dir, lends: func() []object { return []object{{"prefix": rest.At, "config": l.keys()}} }}
		return p.before(rest)
	})
	l.renewed(t, src, 3, "p_identity", "posdel_part", "dv3")
}

// TestLentKeysThatEndUnexpectedly are an error that tells no secret.
func TestLentKeysThatEndUnexpectedly(t *testing.T) {
	l := &lending{uses: 2, ends: "4102444800000"}
	_, err := l.open(t, nil).Schema(t.Context(), source.Relation{Name: "a.b.plain"})
	if !api.CodeSource.Is(err) || !strings.Contains(err.Error(), "does not let the server read") {
		t.Errorf("%v: %v", err, errors.Unwrap(err))
	}
	if text := fmt.Sprintf("%v %+v", err, err); strings.Contains(text, "a secret") {
		t.Errorf("it tells a secret: %s", text)
	}
}
