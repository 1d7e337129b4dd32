package filehttp

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// TestPlacedFilesAreBounded: a file is put somewhere once, as long as it is among
// those used last, and never goes while somebody reads it.
func TestPlacedFilesAreBounded(t *testing.T) {
	var all tables
	parent, made := t.TempDir(), 0
	take := func(key string) (*placed, func()) {
		t.Helper()
		p, leave, err := all.take(parent, key, func(dir string) (string, string, error) {
			made++
			path := filepath.Join(dir, "a.csv")
			return path, "a.csv", os.WriteFile(path, []byte(key), 0o600)
		})
		if err != nil {
			t.Fatal(err)
		}
		return p, leave
	}
	first, leaveFirst := take("first")
	for i := range 3 * maxTables {
		_, leave := take(fmt.Sprint(i))
		leave()
	}
	if _, err := os.Stat(first.path); err != nil {
		t.Errorf("a file that is read has gone: %v", err)
	}
	again, leave := take("first")
	if again != first || made != 1+3*maxTables {
		t.Errorf("made %d times", made)
	}
	leave()
	leaveFirst()
	for i := range maxTables + 1 {
		_, leave := take(fmt.Sprint("more", i))
		leave()
	}
	if _, err := os.Stat(first.dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("an old file is there still: %v", err)
	}
	if left, err := os.ReadDir(parent); err != nil || len(left) > maxTables {
		t.Errorf("%d folders, %v", len(left), err)
	}
	wrong := errors.New("no")
	for range 2 { // what failed is tried again
		if _, _, err := all.take(parent, "bad", func(string) (string, string, error) { made++; return "", "", wrong }); !errors.Is(err, wrong) {
			t.Error(err)
		}
	}
	s := &Server{}
	s.tables.placed = all.placed
	s.Close()
	if left, err := os.ReadDir(parent); err != nil || len(left) != 0 {
		t.Errorf("%d folders are left, %v", len(left), err)
	}
}
