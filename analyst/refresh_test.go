package analyst_test

import (
	"cmp"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/snapshot"
)

// mustFetch fetches rows as a snapshot, of t if no table is named.
func mustFetch(t *testing.T, a *analyst.Analyst, name string, scan api.ScanRequest) snapshot.Meta {
	t.Helper()
	scan.TableID = cmp.Or(scan.TableID, "t")
	got, err := fetch.Run(t.Context(), a, fetch.Request{Scan: scan, Name: name, Force: true, Fresh: true, AllowCut: true})
	if err != nil {
		t.Fatal(err)
	}
	return got.Snapshot
}

func mustRefresh(t *testing.T, a *analyst.Analyst, req fetch.RefreshRequest) *fetch.RefreshResult {
	t.Helper()
	got, err := fetch.Refresh(t.Context(), a, req)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func TestAnUnchangedTableIsNotReadAgain(t *testing.T) {
	a, _, dir := served(t)
	at := time.Now().Add(time.Hour)
	mustFetch(t, a, "plain", api.ScanRequest{Where: "n > 0"})
	mustFetch(t, a, "first", api.ScanRequest{OrderBy: []string{"id"}, Limit: new(int64(3))})
	mustFetch(t, a, "clock", api.ScanRequest{Where: "day < CURRENT_DATE"})
	counted := countScans(a)
	a.Now = func() time.Time { return at }
	for _, c := range []struct {
		req  fetch.RefreshRequest
		read bool
	}{
		{fetch.RefreshRequest{Name: "plain"}, false},
		{fetch.RefreshRequest{Name: "first"}, false},
		{fetch.RefreshRequest{Name: "clock"}, true},
		{fetch.RefreshRequest{Name: "plain", Full: true}, true},
		{fetch.RefreshRequest{Name: "plain", Where: new("n > 1")}, true},
	} {
		counted.Store(0)
		got := mustRefresh(t, a, c.req)
		if got.Unchanged == c.read || (counted.Load() > 0) != c.read {
			t.Errorf("%+v: unchanged is %v after %d scans", c.req, got.Unchanged, counted.Load())
		}
		if !got.After.FetchedAt.Equal(at.UTC().Truncate(time.Microsecond)) {
			t.Errorf("%s is as of %v", c.req.Name, got.After.FetchedAt)
		}
	}
	counted.Store(0)
	if err := os.Chtimes(filepath.Join(dir, "data/t.parquet"), at, at); err != nil {
		t.Fatal(err)
	}
	if got := mustRefresh(t, a, fetch.RefreshRequest{Name: "plain"}); got.Unchanged || !got.Identical || counted.Load() != 1 {
		t.Errorf("a file that was touched: %+v after %d scans", got, counted.Load())
	}
}

func TestARefreshThatLosesTypesIsRefused(t *testing.T) {
	a, _, dir := served(t)
	before := mustFetch(t, a, "s", api.ScanRequest{Select: []string{"id", "n"}})
	enginetest.Parquet(t, filepath.Join(dir, "data/t.parquet"), "SELECT i AS id, i::VARCHAR AS n FROM range(5) t(i)")
	_, err := fetch.Refresh(t.Context(), a, fetch.RefreshRequest{Name: "s"})
	if !api.CodeSchemaDrift.Is(err) {
		t.Fatal(err)
	}
	if now, err := a.Store.Get("s"); err != nil || now.ContentHash != before.ContentHash {
		t.Error("the snapshot has changed", err)
	}
	if got := mustRefresh(t, a, fetch.RefreshRequest{Name: "s", AcceptDrift: true}); got.After.Rows != 5 || len(got.Caveats) != 1 {
		t.Errorf("%+v", got)
	}
}

// TestRestore undoes a refresh, and the undoing.
func TestRestore(t *testing.T) {
	a, _, dir := served(t)
	first := mustFetch(t, a, "s", api.ScanRequest{})
	if _, err := keep.Restore(t.Context(), a, "s"); !api.CodeUnknownSnapshot.Is(err) {
		t.Error("nothing is there to be restored:", err)
	}
	rewrite := func(rows string) snapshot.Meta {
		t.Helper()
		enginetest.Parquet(t, filepath.Join(dir, "data/t.parquet"), "SELECT i AS id FROM range("+rows+") t(i)")
		return mustRefresh(t, a, fetch.RefreshRequest{Name: "s", AcceptDrift: true}).After
	}
	restored := func(want snapshot.Meta) {
		t.Helper()
		got, err := keep.Restore(t.Context(), a, "s")
		if err != nil {
			t.Fatal(err)
		}
		now, err := a.Store.Get("s")
		if err != nil || now.ContentHash != want.ContentHash || got.Snapshot.Rows != want.Rows || !now.FetchedAt.Equal(want.FetchedAt) {
			t.Errorf("restored %+v, want %+v: %v", now, want, err)
		}
	}
	second := rewrite("5")
	restored(first)
	restored(second)
	mustFetch(t, a, "s", api.ScanRequest{})
	if _, err := keep.Restore(t.Context(), a, "s"); !api.CodeUnknownSnapshot.Is(err) {
		t.Error("rows from before another fetch can be restored:", err)
	}
	second = rewrite("7")
	third := rewrite("6")
	restored(second)
	restored(third)
	if info, err := keep.DiskUsage(a); err != nil || info.PreviousBytes == 0 {
		t.Errorf("%+v, %v", info, err)
	}
	// It goes before any snapshot does, when space is short.
	policy := snapshot.PrunePolicy{Auto: true, Quota: third.BytesLocal}
	for _, dryRun := range []bool{true, false} {
		if got, err := keep.Prune(a, policy, dryRun); err != nil || len(got.Removed) != 1 || got.Removed[0].Reason != snapshot.ReasonPrevious || got.LeftBytes != third.BytesLocal {
			t.Errorf("%+v, %v", got, err)
		}
	}
	if _, err := keep.Restore(t.Context(), a, "s"); !api.CodeUnknownSnapshot.Is(err) {
		t.Error(err)
	}
	rewrite("7")
	seen := 0
	a.Free = func() (int64, error) { // of a disk that is full at the second look
		seen++
		return map[bool]int64{false: 1 << 40}[seen == 2], nil
	}
	if err := a.Room().Take(64 << 20); err != nil {
		t.Error(err)
	}
	a.Free = nil
	if _, err := keep.Restore(t.Context(), a, "s"); !api.CodeUnknownSnapshot.Is(err) {
		t.Error(err)
	}
	rewrite("8")
	if _, err := keep.Drop(a, "s"); err != nil {
		t.Fatal(err)
	}
	if _, err := keep.Restore(t.Context(), a, "s"); !api.CodeUnknownSnapshot.Is(err) {
		t.Error("a dropped snapshot came back:", err)
	}
}
