package lake

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/source"
)

// TestNothingOutsideIsReadInARace has somebody exchange a file and a link that
// leads out of the root, as fast as that goes, while all kinds of requests
// read it.
func TestNothingOutsideIsReadInARace(t *testing.T) {
	outside := t.TempDir()
	f := newFolder(t)
	for _, format := range []string{".parquet", ".csv", ".jsonl"} {
		name := "t" + format
		for value, at := range map[string]string{"1": f.path(t, name), "6": filepath.Join(outside, name)} {
			f.copy(t, "tmp"+format, "SELECT "+value+" AS n FROM range(1000)", formatOption(format))
			if err := os.Rename(f.path(t, "tmp"+format), at); err != nil {
				t.Fatal(err)
			}
		}
		link := f.path(t, "other"+format)
		if err := os.Symlink(filepath.Join(outside, name), link); err != nil {
			t.Fatal(err)
		}
		scan := f.scan(t, name, "", "n")
		ended, stop := context.WithCancel(t.Context())
		var swapping sync.WaitGroup
		swapping.Go(func() {
			for ended.Err() == nil {
				if err := unix.Renameat2(unix.AT_FDCWD, link, unix.AT_FDCWD, f.path(t, name), unix.RENAME_EXCHANGE); err != nil {
					t.Error(err)
					return
				}
			}
		})
		answers := 0
		for n := range 50 {
			var got map[string]int
			r, err := f.lake.Query(t.Context(), "SELECT n FROM t", map[string]source.Relation{"t": scan.Relation})
			if n%2 == 0 {
				got, err = readAll(f.lake, scan)
			} else if err == nil {
				got, err = values(r)
			}
			if r != nil {
				r.Release()
			}
			switch {
			case err == nil && got["1"] == 1000 && len(got) == 1:
				answers++
			case err == nil:
				t.Errorf("%s: rows by their values: %v", format, got)
			case !errors.Is(err, &api.Error{Code: api.CodeSource}):
				t.Errorf("%s: %v", format, err)
			}
		}
		stop()
		swapping.Wait()
		t.Logf("%s: %d answers", format, answers)
	}
}
