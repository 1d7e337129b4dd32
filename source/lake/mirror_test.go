package lake

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
	"github.com/agnes-data/da/internal/testing/s3test"
	"github.com/agnes-data/da/source"
)

// days makes a table of three days of 20,000 rows each, in folders.
func (s *shore) days(t *testing.T) {
	t.Helper()
	for day := 1; day <= 3; day++ {
		s.copy(t, fmt.Sprintf("days/day=%d/data.parquet", day),
			fmt.Sprintf("SELECT range + %d AS n, md5(range::VARCHAR) AS word FROM range(20000)", day*100_000))
	}
}

func TestOnlyWhatIsNeededIsLoaded(t *testing.T) {
	s := newShore(t)
	s.days(t)
	rel := source.Relation{Name: "days/**/*.parquet"}
	whole := int64(0)
	for day := 1; day <= 3; day++ {
		info, err := os.Stat(filepath.Join(s.dir, fmt.Sprintf("days/day=%d/data.parquet", day)))
		if err != nil {
			t.Fatal(err)
		}
		whole += info.Size()
	}
	loaded := func(what string, low, high int64) {
		t.Helper()
		if _, n := s.server.Traffic(); n < low || n > high {
			t.Errorf("%s: %d bytes of %d came, want %d to %d", what, n, whole, low, high)
		}
	}
	const listing = 20_000
	const guess = 64 << 10 // of how long a footer is
	if _, err := s.lake.Estimate(t.Context(), source.Scan{Relation: rel, Select: []string{"n"}}); err != nil {
		t.Fatal(err)
	}
	loaded("an estimate", 1000, 3*guess+listing)
	for where, files := range map[string]int64{"day = 2": 1, "n >= 300000": 1, "day = 7": 0} {
		l := s.lake
		s.lake = s.reopen(t)
		scan := s.scan(t, rel.Name, where, "n")
		s.server.Traffic()
		want := []string{"0", "20000"}[min(files, 1)]
		if got := s.count(t, scan); got != want {
			t.Errorf("%s: %s rows, want %s", where, got, want)
		}
		loaded(where, 0, whole/3+whole/10+listing)
		s.server.Traffic()
		s.count(t, scan)
		loaded(where+" again", 0, listing)
		s.lake = l
	}
}

func (s *shore) count(t *testing.T, scan source.Scan) string {
	t.Helper()
	r, err := s.lake.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	n := int64(0)
	for r.Next() {
		n += r.RecordBatch().NumRows()
	}
	if r.Err() != nil {
		t.Fatal(r.Err())
	}
	return fmt.Sprint(n)
}

func TestAnObjectThatChangesIsReadAnew(t *testing.T) {
	s := newShore(t)
	s.copy(t, "a.parquet", "SELECT 1 AS n")
	scan := s.scan(t, "a.parquet", "", "n")
	same(t, s.rows(t, scan), "1")
	before, err := s.lake.Version(t.Context(), scan.Relation)
	if err != nil {
		t.Fatal(err)
	}
	s.copy(t, "a.parquet", "SELECT 2 AS n")
	same(t, s.rows(t, scan), "2")
	if after, err := s.lake.Version(t.Context(), scan.Relation); err != nil || after == before {
		t.Errorf("version %s, then %s, %v", before, after, err)
	}
	// What was listed and then replaced is an error, never a mixture.
	known, err := s.lake.resolve(t.Context(), "a.parquet")
	if err != nil {
		t.Fatal(err)
	}
	s.copy(t, "a.parquet", "SELECT range AS n FROM range(1000)")
	stale := s.reopen(t)
	stale.emptyCache(t)
	h := stale.hold()
	defer h.release()
	err = h.bring(t.Context(), known.files, true)
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindChangedMeanwhile {
		t.Errorf("an object that was replaced: %v", err)
	}
}

// cache is a path in the folder of the lake's mirror.
func (l *Lake) cache(names ...string) string {
	return filepath.Join(append([]string{filepath.Dir(l.dir)}, names...)...)
}

