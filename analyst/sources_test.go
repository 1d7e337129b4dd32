package analyst_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/client"
	"github.com/agnes-data/da/internal/testing/bqtest"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/internal/testing/pgtest"
	"github.com/agnes-data/da/server/core"
	serverhttp "github.com/agnes-data/da/server/http"
)

// stock is a table t of one source, and how it changes.
type stock struct {
	source, path string // in the instance file
	change       func(t *testing.T)
	drift        func(t *testing.T, sql string) // nil: change does so, too
	ages         bool                           // it cannot tell its versions
}

const stockRows = "SELECT range, range % 7, ['a', 'b', NULL][range % 3 + 1], DATE '2026-01-01' + CAST(range AS INTEGER) FROM range(300)"

func lakeStock(t *testing.T) stock {
	dir := t.TempDir()
	file := filepath.Join(dir, "t.parquet")
	enginetest.Parquet(t, file, "SELECT * FROM ("+stockRows+") r(id, n, s, day)")
	return stock{source: fmt.Sprintf("type: lake, root: %q", dir), path: "path: t.parquet", change: func(t *testing.T) {
		later := time.Now().Add(time.Minute)
		if err := os.Chtimes(file, later, later); err != nil {
			t.Fatal(err)
		}
	}}
}

func bigqueryStock(t *testing.T) stock {
	server := bqtest.Open(t)
	load := func(t *testing.T) {
		server.Load(t, "t", bqtest.Table{Columns: []bqtest.Column{{Name: "id", Type: "INT64"}, {Name: "n", Type: "INT64"}, {Name: "s", Type: "STRING"}, {Name: "day", Type: "DATE"}}}, stockRows)
	}
	load(t)
	return stock{source: fmt.Sprintf("type: bigquery, project: %s, dataset: %s, endpoint: %q, storage_endpoint: %q", bqtest.Project, bqtest.Dataset, server.URL, server.Storage), path: "relation: t", change: load}
}

func postgresStock(t *testing.T) stock {
	database := pgtest.Shared(t)
	run := func(t *testing.T, sql string) {
		t.Helper()
		if out, err := database.Command("psql", "-v", "ON_ERROR_STOP=1", "-c", sql).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	run(t, `CREATE TABLE t AS SELECT i AS id, i % 7 AS n, (ARRAY['a', 'b', NULL])[i % 3 + 1] AS s, DATE '2026-01-01' + i AS day FROM generate_series(0, 299) r(i);
		CREATE COLLATION ci (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
		CREATE TABLE names AS SELECT * FROM (VALUES ('abc'), ('ABC'), ('x')) v(s); ALTER TABLE names ALTER COLUMN s TYPE text COLLATE ci`)
	return stock{source: fmt.Sprintf("type: postgres, dsn: %q", database.DSN("")), path: "relation: t", ages: true, drift: run}
}

// kindsRows are those of kinds, a table of a lake beside each stock.
const kindsRows = "SELECT * FROM (VALUES (1, 'a', 'one'), (3, 'b', 'three'), (3, 'a', NULL), (NULL, NULL, 'none')) v(n, s, label)"

// shop is a workplace on a stock and the table kinds, embedded or over HTTP.
type shop struct {
	*analyst.Analyst
	t     *testing.T
	admin api.Administration
}

func openShop(t *testing.T, s stock, more string, overHTTP bool) *shop {
	t.Helper()
	near := t.TempDir()
	enginetest.Parquet(t, filepath.Join(near, "kinds.parquet"), kindsRows)
	inst, sources, store := instancetest.Open(t, t.TempDir(), fmt.Sprintf("sources: { s: { %s }, near: { type: lake, root: %q } }\ntables:\n  - { id: t, source: s, %s }\n  - { id: kinds, source: near, path: kinds.parquet, public: true }\n%s", s.source, near, s.path, more))
	c := core.New(inst, sources, store, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = c.Close() })
	w := &shop{workplace(t), t, c.Administration(core.LocalAdmin)}
	w.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: c.Data(core.LocalAdmin), Name: "file:///x"}, nil
	}
	if !overHTTP {
		return w
	}
	w.Connect = serve(t, c, "ann")
	return w
}

