package snapshot

import (
	"os"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/store"
)

// Usage says how much space the store uses and how much is free.
type Usage struct {
	Dir       string `json:"dir"`
	Snapshots int    `json:"snapshots"`
	UsedBytes int64  `json:"used_bytes"` // of all data files, including those being fetched
	FreeBytes int64  `json:"free_bytes"` // what this user can still write
}

// DiskUsage measures the store and its file system.
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
	if u.FreeBytes, err = store.FreeBytes(s.files.Dir); err != nil {
		return failed(err)
	}
	return u, nil
}

// FreeBytes returns how many bytes the user can still write to the disk of the
// snapshots.
func (s *Store) FreeBytes() (int64, error) { return store.FreeBytes(s.files.Dir) }
