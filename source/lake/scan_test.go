package lake

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// TestCarriedTypes holds that what cannot travel as it is becomes something
// that holds it, with a warning, and that the predicate and the order still
// see the column itself.
func TestCarriedTypes(t *testing.T) {
	f := newFolder(t)
	f.write(t, "big.jsonl", "{\"n\":1,\"h\":12345678901234567890}\n{\"n\":2,\"h\":9}\n{\"n\":3,\"h\":100}\n")
	f.copy(t, "iv.parquet", `SELECT * FROM (VALUES (1, INTERVAL 10 DAY), (2, INTERVAL 9 DAY), (3, INTERVAL 100 DAY)) v(n, iv)`)
	for _, c := range []struct {
		rel, column string
		rows        []string
		warns       bool
	}{
		{"big.jsonl", "h", []string{"9", "100", "12345678901234567890"}, false},
		{"iv.parquet", "iv", []string{"9 days", "10 days", "100 days"}, true},
	} {
		scan := f.scan(t, c.rel, "", c.column)
		// Not as the texts that they travel as are ordered.
		scan.OrderBy = []predicate.Order{{Column: c.column}}
		r, err := f.lake.Scan(t.Context(), scan)
		if err != nil {
			t.Fatal(err)
		}
		if warnings := api.Texts(api.SchemaCaveats(r.Schema())); c.warns != (len(warnings) == 1) {
			t.Errorf("%s: warnings %q", c.rel, warnings)
		}
		rows, err := enginetest.Rows(r)
		if err != nil {
			t.Fatal(err)
		}
		same(t, rows, c.rows...)
		// Of columns that are not asked for nothing is said.
		r, err = f.lake.Scan(t.Context(), f.scan(t, c.rel, "", "n"))
		if err != nil {
			t.Fatal(err)
		}
		if warnings := api.SchemaCaveats(r.Schema()); warnings != nil {
			t.Errorf("%s: warnings %q", c.rel, warnings)
		}
		r.Release()
	}
}

// TestPredicateFails holds that a value which the predicate cannot convert is
// the caller's fault, and shown to those only who may see it.
func TestPredicateFails(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "p.parquet", "SELECT 'secret' || range AS s FROM range(2000000)")
	scan := f.scan(t, "p.parquet", "CAST(s AS INTEGER) > 3")
	for _, rel := range []source.Relation{
		{Name: "p.parquet"},
		{Name: "p.parquet", Columns: []string{"s"}},
		{Name: "p.parquet", Rule: f.where(t, "p.parquet", "s <> 'x'")},
	} {
		scan.Relation = rel
		r, err := f.lake.Scan(t.Context(), scan)
		if err == nil {
			_, err = enginetest.Rows(r)
		}
		refused(t, f, err, api.CodeQueryFailed)
		if shown := strings.Contains(err.Error(), "secret"); shown != rel.Whole() {
			t.Errorf("columns %v, rule %v: %v", rel.Columns, rel.Rule, err)
		}
	}
}

// TestSpill sorts more than the engine may hold, within what it may write, and
// not beyond.
func TestSpill(t *testing.T) {
	dir := t.TempDir()
	full := openFolder(t, dir, Options{})
	full.copy(t, "s.parquet", "SELECT hash(range) AS h, md5(range::VARCHAR) || md5((range + 1)::VARCHAR) || md5((range + 2)::VARCHAR) AS pad FROM range(800000)",
		"ROW_GROUP_SIZE 8192")
	scan := func(f *folder) error {
		s := f.scan(t, "s.parquet", "")
		s.OrderBy = []predicate.Order{{Column: "h"}}
		r, err := f.lake.Scan(t.Context(), s)
		if err != nil {
			return err
		}
		defer r.Release()
		rows := int64(0)
		for r.Next() {
			rows += r.RecordBatch().NumRows()
		}
		if r.Err() == nil && rows != 800_000 {
			t.Errorf("%d rows", rows)
		}
		return r.Err()
	}
	if err := scan(openFolder(t, dir, Options{MemoryLimit: 60_000_000, Threads: 1})); err != nil {
		t.Errorf("with space to spill: %v (%v)", err, errors.Unwrap(err))
	}
	small := openFolder(t, dir, Options{MemoryLimit: 60_000_000, Threads: 1, MaxTempSize: 10_000_000})
	refused(t, small, scan(small), api.CodeBudget, "more memory than it may have")
}

// TestEngines holds that only requests for an order pay for one.
func TestEngines(t *testing.T) {
	f := newFolder(t)
	for ordered, want := range map[bool]string{false: "false", true: "true"} {
		s, err := f.lake.engines.Session(t.Context(), ordered)
		if err != nil {
			t.Fatal(err)
		}
		var settings string
		err = s.Rows(t.Context(), "SELECT current_setting('preserve_insertion_order')::VARCHAR || ' ' || current_setting('TimeZone')", func(v []any) error {
			settings, _ = v[0].(string)
			return nil
		})
		if err != nil || settings != want+" UTC" {
			t.Errorf("ordered %t: settings %s, %v", ordered, settings, err)
		}
		s.Done(true)
		again, err := f.lake.engines.Session(t.Context(), ordered)
		if err != nil {
			t.Fatal(err)
		}
		if again.Conn != s.Conn {
			t.Error("a session that has ended well serves nobody else")
		}
		again.Done(false)
	}
	// An order that was asked for is kept however many work on it.
	f.copy(t, "o.parquet", "SELECT range AS n FROM range(300000)", "ROW_GROUP_SIZE 2048")
	limit := int64(200_000)
	scan := f.scan(t, "o.parquet", "n % 3 = 0 OR n % 3 = 1")
	scan.Limit = &limit
	rows := f.rows(t, scan)
	if len(rows) != int(limit) || rows[0] != "0" || rows[len(rows)-1] != "299998" {
		t.Errorf("%d rows, from %s to %s", len(rows), rows[0], rows[len(rows)-1])
	}
}

