package analyst_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/server/core"
)

// tabled is a workplace on a lake of tables, each made by a SELECT, and an engine that
// sees them whole.
func tabled(t *testing.T, tables map[string]string) (*analyst.Analyst, *duckdb.Conn) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	conn, text := enginetest.Conn(t), "sources: { files: { type: lake, root: ./data } }\ntables:\n"
	for id, sql := range tables {
		file := filepath.Join(dir, "data", id+".parquet")
		enginetest.Parquet(t, file, sql)
		text += fmt.Sprintf("  - { id: %s, source: files, path: %s.parquet, public: true }\n", id, id)
		if err := conn.Exec(t.Context(), "CREATE VIEW "+id+" AS FROM read_parquet("+duckdb.PathLiteral(file)+")"); err != nil {
			t.Fatal(err)
		}
	}
	a, _ := openLake(t, dir, text)
	return a, conn
}

// openLake is a workplace on an instance in a folder.
func openLake(t testing.TB, dir, instance string) (*analyst.Analyst, *core.Core) {
	inst, sources, store := instancetest.Open(t, dir, instance)
	c := core.New(inst, sources, store, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = c.Close() })
	a := workplace(t)
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: c.Data(core.LocalAdmin), Name: "file:///x"}, nil
	}
	return a, c
}

// noting notes what is scanned.
type noting struct {
	api.Scanner
	mu  *sync.Mutex
	all *[]api.ScanRequest
}

func (n noting) Scan(ctx context.Context, req api.ScanRequest) (*api.Stream, error) {
	n.mu.Lock()
	*n.all = append(*n.all, req)
	n.mu.Unlock()
	return n.Scanner.Scan(ctx, req)
}

// noteScans makes a workplace note its scans; taken returns and forgets them.
func noteScans(a *analyst.Analyst) (taken func() []api.ScanRequest) {
	var mu sync.Mutex
	var all []api.ScanRequest
	connect := a.Connect
	a.Connect = func() (analyst.Remote, error) {
		remote, err := connect()
		remote.Scanner = noting{remote.Scanner, &mu, &all}
		return remote, err
	}
	return func() []api.ScanRequest {
		mu.Lock()
		defer mu.Unlock()
		out := all
		all = nil
		return out
	}
}

// whole is what the engine gives over the whole tables.
func whole(t *testing.T, conn *duckdb.Conn, sql string) string {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	text, err := enginetest.Text(rows, nil)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return text
}

// TestTheSmallerSideSaysWhichKeys: of the larger side of a join only those rows are
// fetched that have a key of the smaller one.
func TestTheSmallerSideSaysWhichKeys(t *testing.T) {
	a, conn := tabled(t, map[string]string{
		"orders":    "SELECT i AS id, i % 5000 AS customer, ['a', 'b', NULL][i % 3 + 1] AS kind, DATE '2026-01-01' + (i % 90)::INTEGER AS day, i // 7 AS price FROM range(20000) r(i)",
		"customers": "SELECT i AS id, 'C' || i % 40 AS city, i % 7 AS level FROM range(5000) r(i)",
		"cities":    "SELECT 'C' || i AS name, i < 2 AS big FROM range(40) r(i)",
	})
	taken := noteScans(a)
	for _, c := range []struct {
		sql  string
		keys map[string]int // how many values each table is asked for
	}{
		{"SELECT c.city, count(*), sum(o.price)::BIGINT FROM orders o JOIN customers c ON o.customer = c.id WHERE c.level = 3 AND c.city = 'C3' GROUP BY ALL ORDER BY ALL", map[string]int{"orders": 18}},
		{"SELECT o.kind, count(*) FROM orders o, customers c, cities x WHERE o.customer = c.id AND c.city = x.name AND x.big AND c.level = 1 GROUP BY ALL ORDER BY ALL", map[string]int{"orders": 36, "customers": 2}},
		{"SELECT count(*), min(day) FROM orders WHERE customer IN (SELECT id FROM customers WHERE city = 'C5')", map[string]int{"orders": 125}},
		{"SELECT count(*) FROM orders o JOIN customers c ON o.customer = c.id AND c.level = 9", map[string]int{"orders": -1}},
		{"SELECT count(*) FROM orders o JOIN customers c ON o.customer = c.id AND c.level < 3", nil}, // too many
		{"SELECT count(*), count(c.id) FROM orders o LEFT JOIN customers c ON o.customer = c.id AND c.city = 'C1'", nil},
	} {
		want := whole(t, conn, c.sql)
		if got := fetched(t, a, c.sql, plan.Options{}); got != want {
			t.Errorf("%s gives\n%s\nwant\n%s", c.sql, got, want)
		}
		scans := map[string]string{}
		for _, req := range taken() {
			scans[req.TableID] = req.Where
		}
		for id, want := range c.keys {
			where, scanned := scans[id]
			if got := strings.Count(where[strings.Index(where, "IN (")+1:], ", ") + 1; scanned != (want > 0) || scanned && got != want {
				t.Errorf("%s: of %s is fetched %s (%d), want %d keys", c.sql, id, where, got, want)
			}
		}
		if c.keys == nil && strings.Contains(scans["orders"], " IN (") {
			t.Errorf("%s: of orders is fetched %s", c.sql, scans["orders"])
		}
		if got := fetched(t, a, c.sql, plan.Options{}); got != want || len(taken()) > 0 {
			t.Errorf("%s: once more it reads, or gives %s", c.sql, got)
		}
	}
}

