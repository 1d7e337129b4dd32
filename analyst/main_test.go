package analyst_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/instancetest"
	"github.com/agnes-data/da/snapshot"
)

// childOf is set for a process that runs a query for a test: the folder of its
// workplace. killAt says when it kills itself.
// refreshOf names a snapshot to refresh in place of the query.
const childOf, killAt, refreshOf = "DA_TEST_CHILD_OF", "DA_TEST_KILL_AT", "DA_TEST_REFRESH_OF"

// TestMain makes the test binary what runs statements at sources.
func TestMain(m *testing.M) { instancetest.Main(m) }

// childSQL joins two tables: the keys of one select the rows of the other.
const childSQL = "SELECT count(*), sum(t.id)::BIGINT FROM t JOIN few f ON t.k = f.k AND f.ok"

// lethal kills the process once it gets to a step.
type lethal struct {
	api.Scanner
	at    string
	scans *int
}

func (l lethal) reach(step string) {
	if step == l.at {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}

func (l lethal) Scan(ctx context.Context, req api.ScanRequest) (*api.Stream, error) {
	*l.scans++
	l.reach("scan of " + req.TableID)
	stream, err := l.Scanner.Scan(ctx, req)
	if err == nil {
		stream.Batches = lethalRows{stream.Batches, l, req.TableID}
	}
	return stream, err
}

type lethalRows struct {
	array.RecordReader
	lethal
	table string
}

func (r lethalRows) Next() bool {
	more := r.RecordReader.Next()
	if more {
		r.reach("rows of " + r.table)
	} else {
		r.reach("end of " + r.table)
	}
	return more
}

// TestChild is not a test but another process of one: it runs the query in the
// workplace of a folder, and prints what it gives and how often it has scanned.
func TestChild(t *testing.T) {
	dir := os.Getenv(childOf)
	if dir == "" {
		return
	}
	a := childPlace(t, dir)
	scans, connect := 0, a.Connect
	l := lethal{at: os.Getenv(killAt), scans: &scans}
	a.Connect = func() (analyst.Remote, error) {
		remote, err := connect()
		l.Scanner = remote.Scanner
		remote.Scanner = l
		return remote, err
	}
	if name := os.Getenv(refreshOf); name != "" {
		got := mustRefresh(t, a, fetch.RefreshRequest{Name: name})
		_, _ = fmt.Fprintf(os.Stdout, "gives %d|%d after %d\n", got.After.Rows, got.Delta.Read, scans)
		return
	}
	result, err := plan.Query(t.Context(), a, childSQL, plan.Options{Portable: true, OnPlan: func(*plan.Plan) { l.reach("plan") }})
	if err != nil {
		t.Fatal(err)
	}
	defer result.Close()
	l.reach("query")
	text, err := enginetest.Text(result.Rows(), nil)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = fmt.Fprintf(os.Stdout, "gives %s after %d\n", strings.TrimSpace(text), scans)
}

// childPlace is the workplace of a folder.
func childPlace(t *testing.T, dir string) *analyst.Analyst {
	t.Helper()
	a, _ := openLake(t, dir, "sources: { files: { type: lake, root: ./data } }\ntables:\n  - { id: t, source: files, path: t.parquet }\n  - { id: few, source: files, path: few.parquet }\n  - { id: many, source: files, path: \"*/*.parquet\" }\n")
	a.Home, a.PartsQuota = filepath.Join(dir, "home"), 1<<30
	var err error
	if a.Store, err = snapshot.Open(a.Home); err != nil {
		t.Fatal(err)
	}
	return a
}

// lakeFolder makes the tables of childSQL.
func lakeFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "data"), 0o755); err != nil {
		t.Fatal(err)
	}
	enginetest.Parquet(t, filepath.Join(dir, "data/t.parquet"), "SELECT i AS id, i % 100 AS k FROM range(3000) r(i)")
	enginetest.Parquet(t, filepath.Join(dir, "data/few.parquet"), "SELECT i AS k, i < 2 AS ok FROM range(40) r(i)")
	return dir
}

