package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/testing/pgtest"
)

// TestSyncTellsWhatTheSourceWarnsOf holds that whoever syncs a table, or has its
// file made anew, is told of columns that became text, as whoever fetches it is,
// and how to compute with them.
func TestSyncTellsWhatTheSourceWarnsOf(t *testing.T) {
	t.Parallel()
	cluster := pgtest.New(t, pgtest.Options{})
	if out, err := cluster.Command("psql", "-q", "-v", "ON_ERROR_STOP=1", "-d", "postgres", "-c",
		"CREATE TABLE orders (id int, total numeric); INSERT INTO orders VALUES (1, 1.25), (2, 2.5)").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	p := newPlace(t)
	instance := "sources:\n  crm: { type: postgres, dsn_env: CRM_DSN }\ntables:\n  - { id: orders, source: crm, relation: public.orders, query_mode: local, public: true }\n"
	if err := os.WriteFile(filepath.Join(p.dir, "instance.yaml"), []byte(instance), 0o600); err != nil {
		t.Fatal(err)
	}
	p = p.with("CRM_DSN=" + cluster.DSN("")).served()
	fetched := p.run("fetch", "orders", "--as", "part")
	_, warning, _ := strings.Cut(fetched.stderr, "WARN: ")
	warning, _, _ = strings.Cut(warning, "\n")
	if fetched.code != 0 || !strings.Contains(warning, `"total"`) {
		t.Fatalf("a fetch: exit %d\n%s", fetched.code, fetched.stderr)
	}
	for _, args := range [][]string{{"admin", "table", "refresh", "orders"}, {"sync"}} {
		if o := p.run(args...); o.code != 0 || strings.Count(o.stderr, "WARN: table 'orders': "+warning) != 1 {
			t.Errorf("%v: exit %d\n%s", args, o.code, o.stderr)
		}
	}
	if o := p.run("sync"); o.code != 0 || strings.Contains(o.stderr, "WARN") {
		t.Errorf("a sync that pulls nothing: exit %d\n%s", o.code, o.stderr)
	}
	if e := p.run("query", "SELECT sum(total) FROM orders", "--json").lastJSON(t); !strings.Contains(e.Hint, "sum(x::DECIMAL(38,10))") {
		t.Errorf("%+v", e)
	}
	if o := p.run("query", "SELECT sum(total::DECIMAL(38,10)) AS s FROM orders", "-o", "csv"); o.stdout != "s\n3.7500000000\n" {
		t.Errorf("exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
	for _, c := range []struct {
		args  []string
		tells bool
	}{
		{[]string{"query", "SELECT max(total) AS m FROM orders"}, true}, {[]string{"query", "SELECT max(id) AS m FROM orders"}, false},
		{[]string{"values", "orders.total"}, true}, {[]string{"values", "orders.id"}, false},
		{[]string{"profile", "orders"}, true}, {[]string{"profile", "orders", "--columns", "id"}, false},
	} {
		if o := p.run(c.args...); o.code != 0 || strings.Contains(o.stderr, warning) != c.tells {
			t.Errorf("%v of a synced table: exit %d\n%s", c.args, o.code, o.stderr)
		}
	}
}
