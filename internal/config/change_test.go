package config

import (
	"bytes"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// TestChangesAtOnce holds that of changes made at once none is lost, also through a
// link, and that no lock is left behind.
func TestChangesAtOnce(t *testing.T) {
	dir, away := t.TempDir(), t.TempDir()
	file, link := filepath.Join(away, "config"), filepath.Join(dir, "config")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o640); err != nil {
		t.Fatal(err)
	}
	const changes = 30
	var all sync.WaitGroup
	for range changes {
		all.Go(func() {
			if err := ChangeFile(t.Context(), link, "the file", 0o600, func(data []byte) ([]byte, error) {
				return append(data, "line\n"...), nil
			}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	text, err := os.ReadFile(file)
	if n := bytes.Count(text, []byte("line\n")); err != nil || n != changes {
		t.Errorf("%d of %d changes are in the file: %v", n, changes, err)
	}
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Errorf("the link is gone: %v, %v", info, err)
	}
	if left, err := os.ReadDir(away); err != nil || len(left) != 1 {
		t.Errorf("beside the file there is %v, %v", left, err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("the file's mode is %v, %v", info, err)
	}
}
