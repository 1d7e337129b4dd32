package lake

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/bucket"
	"github.com/agnes-data/da/source"
	"github.com/agnes-data/da/source/lake/mirror"
)

// TestWhatSomebodyTidiedUp has files of the cache removed by others than the
// lake, which leave its marks.
func TestWhatSomebodyTidiedUp(t *testing.T) {
	s := newShore(t)
	s.copy(t, "a.parquet", "SELECT range AS n, md5(range::VARCHAR) AS word FROM range(20000)")
	scan := s.scan(t, "a.parquet", "", "word")
	first := s.found(t, "a.parquet")
	for n := range 2 {
		if got := s.count(t, scan); got != "20000" {
			t.Fatalf("%s rows", got)
		}
		if err := os.Remove(s.lake.pathOf(first)); err != nil {
			t.Fatal(err)
		}
		// What takes its place at first is the footer, with a hole before it.
		if _, err := s.lake.Estimate(t.Context(), scan); err != nil {
			t.Fatal(err)
		}
		_, whole := os.Stat(s.lake.markOf(first, "whole"))
		_, footer := os.Stat(s.lake.markOf(first, "footer"))
		if !os.IsNotExist(whole) || footer != nil {
			t.Errorf("round %d: a footer stands for the whole file: %v, %v", n, whole, footer)
		}
		s.lake = s.reopen(t)
	}
	if got := s.count(t, scan); got != "20000" {
		t.Errorf("%s rows of what had gone", got)
	}
}

// TestWhatIsUsedLooksUsed holds that who removes old files takes those that
// nobody reads.
func TestWhatIsUsedLooksUsed(t *testing.T) {
	s := newShore(t)
	s.copy(t, "a.parquet", "SELECT range AS n FROM range(10)")
	scan := s.scan(t, "a.parquet", "", "n")
	s.count(t, scan)
	f := s.found(t, "a.parquet")
	paths := []string{s.lake.pathOf(f), s.lake.markOf(f, "whole")}
	old := time.Now().Add(-24 * time.Hour)
	for _, path := range paths {
		if err := os.Chtimes(path, old, old); err != nil {
			t.Fatal(err)
		}
	}
	s.count(t, scan)
	for _, path := range paths {
		if info, err := os.Stat(path); err != nil || !info.ModTime().After(old.Add(time.Hour)) {
			t.Errorf("%s was not used since %v: %v", path, old, err)
		}
	}
}

// TestWhatIsTidiedUpBeforeItIsRead has files of the cache removed by others in
// the moment between the look whether they are there and the engine's.
func TestWhatIsTidiedUpBeforeItIsRead(t *testing.T) {
	s := newShore(t)
	s.days(t)
	s.write(t, "x.csv", "n,word\n1,x\n2,y\n")
	s.put(t, "lake/x.csv", s.path(t, "x.csv"))
	var times atomic.Int64
	remove := func(objects []bucket.Object) {
		if times.Add(-1) < 0 {
			return
		}
		for _, o := range objects {
			_ = os.Remove(filepath.Join(s.lake.dir, filepath.FromSlash(mirror.Place(o)))) // the footer alone may be there, or nothing
		}
	}
	for name, want := range map[string]string{"days/**/*.parquet": "60000", "x.csv": "2"} {
		scan := s.scan(t, name, "", "n")
		rel := source.Relation{Name: name}
		for what, request := range map[string]func() string{
			"scan": func() string { return s.count(t, scan) },
			"query": func() string {
				r, err := s.lake.Query(t.Context(), "SELECT n FROM t", map[string]source.Relation{"t": rel})
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return want
				}
				defer r.Release()
				n := int64(0)
				for r.Next() {
					n += r.RecordBatch().NumRows()
				}
				if r.Err() != nil {
					t.Error(r.Err())
				}
				return fmt.Sprint(n)
			},
			"sample": func() string {
				r, err := s.lake.Sample(t.Context(), rel, 2)
				if err != nil {
					t.Errorf("%s: %v", name, err)
					return want
				}
				r.Release()
				return want
			},
			"estimate": func() string {
				if _, err := s.lake.Estimate(t.Context(), scan); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				return want
			},
			"schema": func() string {
				if _, err := s.lake.Schema(t.Context(), rel); err != nil {
					t.Errorf("%s: %v", name, err)
				}
				return want
			},
		} {
			for n := range int64(3) { // at the first look, and at as many after it
				if name == "x.csv" && n < 2 {
					continue // the hardest: the others are the same as of parquet files
				}
				s.lake = s.reopen(t) // remembers nothing
				s.lake.mirror.OnBring = remove
				times.Store(n + 1)
				if got := request(); got != want {
					t.Errorf("%s of %s: %s, want %s", what, name, got, want)
				}
			}
		}
	}
	// Who removes whatever comes ends the request, which may be made again.
	s.lake = s.reopen(t)
	s.lake.mirror.OnBring = func(objects []bucket.Object) { times.Store(1); remove(objects) }
	_, err := s.lake.Sample(t.Context(), source.Relation{Name: "x.csv"}, 2)
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != api.KindChangedMeanwhile || !e.Retryable() || e.Hint == "" {
		t.Errorf("%+v", err)
	}
}

// TestEmptyFoldersAreTidiedUp has the folders of the cache removed that hold
// nothing between requests.
func TestEmptyFoldersAreTidiedUp(t *testing.T) {
	s := newShore(t)
	s.copy(t, "a.parquet", "SELECT range AS n FROM range(10)")
	s.copy(t, "b.parquet", "SELECT range AS n FROM range(20)")
	s.count(t, s.scan(t, "a.parquet", "", "n"))
	for _, dir := range []string{"holds", "loading", "locks"} {
		if err := os.Remove(s.lake.cache(dir)); err != nil {
			t.Errorf("%s: %v", dir, err)
		}
	}
	if got := s.count(t, s.scan(t, "b.parquet", "", "n")); got != "20" {
		t.Errorf("%s rows", got)
	}
}
