package store

import (
	"errors"
	"io/fs"
	"path/filepath"
	"syscall"
)

// FreeBytes returns how many bytes this user can still write to the file system of a
// folder, or of its nearest parent that exists.
func FreeBytes(dir string) (int64, error) {
	for {
		var st syscall.Statfs_t
		err := syscall.Statfs(dir, &st)
		if err == nil {
			return int64(st.Bavail) * int64(st.Bsize), nil //nolint:unconvert // their types differ between systems
		}
		up := filepath.Dir(dir)
		if !errors.Is(err, fs.ErrNotExist) || up == dir {
			return 0, &fs.PathError{Op: "statfs", Path: dir, Err: err}
		}
		dir = up
	}
}
