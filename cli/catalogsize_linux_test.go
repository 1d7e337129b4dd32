package cli

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/internal/testing/testneed"
)

// TestACatalogOfAnySizeTakesNoMemory lists, completes and shows to a model 40,000
// tables of a server, in no more memory than two tables take and a little.
func TestACatalogOfAnySizeTakesNoMemory(t *testing.T) {
	testneed.Program(t, "python3")
	const all = 40_000
	var most atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path != "/api/v2/catalog" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(`{"tables":[`))
		for i := range int(most.Load()) {
			_, _ = fmt.Fprintf(w, `%s{"id":"sales_%06d","name":"Sales %d","description":"Orders and returns of the shop number %d, one row a day","source_type":"lake",`+
				`"query_mode":"remote","sql_flavor":"duckdb","where_examples":["day >= DATE '2026-01-01'","shop = %d"],"fetch_via":"da fetch sales_%06d --as NAME",`+
				`"rough_size_hint":"1.2k rows / 180 KB","row_count":1200,"size_bytes":180000}`, strings.Repeat(",", min(i, 1)), i, i, i, i, i)
		}
		_, _ = w.Write([]byte(`],"server_time":"2026-11-29T00:00:00Z"}`))
	}))
	defer server.Close()
	p := newPlace(t).with("DA_SERVER="+server.URL, "DA_TOKEN="+strings.Repeat("x", 40))
	for _, c := range []struct {
		args, env string
		lines     int
	}{{"catalog --refresh", "", all + 1}, {"catalog --json", "", 1}, {"catalog", "AI_AGENT=1", 1}, {"__complete schema sales_0999", "", 0}} {
		at := p.with(c.env)
		most.Store(2)
		_, few := at.measured(strings.Fields(c.args)...)
		most.Store(all)
		o, kB := at.with("DA_HOME=" + t.TempDir()).measured(strings.Fields(c.args)...)
		// Completion gives up where a machine is too slow to wait for.
		if lines := strings.Count(o.stdout, "\n"); o.code != 0 || c.lines > 0 && lines != c.lines {
			t.Errorf("da %s: exit %d, %d lines\n%.300s", c.args, o.code, lines, o.stderr)
		}
		if kB > few+30_000 {
			t.Errorf("da %s: %d kB, and %d kB for two tables", c.args, kB, few)
		}
	}
}

// measured is peak without what this process has: a child's figure begins with that of
// who started it, so a small process does.
func (p *place) measured(args ...string) (outcome, int) {
	p.t.Helper()
	const small = `import resource, subprocess, sys
code = subprocess.run(sys.argv[1:]).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)
sys.exit(code)`
	q := *p
	q.wrap = []string{"python3", "-c", small}
	o := q.run(args...)
	lines := strings.Split(strings.TrimSpace(o.stderr), "\n")
	kB, err := strconv.Atoi(lines[len(lines)-1])
	if err != nil {
		p.t.Fatalf("da %s: %s", args, o.stderr)
	}
	return o, kB
}