// serve makes a user, and returns what connects to the core over HTTP as this user.
func serve(t *testing.T, c *core.Core, user string) func() (analyst.Remote, error) {
	t.Helper()
	admin := c.Administration(core.LocalAdmin)
	if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: user}); err != nil {
		t.Fatal(err)
	}
	token, err := admin.CreateToken(t.Context(), api.NewToken{User: user})
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	at, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- serverhttp.Serve(ctx, serverhttp.Listen{Addr: "127.0.0.1:0", OnListen: func(url, _ string) error { at <- url; return nil }},
			c, slog.New(slog.DiscardHandler))
	}()
	t.Cleanup(func() { stop(); <-ended })
	var url string
	select {
	case url = <-at:
	case err := <-ended:
		t.Fatal(err)
	}
	far, err := client.New(client.Options{URL: url, Token: token.Secret})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(far.Close)
	return func() (analyst.Remote, error) { return analyst.Remote{Data: far.Data(), Name: url}, nil }
}

// grant lets the user read some rows.
func (w *shop) grant(rows string) (revoke func()) {
	w.t.Helper()
	g, err := w.admin.CreateGrant(w.t.Context(), api.NewGrant{User: "ann", TableID: "t", Rows: rows})
	if err != nil {
		w.t.Fatal(err)
	}
	return func() {
		if err := w.admin.RevokeGrant(w.t.Context(), g.ID); err != nil {
			w.t.Fatal(err)
		}
	}
}

// reused fetches and tells whether a snapshot answered.
func (w *shop) reused(name, where string, req fetch.Request) (fetch.Result, bool) {
	w.t.Helper()
	req.Name, req.Force, req.Scan.Where = name, true, where
	if req.Scan.TableID == "" {
		req.Scan.TableID = "t"
	}
	got, err := fetch.Run(w.t.Context(), w.Analyst, req)
	if err != nil {
		w.t.Fatalf("%s: %v", where, err)
	}
	return *got, got.Snapshot.From != nil
}

// TestWhatIsReusedIsWhatTheSourceGives for each kind of source, in this process and
// over HTTP, and nothing is reused once it could be something else.
func TestWhatIsReusedIsWhatTheSourceGives(t *testing.T) {
	for kind, open := range map[string]func(*testing.T) stock{"lake": lakeStock, "bigquery": bigqueryStock, "postgres": postgresStock} {
		t.Run(kind, func(t *testing.T) {
			s := open(t)
			for _, overHTTP := range []bool{false, true} {
				// A statement and a change of columns are the same on either way.
				joins, drifts := joins, drifts
				if overHTTP {
					joins, drifts = joins[:1], drifts[:1]
				}
				w := openShop(t, s, "", overHTTP)
				revoke := func() {}
				if overHTTP {
					revoke = w.grant("")
				}
				var age fetch.Request
				if s.ages {
					age.MaxAge = time.Hour
				}
				w.reused("held", "n > 1", fetch.Request{})
				for i, where := range []string{"n > 3 AND s = 'a' AND day < '2026-03-01'", "n >= 2"} {
					if i%2 == 0 {
						age.Scan.Select = []string{"s", "n", "day"}
					}
					got, from := w.reused("got", where, age)
					want, _ := w.reused("want", where, fetch.Request{Scan: age.Scan, Fresh: true})
					if !from || got.Snapshot.ContentHash != want.Snapshot.ContentHash || want.Snapshot.Rows == 0 {
						t.Errorf("%s, over HTTP %v: from a snapshot: %v, %d rows, and a fetch gives %d", where, overHTTP, from, got.Snapshot.Rows, want.Snapshot.Rows)
					}
				}
				w.join(joins)
				never := func(why, where string, req fetch.Request) {
					t.Helper()
					if got, from := w.reused("never", where, req); from {
						t.Errorf("%s, over HTTP %v: %s", why, overHTTP, got.Snapshot.From)
					}
					_, _ = keep.Drop(w.Analyst, "never")
				}
				if s.ages {
					never("without an age", "n > 3", fetch.Request{})
				}
				w.reused("clock", "day < CURRENT_DATE", fetch.Request{})
				never("the clock", "day < CURRENT_DATE", fetch.Request{MaxAge: time.Hour})
				connect := w.Connect
				w.Connect = func() (analyst.Remote, error) {
					remote, err := connect()
					remote.Name = "https://elsewhere"
					return remote, err
				}
				never("another server", "n > 3", fetch.Request{MaxAge: time.Hour})
				w.Connect = connect
				if overHTTP {
					revoke()
					revoke = w.grant("n < 100")
					never("a rule", "n > 3", fetch.Request{MaxAge: time.Hour})
					w.reused("ruled", "n > 1", fetch.Request{Fresh: true})
					revoke()
					w.grant("n < 101")
					never("another rule", "n > 3", fetch.Request{MaxAge: time.Hour})
				}
				if s.drift != nil {
					w.drift(s, drifts, never)
				}
				if s.change != nil {
					s.change(t)
					never("a change", "n > 3", fetch.Request{MaxAge: time.Hour})
				}
			}
		})
	}
}

