package cli

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/agnes-data/da/cli/exit"
)

// middle stands between da and its server. It lists what is asked, and can
// refuse everything, or be gone.
type middle struct {
	*httptest.Server
	mu     sync.Mutex
	asked  []string
	status int // 0: pass on
}

func between(t *testing.T, server string) *middle {
	t.Helper()
	target, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	m := &middle{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		m.mu.Lock()
		m.asked = append(m.asked, r.URL.Path)
		status := m.status
		m.mu.Unlock()
		if status != 0 {
			w.WriteHeader(status)
			_, _ = io.WriteString(w, "no")
			return
		}
		proxy.ServeHTTP(w, r)
	}))
	t.Cleanup(m.Close)
	return m
}

// took returns what was asked since the last call.
func (m *middle) took() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	asked := m.asked
	m.asked = nil
	return asked
}

func (m *middle) answer(status int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.status = status
}

func TestTheCacheSavesQuestionsAndAnswersOffline(t *testing.T) {
	t.Parallel()
	p := newPlace(t).served()
	m := between(t, p.get("DA_SERVER"))
	p = p.with("DA_SERVER=" + m.URL)
	first := p.ok("catalog", "--json")
	p.ok("describe", "airports", "-n", "3")
	want := []string{"/api/v2/catalog", "/api/v2/schema/airports", "/api/v2/sample/airports"}
	if asked := m.took(); !slices.Equal(asked, want) {
		t.Errorf("asked %v", asked)
	}
	if again := p.ok("catalog", "--json"); again != first {
		t.Errorf("the cached answer differs:\n%s%s", first, again)
	}
	p.ok("schema", "airports")
	p.ok("describe", "airports", "-n", "2", "--json")
	if asked := m.took(); len(asked) > 0 {
		t.Errorf("asked again: %v", asked)
	}
	// Somebody else's answers are not for this user.
	if o := p.with("DA_TOKEN=da_other").run("catalog"); o.code != exit.Auth {
		t.Errorf("another token: exit %d", o.code)
	}
	m.took()
	p.ok("catalog", "--refresh")
	if asked := m.took(); !slices.Equal(asked, want[:1]) {
		t.Errorf("--refresh asked %v", asked)
	}
	p.ok("schema", "airports")
	if asked := m.took(); !slices.Equal(asked, want[1:2]) {
		t.Errorf("--refresh kept the schema: %v", asked)
	}

	// Embedded mode keeps nothing.
	p.with("DA_SERVER=").ok("catalog")

	m.Close()
	later := p.with("DA_TEST_LATER=26h")
	if o := later.run("catalog", "--json"); o.code != 0 || !strings.Contains(o.stderr, "this is what it said 1 day ago") || !strings.Contains(o.stdout, `"flights"`) {
		t.Errorf("offline: exit %d\n%s", o.code, o.stderr)
	}
	if o := later.run("schema", "airports"); o.code != 0 || !strings.Contains(o.stderr, "1 day ago") || !strings.Contains(o.stdout, "iata") {
		t.Errorf("schema offline: exit %d\n%s", o.code, o.stderr)
	}
	// A search finds columns of tables whose schema is kept, and others by name.
	for word, id := range map[string]string{"flight": "flights", "iata": "airports"} {
		o := later.run("catalog", "--search", word, "--json")
		if o.code != 0 || !strings.Contains(o.stderr, "this is what it said 1 day ago") || !strings.Contains(o.stdout, `"id":"`+id+`"`) {
			t.Errorf("search for %s offline: exit %d\n%s%s", word, o.code, o.stdout, o.stderr)
		}
	}
	if o := p.with("DA_HOME="+t.TempDir()).run("catalog", "--search", "flight"); o.code != exit.Unreachable {
		t.Errorf("search offline, with nothing kept: exit %d\n%s", o.code, o.stderr)
	}
	if o := later.run("schema", "flights", "--json"); o.code != exit.Unreachable || o.lastJSON(t).Code != "unreachable" {
		t.Errorf("offline, never asked: exit %d\n%s", o.code, o.stderr)
	}
	if o := later.run("catalog", "--refresh"); o.code != exit.Unreachable {
		t.Errorf("offline, --refresh: exit %d\n%s", o.code, o.stderr)
	}
	for _, args := range [][]string{{"catalog"}, {"schema", "airports"}} {
		if o := later.run(args...); o.code != 0 || !strings.Contains(o.stderr, "1 day ago") {
			t.Errorf("%v after a --refresh that failed: exit %d\n%s", args, o.code, o.stderr)
		}
	}
}

func TestARefusalIsNeverAnsweredFromTheCache(t *testing.T) {
	t.Parallel()
	p := newPlace(t).served()
	m := between(t, p.get("DA_SERVER"))
	p = p.with("DA_SERVER=" + m.URL)
	later := p.with("DA_TEST_LATER=2h")
	for status, code := range map[int]int{http.StatusUnauthorized: exit.Auth, http.StatusForbidden: exit.Forbidden} {
		m.answer(0)
		p.ok("catalog", "--refresh")
		p.ok("describe", "airports")
		m.answer(status)
		for _, args := range [][]string{{"catalog"}, {"schema", "airports"}, {"describe", "airports"}} {
			if o := later.run(args...); o.code != code || o.stdout != "" {
				t.Errorf("%d, %v: exit %d\n%s", status, args, o.code, o.stdout)
			}
		}
	}
	// What was refused is gone, so it cannot come back when the server is.
	m.Close()
	for _, args := range [][]string{{"catalog"}, {"schema", "airports"}} {
		if o := later.run(args...); o.code != exit.Unreachable {
			t.Errorf("offline after a refusal, %v: exit %d\n%s", args, o.code, o.stdout)
		}
	}
}

// BenchmarkCachedCatalog runs the program as a user does: its start is most of
// what a cached answer takes.
func BenchmarkCachedCatalog(b *testing.B) {
	p := newPlace(b).served()
	p.ok("catalog", "--json")
	for b.Loop() {
		p.ok("catalog", "--json")
	}
}

// TestASyncRenewsTheCatalog: tables that are new since the catalog was kept are known
// after a sync, also offline.
func TestASyncRenewsTheCatalog(t *testing.T) {
	t.Parallel()
	p := newPlace(t).served()
	m := between(t, p.get("DA_SERVER"))
	p = p.with("DA_SERVER=" + m.URL)
	p.ok("catalog")
	m.took()
	p.ok("sync")
	if asked := m.took(); !slices.Contains(asked, "/api/v2/catalog") {
		t.Errorf("sync asked only %v", asked)
	}
	p.ok("catalog")
	if asked := m.took(); len(asked) > 0 {
		t.Errorf("the catalog of the sync is asked for again: %v", asked)
	}
}