// TestKeysOfWhatIsHere: a snapshot's keys are in the plan; what is fetched later is
// only announced. A plan is the same at any time.
func TestKeysOfWhatIsHere(t *testing.T) {
	at := time.Now()
	a, _ := tabled(t, map[string]string{"t": "SELECT i AS id, i % 100 AS k FROM range(3000) r(i)", "few": "SELECT i AS k, i < 2 AS ok FROM range(40) r(i)"})
	const sql = "SELECT count(*) FROM t JOIN few f ON t.k = f.k AND f.ok"
	planned := func(sql, id string) plan.Table {
		t.Helper()
		made, err := plan.Make(t.Context(), a, sql, false)
		if err != nil {
			t.Fatal(err)
		}
		for _, p := range made.Tables {
			if p.TableID == id {
				return p
			}
		}
		t.Fatalf("%+v", made)
		return plan.Table{}
	}
	if p := planned(sql, "t"); p.Where != "" || len(p.Keys) != 1 || p.Keys[0].String() != "k among k of few" {
		t.Errorf("%+v", p)
	}
	if _, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "few", Where: "ok"}, Name: "mine"}); err != nil {
		t.Fatal(err)
	}
	if p := planned(sql, "t"); p.Where != `"k" IN (0, 1)` || len(p.Keys) != 0 { // from the snapshot that covers it
		t.Errorf("%+v", p)
	}
	if p := planned("SELECT count(*) FROM t JOIN mine USING (k)", "t"); p.Where != `"k" IN (0, 1)` {
		t.Errorf("%+v", p)
	}
	a.Now = func() time.Time { at = at.Add(time.Second); return at }
	for _, sql := range []string{sql, "SELECT count(*) FROM t x JOIN t y USING (id) JOIN mine m ON m.k = x.k JOIN few f ON f.k = y.k WHERE x.k > 3", "SELECT * FROM few WHERE ok UNION ALL SELECT * FROM mine"} {
		texts := map[string]bool{}
		for range 4 {
			made, err := plan.Make(t.Context(), a, sql, false)
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(made)
			if err != nil {
				t.Fatal(err)
			}
			texts[string(text)] = true
		}
		if len(texts) != 1 {
			t.Errorf("%s has the plans %v", sql, texts)
		}
	}
	if p := planned("SELECT count(*) FROM t JOIN mine USING (k) WHERE id < 7", "t"); p.Where != `"k" IN (0, 1) AND "id" < 7` {
		t.Errorf("%+v", p)
	}
}

// TestAStatementAtTheSource runs there if that sends much less, and nothing of it is
// here.
func TestAStatementAtTheSource(t *testing.T) {
	a, conn := tabled(t, map[string]string{
		"wide": "SELECT i AS a, i * 2 AS b, i % 7 AS c, i * 3 AS d FROM range(3000000) r(i)",
		"few":  "SELECT i AS c, i < 2 AS ok FROM range(7) r(i)",
	})
	embedded := a.Connect
	a.Connect = func() (analyst.Remote, error) {
		remote, err := embedded()
		remote.Name = "https://x"
		return remote, err
	}
	taken := noteScans(a)
	from := func(sql string) string {
		t.Helper()
		made, err := plan.Make(t.Context(), a, sql, false)
		if err != nil {
			t.Fatal(err)
		}
		return made.Tables[0].From
	}
	const one, best = "SELECT max(a), min(b)::BIGINT, max(d) FROM wide JOIN few USING (c) WHERE ok", "SELECT a, b, d FROM wide ORDER BY a DESC LIMIT 3"
	for _, sql := range []string{one, best} {
		if got, want := fetched(t, a, sql, plan.Options{}), whole(t, conn, sql); got != want || from(sql) != plan.FromSource || len(taken()) > 0 {
			t.Errorf("%s, from %s, gives %s, want %s", sql, from(sql), got, want)
		}
	}
	for sql, want := range map[string]string{
		"SELECT a, b, d FROM wide":                              plan.FromFetch, // all of it is sent either way
		"SELECT count(*) FROM few":                              plan.FromFetch, // and this is little
		"SELECT c, max(a), max(b), max(d) FROM wide GROUP BY 1": plan.FromFetch,
	} {
		if got := from(sql); got != want {
			t.Errorf("%s: from %s", sql, got)
		}
	}
	if _, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "few"}}); err != nil {
		t.Fatal(err)
	}
	if got := from(strings.ReplaceAll(one, "max(a)", "max(a), 1")); got == plan.FromSource {
		t.Errorf("with a snapshot: from %s", got)
	}
	a.Connect = embedded
	if got := from(best); got != plan.FromFetch {
		t.Errorf("embedded: from %s", got)
	}
}