// joins join the table with one of another source, and drifts change columns of a
// table that has no versions, and change them back.
var (
	joins = []string{
		"SELECT k.label, count(*), sum(t.id)::BIGINT FROM t JOIN kinds k USING (n) WHERE t.day > '2026-02-01' GROUP BY ALL ORDER BY ALL",
		"SELECT k.label, t.id FROM kinds k LEFT JOIN t ON t.n = k.n AND t.s = k.s AND t.id < 40 ORDER BY ALL",
		"SELECT t.id, k.label FROM t FULL JOIN kinds k ON t.id = k.n AND t.s IS NOT DISTINCT FROM k.s WHERE coalesce(t.id, 0) < 9 ORDER BY ALL",
		"SELECT id FROM t WHERE s IN (SELECT s FROM kinds WHERE label = 'three') AND n > 3 EXCEPT SELECT n FROM kinds ORDER BY 1",
	}
	drifts = [][2]string{
		{"ALTER TABLE t ADD COLUMN more int", "ALTER TABLE t DROP COLUMN more"},
		{"ALTER TABLE t ALTER COLUMN n TYPE numeric(9,2)", "ALTER TABLE t ALTER COLUMN n TYPE int"},
		{"ALTER TABLE t ALTER COLUMN s TYPE text COLLATE ci", "ALTER TABLE t ALTER COLUMN s TYPE text"},
	}
)

// join runs some of the joins, and does as the engine does with both tables.
func (w *shop) join(joins []string) {
	w.t.Helper()
	conn := enginetest.Conn(w.t)
	for view, sql := range map[string]string{"t(id, n, s, day)": stockRows, "kinds": kindsRows} {
		if err := conn.Exec(w.t.Context(), "CREATE VIEW "+view+" AS "+sql); err != nil {
			w.t.Fatal(err)
		}
	}
	for i, sql := range joins {
		times := 1
		if i == 0 {
			times = 2 // the second time of what is here
		}
		for range times {
			if got, want := fetched(w.t, w.Analyst, sql, plan.Options{}), whole(w.t, conn, sql); got != want || want == "" {
				w.t.Errorf("%s gives\n%s\nwant\n%s", sql, got, want)
			}
		}
	}
}

// drift makes some of the drifts: a snapshot of other columns is never used, however
// young it is.
func (w *shop) drift(s stock, drifts [][2]string, never func(why, where string, req fetch.Request)) {
	w.t.Helper()
	old := fetch.Request{MaxAge: time.Hour}
	for _, change := range drifts {
		w.reused("before", "n > 1", fetch.Request{Fresh: true})
		if _, from := w.reused("same", "n > 3", old); !from {
			w.t.Error("nothing is reused before the columns change")
		}
		_, _ = keep.Drop(w.Analyst, "same")
		s.drift(w.t, change[0])
		never(change[0], "n > 3", old)
		s.drift(w.t, change[1])
	}
}

// TestACollationThatTakesTextsForEqual proves nothing here.
func TestACollationThatTakesTextsForEqual(t *testing.T) {
	w := openShop(t, postgresStock(t), "  - { id: names, source: s, relation: names }\n", false)
	names := fetch.Request{Scan: api.ScanRequest{TableID: "names"}, MaxAge: time.Hour}
	w.reused("held", "s IN ('abc', 'x')", names)
	if got, from := w.reused("got", "s = 'abc'", names); from || got.Snapshot.Rows != 2 {
		t.Errorf("from a snapshot: %v, %d rows", from, got.Snapshot.Rows)
	}
	made, err := plan.Make(t.Context(), w.Analyst, "SELECT * FROM names WHERE s <> 'abc'", false)
	if err != nil || made.Tables[0].Where != "" || len(made.Tables[0].Local) != 1 {
		t.Errorf("%#v, %v", made.Tables, err)
	}
}
