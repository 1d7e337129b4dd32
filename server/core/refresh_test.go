package core

import (
	"context"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// countingSource counts the scans of a source, and can keep it from telling
// whether its data has changed.
type countingSource struct {
	source.Source
	silent bool
	scans  atomic.Int64
	fail   atomic.Bool
	begun  func() // called as a scan begins
}

func (s *countingSource) Version(ctx context.Context, rel source.Relation) (string, error) {
	if s.silent {
		return "", nil
	}
	return s.Source.Version(ctx, rel)
}

func (s *countingSource) Scan(ctx context.Context, scan source.Scan) (array.RecordReader, error) {
	s.scans.Add(1)
	if s.begun != nil {
		s.begun()
	}
	if s.fail.Load() {
		return nil, &api.Error{Code: api.CodeSource, Message: "down"}
	}
	return s.Source.Scan(ctx, scan)
}

// localNumbers is a core whose table numbers is one to sync, over a source that
// counts, at a time that the test moves.
func localNumbers(t *testing.T, silent bool, every time.Duration) (core *Core, dir string, src *countingSource, clock *atomic.Int64) {
	t.Helper()
	core, dir = testCore(t, "{}")
	table := core.byID["numbers"]
	src = &countingSource{Source: table.source, silent: silent}
	table.source, table.QueryMode, table.RefreshEvery = src, api.ModeLocal, every
	clock = &atomic.Int64{}
	start := time.Now()
	core.now = func() time.Time { return start.Add(time.Duration(clock.Add(1))) } // no two readings are the same
	return core, dir, src, clock
}

// TestRefreshEndsCaches holds that a sample and a schema of a source that tells no
// version are those of the refreshed table.
func TestRefreshEndsCaches(t *testing.T) {
	core, dir, _, _ := localNumbers(t, true, 0)
	admin := core.As(LocalAdmin)
	look := func() (rows int, counted int64) {
		t.Helper()
		sample, err := admin.Sample(t.Context(), "numbers", 10)
		if err != nil {
			t.Fatal(err)
		}
		schema, err := admin.Schema(t.Context(), "numbers")
		if err != nil {
			t.Fatal(err)
		}
		return len(sample.Rows), *schema.RowCount
	}
	if rows, counted := look(); rows != 10 || counted != 10_000 {
		t.Fatal(rows, counted)
	}
	writeNumbers(t, dir, 5)
	if rows, counted := look(); rows != 10 || counted != 10_000 {
		t.Errorf("nothing is cached: %d, %d", rows, counted)
	}
	if _, err := admin.RefreshTable(t.Context(), "numbers"); err != nil {
		t.Fatal(err)
	}
	if rows, counted := look(); rows != 5 || counted != 5 {
		t.Errorf("after a refresh a sample of %d rows, and %d counted", rows, counted)
	}
}

func TestRefreshReadsOnlyWhatHasChanged(t *testing.T) {
	core, dir, src, _ := localNumbers(t, false, 0)
	admin := core.As(LocalAdmin)
	refresh := func() *api.RefreshedTable {
		t.Helper()
		m, err := admin.RefreshTable(t.Context(), "numbers")
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	if m := refresh(); !m.Changed || m.Rows != 10_000 || src.scans.Load() != 1 {
		t.Errorf("the first: %+v after %d scans", m, src.scans.Load())
	}
	if m := refresh(); m.Changed || src.scans.Load() != 1 {
		t.Errorf("unchanged: %+v after %d scans", m, src.scans.Load())
	}
	writeNumbers(t, dir, 500)
	if m := refresh(); !m.Changed || m.Rows != 500 || src.scans.Load() != 2 {
		t.Errorf("changed: %+v after %d scans", m, src.scans.Load())
	}
	for id, code := range map[string]api.Code{"words": api.CodeBadRequest, "nosuch": api.CodeUnknownTable} {
		if _, err := admin.RefreshTable(t.Context(), id); !code.Is(err) {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestARefreshReachesTheFilesOfAllRights(t *testing.T) {
	core, _, src, clock := localNumbers(t, true, time.Hour)
	core.byID["numbers"].Public = false
	admin := core.As(LocalAdmin)
	if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: "ann"}); err != nil {
		t.Fatal(err)
	}
	if _, err := admin.CreateGrant(t.Context(), api.NewGrant{TableID: "numbers", User: "ann", Rows: "n < 10"}); err != nil {
		t.Fatal(err)
	}
	manifest := func(scans int64) {
		t.Helper()
		m, err := userOf(t, core, "ann").Manifest(t.Context())
		if err != nil || len(m.Tables) != 1 || m.Tables[0].Rows != 10 {
			t.Fatalf("%+v, %v", m, err)
		}
		if n := src.scans.Load(); n != scans {
			t.Errorf("%d scans, not %d", n, scans)
		}
	}
	manifest(1)
	manifest(1) // within the hour nothing is read, though the source cannot tell
	if _, err := admin.RefreshTable(t.Context(), "numbers"); err != nil {
		t.Fatal(err)
	}
	manifest(3) // the admin's file, and now ann's
	clock.Add(int64(time.Hour))
	manifest(4)
}

func TestTheScheduleGoesOnAfterAFailure(t *testing.T) {
	core, _, src, _ := localNumbers(t, true, time.Nanosecond)
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan struct{})
	src.begun = func() {
		select {
		case begun <- struct{}{}:
		case <-ctx.Done():
		}
	}
	made := func() bool {
		_, ok := core.files.Current("numbers", sameKey(t, core, "numbers"))
		return ok
	}
	src.fail.Store(true)
	done := make(chan struct{})
	go func() {
		core.KeepFresh(ctx)
		close(done)
	}()
	for range 3 {
		<-begun
	}
	if made() {
		t.Error("there is a file of a source that is down")
	}
	src.fail.Store(false)
	// The first of these may have begun before; the last begins after the
	// second has ended.
	for range 3 {
		<-begun
	}
	if !made() {
		t.Error("there is no file yet")
	}
	cancel()
	<-done
}

// TestFilesOfTablesThatWentGo takes a table out of the instance: its files stay
// for a day, for servers that may still know it, and then go.
func TestFilesOfTablesThatWentGo(t *testing.T) {
	core, dir, _, clock := localNumbers(t, false, 0)
	ann := userOf(t, core, "ann")
	manifest := func() int {
		t.Helper()
		m, err := ann.Manifest(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return len(m.Tables)
	}
	files := func() int {
		of, err := filepath.Glob(filepath.Join(dir, "state", "sync", "numbers*"))
		if err != nil {
			t.Fatal(err)
		}
		return len(of)
	}
	if manifest() != 1 || files() != 2 {
		t.Fatalf("%d files", files())
	}
	if err := core.files.Invalidate("numbers"); err != nil {
		t.Fatal(err)
	}
	clock.Add(int64(48 * time.Hour))
	if manifest() != 1 || files() != 3 {
		t.Errorf("a table that is there: %d files", files())
	}
	core.byID["numbers"].QueryMode = api.ModeRemote
	clock.Store(0)
	if manifest() != 0 || files() != 3 {
		t.Errorf("within a day: %d files", files())
	}
	clock.Store(int64(25 * time.Hour))
	if manifest() != 0 || files() != 0 {
		t.Errorf("after a day: %d files", files())
	}
}
