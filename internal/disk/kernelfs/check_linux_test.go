package kernelfs

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestCheck(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(dir, "data.csv")
	if err := os.Symlink("/proc/self/environ", link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]error{
		"/proc/self/environ": ErrKernel, "/proc/version": ErrKernel, link: ErrKernel, "/sys/kernel/notes": ErrKernel, dir: nil,
	} {
		f, err := os.Open(path)
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrPermission) {
			continue // not mounted here
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := Check(f); !errors.Is(err, want) {
			t.Errorf("%s: %v", path, err)
		}
		f.Close()
	}
}
