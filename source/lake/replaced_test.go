package lake

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// generation writes the n-th content of an object: some rows that all hold n.
// How many they are differs, too.
func generation(n int) string {
	return fmt.Sprintf("SELECT %d AS n, md5(range::VARCHAR) AS pad FROM range(%d)", n, generationRows(n))
}

func generationRows(n int) int { return 5000 + 100*(n%7) }

// values counts the rows of each value in a reader's only column.
func values(r array.RecordReader) (map[string]int, error) {
	counts := map[string]int{}
	for r.Next() {
		c := r.RecordBatch().Column(0)
		for i := range c.Len() {
			counts[c.ValueStr(i)]++
		}
	}
	return counts, r.Err()
}

// TestAScanReadsWhatItBeganWith replaces objects that a running scan has not
// come to yet, and has them read by others.
func TestAScanReadsWhatItBeganWith(t *testing.T) {
	s := newShore(t)
	s.options.Threads = 1 // so that the engine opens one file after the other
	s.lake = s.reopen(t)
	const files = 20
	write := func(n int) {
		s.folder.copy(t, "g.parquet", fmt.Sprintf("SELECT %d AS n FROM range(200000)", n))
		for i := range files {
			s.put(t, fmt.Sprintf("lake/many/%02d.parquet", i), s.path(t, "g.parquet"))
		}
	}
	write(1)
	scan := s.scan(t, "many/*.parquet", "", "n")
	r, err := s.lake.Scan(t.Context(), scan)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Release()
	if !r.Next() {
		t.Fatal(r.Err())
	}
	begun := int(r.RecordBatch().NumRows())
	write(2)
	other := s.reopen(t)
	if _, err := other.Estimate(t.Context(), scan); err != nil { // brings footers
		t.Fatal(err)
	}
	rest, err := values(r)
	if err != nil || rest["1"] != files*200000-begun || len(rest) != 1 {
		t.Errorf("rows by their values: %v, %v", rest, err)
	}
	if got, err := readAll(other, scan); err != nil || got["2"] != files*200000 || len(got) != 1 {
		t.Errorf("afterwards %v, %v", got, err)
	}
}

// TestObjectsAreReplacedWhileTheyAreRead has readers, in two processes' places,
// and a writer at work on the same objects.
func TestObjectsAreReplacedWhileTheyAreRead(t *testing.T) {
	s := newShore(t)
	const generations = 40
	for n := range generations {
		s.folder.copy(t, fmt.Sprintf("g%d.parquet", n), generation(n))
	}
	s.put(t, "lake/a.parquet", s.path(t, "g0.parquet"))
	scan := s.scan(t, "a.parquet", "", "n")
	written, stop := context.WithCancel(t.Context())
	var group sync.WaitGroup
	var mu sync.Mutex
	whole, refused := 0, 0
	for range 2 {
		l := s.reopen(t)
		for range 2 {
			group.Go(func() {
				for written.Err() == nil {
					got, err := readAll(l, scan)
					mu.Lock()
					switch {
					case err == nil:
						whole++
						if why := mixture(got); why != "" {
							t.Error(why)
						}
					case changedMeanwhile(err):
						refused++
					default:
						t.Errorf("an object that is replaced: %v", err)
					}
					mu.Unlock()
				}
			})
		}
	}
	for n := 1; n < generations; n++ {
		s.put(t, "lake/a.parquet", s.path(t, fmt.Sprintf("g%d.parquet", n)))
	}
	stop()
	group.Wait()
	if whole == 0 {
		t.Errorf("no answer at all, %d refused", refused)
	}
	got, err := readAll(s.lake, scan)
	if last := fmt.Sprint(generations - 1); err != nil || got[last] != generationRows(generations-1) {
		t.Errorf("at last: %v, %v", got, err)
	}
}

func readAll(l *Lake, scan source.Scan) (map[string]int, error) {
	r, err := l.Scan(context.Background(), scan)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	return values(r)
}

// mixture says why an answer is not one generation whole; "" if it is.
func mixture(got map[string]int) string {
	for value, n := range got {
		var g int
		if _, err := fmt.Sscan(value, &g); err != nil || len(got) != 1 || n != generationRows(g) {
			return fmt.Sprintf("rows by their generations: %v", got)
		}
	}
	if len(got) == 0 {
		return "no rows"
	}
	return ""
}

func changedMeanwhile(err error) bool {
	var e *api.Error
	return errors.As(err, &e) && e.Kind == api.KindChangedMeanwhile
}

// TestFootersNeverStandForFiles has another process put the footer alone in
// the place of a file that this one has known whole.
func TestFootersNeverStandForFiles(t *testing.T) {
	s := newShore(t)
	s.copy(t, "a.parquet", generation(3))
	scan := s.scan(t, "a.parquet", "", "pad")
	if _, err := readAll(s.lake, scan); err != nil {
		t.Fatal(err)
	}
	other := s.reopen(t)
	other.emptyCache(t)
	if _, err := other.Estimate(t.Context(), scan); err != nil {
		t.Fatal(err)
	}
	got, err := readAll(s.lake, scan)
	if err != nil || len(got) != generationRows(3) {
		t.Errorf("%d values, %v", len(got), err)
	}
}
