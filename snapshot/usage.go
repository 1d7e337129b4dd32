package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/store"
)

// Usage says how much room the store takes and how much there is.
type Usage struct {
	Dir       string `json:"dir"`
	Snapshots int    `json:"snapshots"`
	UsedBytes int64  `json:"used_bytes"` // of all data files, those being fetched too
	FreeBytes int64  `json:"free_bytes"` // that this user may still write
}

// DiskUsage measures the store and the file system that it lies on.
func (s *Store) DiskUsage() (Usage, error) {
	u := Usage{Dir: s.files.Dir}
	failed := func(err error) (Usage, error) {
		return Usage{}, &api.Error{Code: api.CodeReadFailed, Message: "cannot measure the snapshots: " + err.Error(), Err: err}
	}
	bases, err := store.BaseNames(s.files.Dir)
	if err != nil {
		return failed(err)
	}
	for _, base := range bases {
		if name, ok := strings.CutSuffix(base, sidecarExt); ok && s.files.Name(name) {
			u.Snapshots++
		}
		if !strings.HasSuffix(base, dataExt) {
			continue
		}
		if info, err := os.Lstat(s.files.Path(base)); err == nil && info.Mode().IsRegular() {
			u.UsedBytes += info.Size()
		}
	}
	if u.FreeBytes, err = freeBytes(s.files.Dir); err != nil {
		return failed(err)
	}
	return u, nil
}

// FreeBytes returns how much the user may still write on the disk of the snapshots.
func (s *Store) FreeBytes() (int64, error) { return freeBytes(s.files.Dir) }

// freeBytes asks the file system of a folder, or of the nearest one above that
// exists.
func freeBytes(dir string) (int64, error) {
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
