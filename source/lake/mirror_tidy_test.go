package lake

import (
	"os"
	"testing"
	"time"
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
		if err := os.Remove(s.lake.mirror.path(first)); err != nil {
			t.Fatal(err)
		}
		// What takes its place at first is the footer, with a hole before it.
		if _, err := s.lake.Estimate(t.Context(), scan); err != nil {
			t.Fatal(err)
		}
		if s.lake.mirror.has(first, true) || !s.lake.mirror.has(first, false) {
			t.Errorf("round %d: a footer stands for the whole file", n)
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
	paths := []string{s.lake.mirror.path(f), s.lake.mirror.mark(f.version(), true)}
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