// cached lists a folder of the lake's mirror.
func (l *Lake) cached(t *testing.T, dir string) (names []string) {
	t.Helper()
	list, err := os.ReadDir(l.cache(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		names = append(names, e.Name())
	}
	return names
}

// pathOf is where a file of a bucket lies.
func (l *Lake) pathOf(f file) string { return filepath.Join(l.dir, filepath.FromSlash(f.place)) }

// markOf is the mark that a file is there, "whole" or its "footer".
func (l *Lake) markOf(f file, what string) string {
	version, _, _ := strings.Cut(f.place, "/")
	return l.cache("states", version+"."+what)
}

// emptyCache removes all that the lake's mirror has.
func (l *Lake) emptyCache(t *testing.T) {
	t.Helper()
	for _, dir := range []string{"states", "files"} {
		for _, name := range l.cached(t, dir) {
			if err := os.RemoveAll(l.cache(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestRoomIsMade(t *testing.T) {
	s := newShore(t)
	s.days(t)
	info, err := os.Stat(filepath.Join(s.dir, "days/day=1/data.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	s.options.CacheSize = info.Size() * 5 / 2 // two files and a half
	s.lake = s.reopen(t)
	day := func(n int) source.Scan { return s.scan(t, "days/**/*.parquet", fmt.Sprintf("day = %d", n), "n") }
	for n := 1; n <= 2; n++ {
		s.count(t, day(n))
	}
	first := s.found(t, "days/day=1/data.parquet")
	reading, err := s.lake.Scan(t.Context(), day(2))
	if err != nil {
		t.Fatal(err)
	}
	other := s.reopen(t)
	alsoReading, err := other.Scan(t.Context(), day(1))
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.lake.Scan(t.Context(), day(3))
	var e *api.Error
	if !errors.As(err, &e) || e.Kind != api.KindCacheFull || !strings.Contains(e.Hint, "have ended") || !strings.Contains(e.Hint, "cache_size") {
		t.Fatalf("a cache that is full of what is read: %v", err)
	}
	// What one process has done with, another may remove.
	alsoReading.Release()
	if got := s.count(t, day(3)); got != "20000" {
		t.Errorf("%s rows", got)
	}
	if _, err := os.Stat(s.lake.pathOf(first)); !os.IsNotExist(err) {
		t.Errorf("the file that nobody reads is still there: %v", err)
	}
	if got, err := values(reading); err != nil || len(got) != 20000 {
		t.Errorf("of what was read meanwhile came %d values, %v", len(got), err)
	}
	reading.Release()
	if got := s.count(t, day(1)); got != "20000" {
		t.Errorf("%s rows of what had gone", got)
	}
	if left := s.lake.cached(t, "holds"); len(left) > 0 {
		t.Errorf("holds of nobody: %v", left)
	}
	s.roomKept(t)
}

// found is a file as it is listed now.
func (s *shore) found(t *testing.T, name string) file {
	t.Helper()
	set, err := s.lake.resolve(t.Context(), name)
	if err != nil {
		t.Fatal(err)
	}
	return set.files[0]
}

// roomKept holds that the cache takes no more of the disk than it may.
func (s *shore) roomKept(t *testing.T) {
	t.Helper()
	versions, taken := map[string]bool{}, int64(0)
	for _, mark := range s.lake.cached(t, "states") {
		version, _, ok := strings.Cut(mark, ".")
		data, err := os.ReadFile(s.lake.cache("states", mark))
		var is struct{ Bytes int64 }
		if err := errors.Join(err, json.Unmarshal(data, &is)); err != nil || !ok {
			t.Fatal(mark, err)
		}
		versions[version] = true
		taken += is.Bytes
	}
	if files := s.lake.cached(t, "files"); taken > s.options.CacheSize || len(files) != len(versions) {
		t.Errorf("%d bytes of %d in %d files of %d", taken, s.options.CacheSize, len(versions), len(files))
	}
}

// TestLakesShareACacheFolder holds that a file of one bucket never stands for
// that of the same name in another.
func TestLakesShareACacheFolder(t *testing.T) {
	s := newShore(t)
	s.copy(t, "a.parquet", "SELECT 1 AS n")
	s.folder.copy(t, "b.parquet", "SELECT 2 AS n")
	s.put(t, "other/a.parquet", s.path(t, "b.parquet"))
	beside := *s.options.Bucket
	beside.URL = "s3://" + s.bucket + "/other"
	o := s.options
	o.Bucket = &beside
	other, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = other.Close() })
	scan := s.scan(t, "a.parquet", "", "n")
	same(t, s.rows(t, scan), "1")
	if s.lake.dir == other.dir {
		t.Error("two lakes keep their files in one folder")
	}
	own := s.lake
	s.lake = other
	same(t, s.rows(t, scan), "2")
	s.lake = own
	same(t, s.rows(t, scan), "1")
}

// TestWhatDeadProcessesLeave holds that nothing of it keeps room, and nothing
// that is alive is taken for dead.
func TestWhatDeadProcessesLeave(t *testing.T) {
	s := newShore(t)
	s.days(t)
	scan := func(n int) source.Scan { return s.scan(t, "days/**/*.parquet", fmt.Sprintf("day = %d", n), "n") }
	s.options.CacheSize = 2_000_000
	s.lake = s.reopen(t)
	reading, err := s.lake.Scan(t.Context(), scan(1))
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Release()
	hold := s.lake.cached(t, "holds")
	left := map[string]string{
		"holds/DEAD":        "0123456789abcdef0123456789abcdef 1999999\n",
		"loading/DEAD.1":    "half of an object",
		"files/0123/x.csv":  "n\n1\n",
		"locks/0123":        "",
		"states/bad.footer": "{",
	}
	if len(hold) != 1 {
		t.Fatalf("holds: %v", hold)
	}
	living := map[string]bool{"loading/" + hold[0] + ".1": true, "locks/4567": true}
	for name := range living {
		left[name] = "what is being loaded"
	}
	for name, text := range left {
		path := s.lake.cache(filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	loading, err := store.TryLock(s.lake.cache("locks", "4567"))
	if err != nil {
		t.Fatal(err)
	}
	defer loading.Unlock()
	other := s.reopen(t)
	for name := range left {
		_, err := os.Stat(s.lake.cache(filepath.FromSlash(name)))
		if dead := !strings.HasPrefix(name, "states/") && !living[name]; dead != os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	s.lake = other
	if got := s.count(t, scan(2)); got != "20000" {
		t.Errorf("%s rows", got)
	}
	if got, err := values(reading); err != nil || len(got) != 20000 {
		t.Errorf("what was read meanwhile: %d values, %v", len(got), err)
	}
}

// TestNoLockIsLeft holds that loads leave none, whether they fail or not:
// objects change, and nothing else would remove theirs.
func TestNoLockIsLeft(t *testing.T) {
	serve := func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("n\n1\n2\n")) }
	refuse := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusPreconditionFailed) }
	for name, answer := range map[string]http.HandlerFunc{"a.csv": serve, "b.csv": refuse} {
		l, _ := liedTo(t, false, s3test.Lie{Key: name, ETag: "1", Size: "6", Serve: answer})
		if _, err := l.Sample(t.Context(), source.Relation{Name: name}, 1); (err != nil) != (name == "b.csv") || err != nil && !api.CodeSource.Is(err) {
			t.Errorf("%s: %v", name, err)
		}
		if left := l.cached(t, "locks"); len(left) > 0 {
			t.Errorf("%s: locks of nobody: %v", name, left)
		}
	}
}

// TestManyReadersShareLittleRoom has requests of two processes' places take
// turns in a cache that holds two files of four.
func TestManyReadersShareLittleRoom(t *testing.T) {
	s := newShore(t)
	s.days(t)
	info, err := os.Stat(filepath.Join(s.dir, "days/day=1/data.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	s.options.CacheSize = info.Size() * 5 / 2
	scans := make([]source.Scan, 3)
	for n := range scans {
		scans[n] = s.scan(t, "days/**/*.parquet", fmt.Sprintf("day = %d", n+1), "n")
	}
	var group sync.WaitGroup
	var read, full atomic.Int64
	for range 2 {
		l := s.reopen(t)
		for reader := range 3 {
			group.Go(func() {
				for n := range 12 {
					got, err := readAll(l, scans[(n+reader)%3])
					var e *api.Error
					switch {
					case err == nil && len(got) == 20000:
						read.Add(1)
					case errors.As(err, &e) && e.Kind == api.KindCacheFull:
						full.Add(1)
					default:
						t.Errorf("%d values, %v", len(got), err)
					}
				}
			})
		}
	}
	group.Wait()
	if read.Load() == 0 {
		t.Errorf("nobody read anything, %d were refused", full.Load())
	}
	s.lake = s.reopen(t)
	s.roomKept(t)
}
