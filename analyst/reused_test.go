package analyst_test

import (
	"fmt"
	"log/slog"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/server/core"
)

// served is a workplace on a lake with one table, t, of types that differ in how
// they compare, and the core that serves it.
func served(t *testing.T) (*analyst.Analyst, *core.Core, string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	enginetest.Parquet(t, filepath.Join(dir, "data/t.parquet"), `SELECT i AS id, CASE WHEN i % 11 > 0 THEN (i % 7 - 3)::INTEGER END AS n,
		CASE i % 5 WHEN 0 THEN 'nan' WHEN 1 THEN NULL WHEN 2 THEN 'inf' ELSE i / 8 END::DOUBLE AS f, (i / 4)::DECIMAL(9, 2) AS d,
		['', 'a', 'A', 'ab', 'b ', 'ř', NULL][i % 7 + 1] AS s, DATE '2026-01-01' + (i % 90)::INTEGER AS day,
		TIMESTAMP '2026-01-01' + INTERVAL (i) HOUR AS moment, i::UTINYINT AS small, i % 3 = 0 AS ok FROM range(200) r(i)`)
	inst, sources, store := instancetest.Open(t, dir, `
sources: { files: { type: lake, root: ./data } }
tables:
  - { id: t, source: files, path: t.parquet }
`)
	c := core.New(inst, sources, store, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = c.Close() })
	a := workplace(t)
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: c.Data(core.LocalAdmin), Name: "file:///x"}, nil
	}
	return a, c, dir
}

// atoms are conditions that random predicates are made of.
var atoms = []string{
	"n > 0", "n >= 0", "n < 2", "n = 1", "n IN (1, 2)", "n IN (1, 2, NULL)", "n BETWEEN -1 AND 2", "n IS NULL", "n <> 1", "NOT (n > 1)", "n > 0.5",
	"f > 3", "f >= 10.5", "f = 'NaN'::DOUBLE", "f < 5", "f IS NOT NULL", "d > 10", "d >= 10.25", "d < 40", "s = 'a'", "s LIKE 'a%'", "s >= 'a'", "s IN ('a', 'b ')",
	"s IS NULL", "upper(s) = 'A'", "day >= DATE '2026-02-01'", "day < '2026-03-01'", "day BETWEEN '2026-02-01' AND '2026-02-28'", "date_trunc('month', day) = DATE '2026-02-01'",
	"moment >= TIMESTAMP '2026-01-03'", "moment < TIMESTAMP '2026-01-05 12:00:00'", "CAST(moment AS DATE) = DATE '2026-01-04'", "small > 100", "small <= 120", "ok", "NOT ok", "id % 2 = 0", "id > 20", "id <= 150",
}

// random is a predicate of up to three atoms.
func random(r *rand.Rand) string {
	text := atoms[r.IntN(len(atoms))]
	for range r.IntN(3) {
		text = fmt.Sprintf("(%s) %s %s", text, []string{"AND", "OR"}[r.IntN(2)], atoms[r.IntN(len(atoms))])
	}
	return text
}

// TestAReusedSnapshotIsWhatAFetchGives compares hashes over all rows. DA_REUSE is the
// number of random predicates.
func TestAReusedSnapshotIsWhatAFetchGives(t *testing.T) {
	a, _, _ := served(t)
	rounds, seed := 12, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("DA_REUSE")); err == nil {
		rounds, seed = n, uint64(time.Now().UnixNano())
	}
	t.Logf("%d rounds, seed %d", rounds, seed)
	r := rand.New(rand.NewPCG(seed, 2))
	fetch := func(name, where string, columns []string, fresh bool) *fetch.Result {
		t.Helper()
		got, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t", Where: where, Select: columns}, Name: name, Force: true, Fresh: fresh})
		if err != nil {
			t.Fatalf("%s: %v", where, err)
		}
		return got
	}
	reused := 0
	for i := range rounds {
		held, asked := random(r), random(r)
		if i%2 == 0 { // a narrower one is seldom met by chance
			asked = "(" + held + ") AND " + asked
		}
		var columns []string
		if i%3 == 0 {
			columns = []string{"s", "f", "n"}
		}
		fetch("held", held, nil, true)
		got := fetch("got", asked, columns, false)
		if got.Snapshot.From == nil {
			continue
		}
		reused++
		if want := fetch("want", asked, columns, true); got.Snapshot.ContentHash != want.Snapshot.ContentHash {
			t.Errorf("%s from %s: %d rows, and a fetch gives %d", asked, held, got.Snapshot.Rows, want.Snapshot.Rows)
		}
		if _, err := keep.Drop(a, "want"); err != nil {
			t.Fatal(err)
		}
	}
	if reused*4 < rounds { // the others stand for what is not proven, or not estimated alike
		t.Errorf("only %d of %d were reused", reused, rounds)
	}
}