// TestDescribedOnce lets many ask for a table that nobody has looked at yet.
func TestDescribedOnce(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "big.csv", "SELECT range AS a, md5(range::VARCHAR) AS b FROM range(200000)", "FORMAT csv")
	var group sync.WaitGroup
	tables := make([]*table, 20)
	for i := range tables {
		group.Go(func() {
			var err error
			if tables[i], err = f.lake.table(t.Context(), f.lake.hold(), source.Relation{Name: "big.csv"}); err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	for _, other := range tables {
		if other == nil || other.head+other.tail != tables[0].head+tables[0].tail {
			t.Error("a different table")
		}
	}
	if again, err := f.lake.table(t.Context(), f.lake.hold(), source.Relation{Name: "big.csv"}); err != nil || again != tables[0] && again != tables[len(tables)-1] {
		t.Errorf("it is not remembered: %v", err)
	}
	f.write(t, "big.csv", "x\n1\n")
	if got := columns(f.schema(t, "big.csv")); got != "x BIGINT?" {
		t.Errorf("a new version: %s", got)
	}
}

func TestFlights(t *testing.T) {
	var f flights[int]
	var runs atomic.Int32
	started, proceed := make(chan struct{}), make(chan struct{})
	work := func(ctx context.Context) (int, error) {
		runs.Add(1)
		close(started)
		select {
		case <-proceed:
			return 7, nil
		case <-ctx.Done():
			return 0, ctx.Err()
		}
	}
	impatient, leave := context.WithCancel(t.Context())
	type answer struct {
		n   int
		err error
	}
	first, second := make(chan answer, 1), make(chan answer, 1)
	go func() {
		n, err := f.do(impatient, "k", work)
		first <- answer{n, err}
	}()
	<-started
	joined := make(chan struct{})
	go func() {
		close(joined)
		n, err := f.do(t.Context(), "k", work)
		second <- answer{n, err}
	}()
	<-joined
	waitFor(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.byKey["k"] != nil && f.byKey["k"].waiting == 2
	})
	leave()
	if a := <-first; !api.CodeInterrupted.Is(a.err) {
		t.Errorf("who leaves gets %v", a)
	}
	close(proceed)
	if a := <-second; a.n != 7 || a.err != nil || runs.Load() != 1 {
		t.Errorf("who stays gets %v after %d runs", a, runs.Load())
	}

	// When all have left, the work is told to stop, and nobody joins it.
	stopped := make(chan struct{})
	alone, leave := context.WithCancel(t.Context())
	begun := make(chan struct{})
	go func() {
		<-begun
		leave()
	}()
	_, err := f.do(alone, "k", func(ctx context.Context) (int, error) {
		close(begun)
		<-ctx.Done()
		close(stopped)
		return 0, ctx.Err()
	})
	if !api.CodeInterrupted.Is(err) {
		t.Errorf("alone: %v", err)
	}
	<-stopped
	if n, err := f.do(t.Context(), "k", func(context.Context) (int, error) { return 8, nil }); n != 8 || err != nil {
		t.Errorf("anew: %d, %v", n, err)
	}
}

// waitFor waits for a condition that another goroutine brings about.
func waitFor(t *testing.T, ok func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for range 10_000 {
		if ok() {
			return
		}
		<-tick.C
	}
	t.Fatal("it never comes about")
}

// TestFileGoes removes and replaces files between the look and the read.
func TestFileGoes(t *testing.T) {
	f := newFolder(t)
	f.copy(t, "g/a.parquet", "SELECT 1 AS v")
	f.copy(t, "g/b.parquet", "SELECT 2 AS v")
	scan := f.scan(t, "g/*.parquet", "")
	same(t, sorted(f.rows(t, scan)), "1", "2")
	if err := os.Remove(filepath.Join(f.dir, "g", "b.parquet")); err != nil {
		t.Fatal(err)
	}
	same(t, f.rows(t, scan), "1")
	// A file that goes after the listing is an error, not fewer rows.
	f.copy(t, "g/b.parquet", "SELECT 2 AS v")
	known, err := f.lake.table(t.Context(), f.lake.hold(), source.Relation{Name: "g/*.parquet"})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(f.dir, "g", "b.parquet")); err != nil {
		t.Fatal(err)
	}
	r, err := f.lake.read(t.Context(), nil, known, scan)
	if err == nil {
		_, err = enginetest.Rows(r)
	}
	refused(t, f, err, api.CodeSource, "g/b.parquet")
}

func TestClosed(t *testing.T) {
	dir := t.TempDir()
	f := openFolder(t, dir, Options{})
	f.copy(t, "s.parquet", "SELECT range AS n, md5(range::VARCHAR) AS m FROM range(2000000)")
	l, err := Open(Options{Root: dir, TempDir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	scan := f.scan(t, "s.parquet", "")
	r, err := l.Scan(t.Context(), scan)
	if err != nil || !r.Next() {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Error(err)
	}
	for r.Next() {
	}
	if r.Err() == nil {
		t.Error("a reader that was cut off by Close has no error")
	}
	r.Release()
	if _, err := l.Scan(t.Context(), scan); err == nil {
		t.Error("a closed lake scans")
	}
}
