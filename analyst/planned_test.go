package analyst_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/toolbox/fit"
)

// counting counts the scans of a service.
type counting struct {
	api.Scanner
	scans *atomic.Int64
}

func (c counting) Scan(ctx context.Context, req api.ScanRequest) (*api.Stream, error) {
	c.scans.Add(1)
	return c.Scanner.Scan(ctx, req)
}

// countScans makes a workplace count the scans of its service.
func countScans(a *analyst.Analyst) *atomic.Int64 {
	scans, connect := &atomic.Int64{}, a.Connect
	a.Connect = func() (analyst.Remote, error) {
		remote, err := connect()
		remote.Scanner = counting{remote.Scanner, scans}
		return remote, err
	}
	return scans
}

func fetched(t *testing.T, a *analyst.Analyst, sql string, o plan.Options) string {
	t.Helper()
	o.Portable = true
	result, err := plan.Query(t.Context(), a, sql, o)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer result.Close()
	text, err := enginetest.Text(result.Rows(), nil)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return text
}

// TestFaultsSayWhereInTheStatementThatWasGiven holds that an error's place is the
// same whatever the engine was given around the statement.
func TestFaultsSayWhereInTheStatementThatWasGiven(t *testing.T) {
	a, _, _ := served(t)
	all := func(r *query.Result, err error) error {
		if err != nil {
			return err
		}
		defer r.Close()
		for r.Rows().Next() {
		}
		return r.Rows().Err()
	}
	for _, tt := range []struct {
		way, sql string
		position int
		run      func(sql string) error
	}{
		{"plan", "SELECT nope FROM t", 8, func(sql string) error { _, err := plan.Make(t.Context(), a, sql, false); return err }},
		{"plan", " DESCRIBE SELECT nope FROM t", 18, func(sql string) error { _, err := plan.Make(t.Context(), a, sql, false); return err }},
		{"fetch", "SELECT nope FROM t", 8, func(sql string) error { return all(plan.Query(t.Context(), a, sql, plan.Options{})) }},
		{"portable", "SELECT '1'::BIT, CAST(x AS INT) FROM (VALUES ('z')) v(x)", 18, func(sql string) error { return all(query.Run(t.Context(), a, sql, true, plan.Brief)) }},
		{"explain", "SELECT nope FROM range(3)", 8, func(sql string) error {
			s, err := query.Open(t.Context(), a, plan.Brief)
			if err != nil {
				return err
			}
			defer s.Close()
			return all(s.Explain(t.Context(), sql))
		}},
		{"define", "CREATE TEMP TABLE one AS SELECT CAST('z' AS INT)", 33, func(sql string) error {
			s, err := query.Open(t.Context(), a, plan.Brief)
			if err != nil {
				return err
			}
			defer s.Close()
			_, err = say(t, s, sql)
			return err
		}},
	} {
		var e *api.Error
		if err := tt.run(tt.sql); !errors.As(err, &e) || e.Details["position"] != tt.position {
			t.Errorf("%s: %s: %v, %+v", tt.way, tt.sql, err, e)
		}
	}
}