// given is what a child has printed.
type given struct{ rows, sum, scans int }

// startChild runs the query, or a refresh, in another process.
func startChild(t *testing.T, dir, at string, more ...string) (g given, err error) {
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(append(os.Environ(), childOf+"="+dir, killAt+"="+at, "TMPDIR="+t.TempDir()), more...) // one that is killed removes nothing
	out, err := cmd.CombinedOutput()
	if err == nil {
		_, err = fmt.Sscanf(string(out), "gives %d|%d after %d", &g.rows, &g.sum, &g.scans)
	}
	if err != nil && at == "" {
		t.Errorf("%v: %s", err, out)
	}
	return g, err
}

// TestProcessesThatFetchTheSameParts at once scan each table once, and get the same.
func TestProcessesThatFetchTheSameParts(t *testing.T) {
	dir := lakeFolder(t)
	var all sync.WaitGroup
	got := make([]given, 3)
	for i := range got {
		all.Go(func() { got[i], _ = startChild(t, dir, "") })
	}
	all.Wait()
	scans := 0
	for _, g := range got {
		if scans += g.scans; g.rows != 60 || g.sum != 87030 {
			t.Errorf("%+v", g)
		}
	}
	if scans != 2 {
		t.Errorf("%d scans of two tables", scans)
	}
}

// TestAQueryThatIsKilled at any step leaves what the next one can use, and nothing
// that changes what it gives.
func TestAQueryThatIsKilled(t *testing.T) {
	for _, c := range []struct {
		at    []string
		scans int // of the one that goes on
	}{
		{[]string{"plan", "scan of few", "rows of few", "end of few"}, 2},
		{[]string{"scan of t", "rows of t", "end of t"}, 1}, // few is here by then
		{[]string{"query"}, 0},
	} {
		dir := lakeFolder(t)
		for _, at := range c.at {
			killChild(t, dir, at)
		}
		if g, err := startChild(t, dir, ""); err == nil && g != (given{60, 87030, c.scans}) {
			t.Errorf("after %v: %+v", c.at, g)
		}
	}
}

// killChild runs it up to a step.
func killChild(t *testing.T, dir, at string, more ...string) {
	t.Helper()
	_, err := startChild(t, dir, at, more...)
	var ended *exec.ExitError
	if !errors.As(err, &ended) || ended.Sys().(syscall.WaitStatus).Signal() != syscall.SIGKILL {
		t.Fatalf("%s: %v", at, err)
	}
}

// TestARefreshThatIsKilled while it reads what has changed leaves the snapshot as it
// was, and the next one reads no more than it had to.
func TestARefreshThatIsKilled(t *testing.T) {
	dir := lakeFolder(t)
	for i := range 4 {
		writeFile(t, filepath.Join(dir, "data"), i, 500)
	}
	a := childPlace(t, dir)
	before := mustFetch(t, a, "held", api.ScanRequest{TableID: "many"})
	writeFile(t, filepath.Join(dir, "data"), 2, 700)
	for _, at := range []string{"scan of many", "rows of many", "end of many"} {
		killChild(t, dir, at, refreshOf+"=held")
		if now, err := a.Store.Get("held"); err != nil || now.ContentHash != before.ContentHash || now.Damage != nil {
			t.Fatalf("killed at %s: %+v, %v", at, now, err)
		}
	}
	if g, err := startChild(t, dir, "", refreshOf+"=held"); err == nil && g != (given{2200, 1, 1}) {
		t.Errorf("%+v", g)
	}
	now, err := a.Store.Get("held")
	if want := mustFetch(t, a, "want", api.ScanRequest{TableID: "many"}); err != nil || now.ContentHash != want.ContentHash {
		t.Errorf("%d rows, want %d: %v", now.Rows, want.Rows, err)
	}
}
