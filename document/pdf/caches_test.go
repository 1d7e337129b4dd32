package pdf

import (
	"os"
	"path/filepath"
	"testing"
)

// TestACacheOpenToOthersIsEmptied: what others may have written is never run.
func TestACacheOpenToOthersIsEmptied(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(dir, "code")
	if err := os.WriteFile(foreign, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o777); err != nil { //nolint:gosec // what is tested
		t.Fatal(err)
	}
	if _, err := cacheIn(dir); err != nil {
		t.Fatal(err)
	}
	defer forget(dir)
	if _, err := os.Stat(foreign); !os.IsNotExist(err) {
		t.Errorf("it is still there: %v", err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder: %v, %v", info, err)
	}
}