// TestAQueryThatFetches gives what the engine gives over the whole file.
func TestAQueryThatFetches(t *testing.T) {
	a, _, dir := served(t)
	scans := countScans(a)
	conn := enginetest.Conn(t)
	if err := conn.Exec(t.Context(), "CREATE VIEW t AS FROM read_parquet("+duckdb.PathLiteral(filepath.Join(dir, "data/t.parquet"))+")"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{
		"SELECT count(*) FROM t",
		"SELECT n, count(*), sum(d) FROM t WHERE s = 'a' OR n > 1 GROUP BY ALL ORDER BY 1",
		"SELECT x.id, y.id FROM t x JOIN t y ON x.d = y.d AND x.id < y.id WHERE x.day < '2026-01-20' AND y.ok ORDER BY ALL",
		"WITH w AS (SELECT *, row_number() OVER (PARTITION BY s ORDER BY id) AS r FROM t WHERE f > 3) SELECT * FROM w WHERE r < 3 ORDER BY id",
		"SELECT * FROM t WHERE n > 2 AND n < 1",
		"SELECT DISTINCT s FROM (SELECT s, id FROM t WHERE small > 100 UNION ALL SELECT s, id FROM t WHERE moment < TIMESTAMP '2026-01-02') ORDER BY 1",
		"SELECT * FROM t ORDER BY id LIMIT 5",
	} {
		rows, err := conn.Query(t.Context(), sql)
		if err != nil {
			t.Fatal(err)
		}
		want, err := enginetest.Text(rows, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := scans.Load()
		if got := fetched(t, a, sql, plan.Options{}); got != want {
			t.Errorf("%s gives\n%s\nwant\n%s", sql, got, want)
		}
		if n := scans.Load() - before; n > 1 {
			t.Errorf("%s: %d scans of one table", sql, n)
		}
		before = scans.Load()
		if got := fetched(t, a, sql, plan.Options{}); got != want || scans.Load() != before {
			t.Errorf("%s, once more, scans %d times and gives %s", sql, scans.Load()-before, got)
		}
	}
}

// TestQueriesThatFetchTheSame at once scan once, and each gets its rows.
func TestQueriesThatFetchTheSame(t *testing.T) {
	a, _, _ := served(t)
	scans := countScans(a)
	const sql = "SELECT count(*) FROM t WHERE n > 0"
	var all sync.WaitGroup
	texts := make([]string, 4)
	for i := range texts {
		all.Go(func() {
			result, err := plan.Query(t.Context(), a, sql, plan.Options{})
			if err != nil {
				t.Error(err)
				return
			}
			defer result.Close()
			if texts[i], err = enginetest.Text(result.Rows(), nil); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	want := fetched(t, a, sql, plan.Options{})
	for _, text := range texts {
		if text != want {
			t.Errorf("%s, want %s", text, want)
		}
	}
	if n := scans.Load(); n != 1 {
		t.Errorf("%d scans", n)
	}
}

func TestPlansHaveABudget(t *testing.T) {
	a, _, _ := served(t)
	scans := countScans(a)
	_, err := plan.Query(t.Context(), a, "SELECT * FROM t", plan.Options{MaxBytes: 10})
	var refused *api.Error
	if !errors.As(err, &refused) || refused.Code != api.CodeBudget || refused.Details["plan"] == nil || scans.Load() != 0 {
		t.Errorf("%v, %d scans", err, scans.Load())
	}
	made, err := plan.Make(t.Context(), a, "SELECT * FROM t", false)
	if err != nil || made.ScanBytes == nil || *made.ScanBytes < 11 || scans.Load() != 0 {
		t.Errorf("%+v, %v", made, err)
	}
	fetched(t, a, "SELECT * FROM t", plan.Options{MaxBytes: *made.ScanBytes})
	if made, err = plan.Make(t.Context(), a, "SELECT s FROM t WHERE id > 3", false); err != nil || *made.ScanBytes != 0 || made.Tables[0].From != plan.FromReuse {
		t.Errorf("%+v, %v", made, err)
	}
}

// TestPartsMakeRoom: what a query holds stays for it, whatever is evicted.
func TestPartsMakeRoom(t *testing.T) {
	a, _, _ := served(t)
	a.PartsQuota = 1
	held, err := plan.Query(t.Context(), a, "SELECT id, s FROM t ORDER BY 1", plan.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	for i := range 3 {
		fetched(t, a, fmt.Sprintf("SELECT max(d) FROM t WHERE n > %d", i), plan.Options{})
	}
	answer, err := fit.Read(t.Context(), held.Rows(), fit.Options{})
	if err != nil || answer.Rows == nil {
		t.Errorf("%+v, %v", answer, err)
	}
	parts, err := os.ReadDir(filepath.Join(a.PartsDir(), "snapshots"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range parts {
		if filepath.Ext(f.Name()) == ".parquet" {
			t.Errorf("%s is still there", f.Name())
		}
	}
}

// TestAChangedFileIsFetchedAgain, also where a part of it is here.
func TestAChangedFileIsFetchedAgain(t *testing.T) {
	a, _, dir := served(t)
	scans := countScans(a)
	file := filepath.Join(dir, "data/t.parquet")
	before := fetched(t, a, "SELECT count(*) FROM t", plan.Options{})
	enginetest.Parquet(t, file+".new", "SELECT 1::BIGINT AS id, 'x' AS s")
	later := time.Now().Add(time.Minute)
	if err := errors.Join(os.Rename(file+".new", file), os.Chtimes(file, later, later)); err != nil {
		t.Fatal(err)
	}
	if after := fetched(t, a, "SELECT count(*) FROM t", plan.Options{}); after == before || scans.Load() != 2 {
		t.Errorf("%s, then %s, %d scans", before, after, scans.Load())
	}
	// Others keep size and time, as cp -p and touch -r do.
	enginetest.Parquet(t, file+".new", "SELECT 2::BIGINT AS id, 'y' AS s")
	text, err := os.ReadFile(file + ".new")
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.WriteFile(file, text, 0o600), os.Chtimes(file, later, later)); err != nil {
		t.Fatal(err)
	}
	if after := fetched(t, a, "SELECT id, s FROM t", plan.Options{}); after != "2|y" {
		t.Errorf("a file that was changed in place gives %s", after)
	}
	if err := errors.Join(os.Rename(file+".new", file), os.Chtimes(file, later, later)); err != nil {
		t.Fatal(err)
	}
	before = fetched(t, a, "SELECT max(id) FROM t", plan.Options{})
	enginetest.Parquet(t, file+".new", "SELECT 3::BIGINT AS id, 'z' AS s")
	if err := errors.Join(os.Chtimes(file+".new", later, later), os.Rename(file+".new", file)); err != nil {
		t.Fatal(err)
	}
	if after := fetched(t, a, "SELECT max(id) FROM t", plan.Options{}); before != "2" || after != "3" {
		t.Errorf("%s, and after the file was replaced %s", before, after)
	}
}

// TestWhatAReaderPassedOver is said of each statement that reads the table,
// whether its rows come from the source or from a part.
func TestWhatAReaderPassedOver(t *testing.T) {
	a, _, dir := served(t)
	instance := "sources: { files: { type: lake, root: ./data } }\ntables:\n  - { id: t, source: files, path: t.csv }\n"
	if err := os.WriteFile(filepath.Join(dir, "data/t.csv"), []byte("Sales of the quarter\n\nregion,amount\nNorth,1.50\nSouth,2.50\n\nTotal,4.00\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	inst, sources, store := instancetest.Open(t, dir, instance)
	c := core.New(inst, sources, store, slog.New(slog.DiscardHandler))
	t.Cleanup(func() { _ = c.Close() })
	a.Connect = func() (analyst.Remote, error) {
		return analyst.Remote{Data: c.Data(core.LocalAdmin), Name: "file:///x"}, nil
	}
	scans := countScans(a)
	for range 2 {
		result, err := plan.Query(t.Context(), a, "SELECT sum(amount) FROM t", plan.Options{})
		if err != nil {
			t.Fatal(err)
		}
		text := fmt.Sprint(result.Known)
		result.Close()
		for _, want := range []string{"1 line before the table was passed over", "1 line after the table was passed over"} {
			if !strings.Contains(text, want) {
				t.Errorf("after %d scans the warnings are %s, without %q", scans.Load(), text, want)
			}
		}
	}
	if scans.Load() != 1 {
		t.Errorf("%d scans", scans.Load())
	}
}