// granted is served for the user ann, who has no rights yet. grant gives her some
// columns, or all, of rows that a rule lets through.
func granted(t *testing.T) (a *analyst.Analyst, file string, grant func(rows string, columns ...string) (revoke func())) {
	a, c, dir := served(t)
	admin := c.Administration(core.LocalAdmin)
	user, err := admin.CreateUser(t.Context(), api.NewUser{Name: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: c.Data(core.Principal{User: "ann", UserID: user.ID}), Name: "https://x"}, nil
	}
	return a, filepath.Join(dir, "data/t.parquet"), func(rows string, columns ...string) func() {
		g, err := admin.CreateGrant(t.Context(), api.NewGrant{User: "ann", TableID: "t", Rows: rows, Columns: columns})
		if err != nil {
			t.Fatal(err)
		}
		return func() {
			if err := admin.RevokeGrant(t.Context(), g.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// TestRightsThatNarrowedEndReuse: what came under wider rights answers nobody
// whose rights are narrower, also under another rule on rows.
func TestRightsThatNarrowedEndReuse(t *testing.T) {
	a, file, grant := granted(t)
	n := 0
	from := func(maxAge time.Duration) (string, int64) {
		n++
		got, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t", Where: "n > 0"}, Name: fmt.Sprintf("s%d", n), MaxAge: maxAge})
		if err != nil {
			t.Fatal(err)
		}
		if got.Snapshot.From == nil {
			return "", got.Snapshot.Rows
		}
		return got.Snapshot.From.Snapshot, got.Snapshot.Rows
	}
	revoke := grant("")
	from(0)
	if snapshot, _ := from(0); snapshot == "" {
		t.Error("nothing was reused under the same rights")
	}
	revoke()
	revoke = grant("n < 2")
	if snapshot, rows := from(time.Hour); snapshot != "" || rows == 0 {
		t.Errorf("under a rule: %d rows from '%s'", rows, snapshot)
	}
	if snapshot, _ := from(0); snapshot != "s3" {
		t.Errorf("under the same rule from '%s'", snapshot)
	}
	revoke()
	grant("n < 3")
	if snapshot, _ := from(time.Hour); snapshot != "" {
		t.Errorf("under another rule from '%s'", snapshot)
	}
	later := time.Now().Add(time.Minute)
	if err := os.Chtimes(file, later, later); err != nil {
		t.Fatal(err)
	}
	if snapshot, _ := from(time.Hour); snapshot != "" {
		t.Errorf("after a change from '%s'", snapshot)
	}
}

// TestColumnsTakenAwayEndReuse: what came when more columns could be seen is read
// again, also where it has none of those, by fetches, queries and refreshes.
func TestColumnsTakenAwayEndReuse(t *testing.T) {
	a, _, grant := granted(t)
	both := api.ScanRequest{TableID: "t", Select: []string{"id", "n"}, Where: "n > 0"}
	const sql = "SELECT count(*), max(n) FROM t WHERE id < 50"
	reads := func(scan api.ScanRequest) bool {
		got, err := fetch.Run(t.Context(), a, fetch.Request{Scan: scan, Name: "got", Force: true, MaxAge: time.Hour})
		if err != nil {
			t.Fatal(err)
		}
		return got.Snapshot.From == nil
	}
	revoke := grant("", "id", "n", "s", "small")
	mustFetch(t, a, "kept", api.ScanRequest{Select: []string{"id"}})
	mustFetch(t, a, "held", api.ScanRequest{})
	fetched(t, a, sql, plan.Options{Fresh: true})
	if reads(both) {
		t.Error("nothing is reused before")
	}
	mustFetch(t, a, "both", both)
	revoke()
	grant("", "id", "n")
	if !reads(api.ScanRequest{TableID: "t", Where: "n > 2"}) || !reads(both) {
		t.Error("a fetch is answered from what more columns could be seen in")
	}
	from := ""
	fetched(t, a, sql, plan.Options{OnPlan: func(p *plan.Plan) {
		if from = p.Tables[0].From; p.Tables[0].Reuse != nil && p.Tables[0].Reuse.Snapshot != "got" {
			t.Errorf("a query is answered %s", p.Tables[0].Reuse)
		}
	}})
	if from == "" || mustRefresh(t, a, fetch.RefreshRequest{Name: "kept"}).Unchanged {
		t.Error("a refresh takes what more columns could be seen in for the same")
	}
	if _, err := fetch.Run(t.Context(), a, fetch.Request{Scan: api.ScanRequest{TableID: "t", Select: []string{"s"}}, Name: "s"}); !api.CodeRejected.Is(err) {
		t.Error("a column that was taken away:", err)
	}
	if _, err := plan.Query(t.Context(), a, "SELECT max(s) FROM t", plan.Options{}); err == nil {
		t.Error("a query over a column that was taken away gives rows")
	}
}
