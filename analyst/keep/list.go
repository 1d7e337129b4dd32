package keep

import (
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
)

// Snapshots are the snapshots of a store, ordered by name.
type Snapshots struct {
	Whole   []snapshot.Meta   `json:"snapshots"` // never null
	Damaged []DamagedSnapshot `json:"damaged"`   // never null
}

// DamagedSnapshot is a snapshot that cannot be read.
type DamagedSnapshot struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// List lists what is in the store.
func List(a *analyst.Analyst) (*Snapshots, error) {
	metas, err := a.Store.List()
	if err != nil {
		return nil, err
	}
	list := &Snapshots{Whole: []snapshot.Meta{}, Damaged: []DamagedSnapshot{}}
	for _, m := range metas {
		if m.Damage != nil {
			list.Damaged = append(list.Damaged, DamagedSnapshot{m.Name, m.Damage.Kind, m.Damage.Message})
			continue
		}
		list.Whole = append(list.Whole, m)
	}
	return list, nil
}

// DiskInfo describes the disk usage of the store. Sizes are in bytes.
type DiskInfo struct {
	SnapshotsDir string `json:"snapshots_dir"`
	Snapshots    int    `json:"snapshots"`
	UsedBytes    int64  `json:"used_bytes"` // by snapshots
	FreeBytes    int64  `json:"free_bytes"`
	QuotaBytes   int64  `json:"quota_bytes"`
	OverQuota    bool   `json:"over_quota"`

	SyncedTables int   `json:"synced_tables"`
	SyncedBytes  int64 `json:"synced_bytes"` // including tables that are being pulled
	// Data that can be rebuilt or fetched again: cached server answers, tables
	// made from local files, and kept results.
	CacheBytes   int64 `json:"cache_bytes"`
	TabularBytes int64 `json:"tabular_bytes"`
	ResultsBytes int64 `json:"results_bytes"`
	PartsBytes   int64 `json:"parts_bytes"` // what queries have fetched
	// PreviousBytes are the bytes of previous generations of snapshots.
	PreviousBytes int64 `json:"previous_bytes"`
	// WorkspaceBytes include older versions, deleted files and drafts.
	WorkspaceBytes     int64 `json:"workspace_bytes"`
	ConversationsBytes int64 `json:"conversations_bytes"`
}

// DiskUsage measures the store and compares it with the soft limit.
func DiskUsage(a *analyst.Analyst) (DiskInfo, error) {
	u, err := a.Store.DiskUsage()
	if err != nil {
		return DiskInfo{}, err
	}
	tables := synced.At(a.Home)
	return DiskInfo{SyncedTables: len(tables.List()), SyncedBytes: folderBytes(tables.Dir()),
		CacheBytes: folderBytes(filepath.Join(a.Home, "cache")), TabularBytes: folderBytes(filepath.Join(a.Home, "tabular")),
		ResultsBytes: folderBytes(filepath.Join(a.Home, "results")),
		PartsBytes:   folderBytes(a.PartsDir()), PreviousBytes: folderBytes(a.PreviousDir()),
		WorkspaceBytes: folderBytes(filepath.Join(a.Home, "files")), ConversationsBytes: folderBytes(filepath.Join(a.Home, "conversations")),
		SnapshotsDir: u.Dir, Snapshots: u.Snapshots, UsedBytes: u.UsedBytes, FreeBytes: u.FreeBytes,
		QuotaBytes: a.Quota, OverQuota: u.UsedBytes > a.Quota}, nil
}

// folderBytes returns the size of the files below a folder. Files that cannot be
// read, or are removed meanwhile, count as 0.
func folderBytes(dir string) (total int64) {
	_ = filepath.WalkDir(dir, func(_ string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() {
			if info, err := e.Info(); err == nil {
				total += info.Size()
			}
		}
		return nil
	})
	return total
}

// OverQuota warns if snapshots exceed their soft limit. There is no warning if
// the disk cannot be measured.
func OverQuota(a *analyst.Analyst) []api.Caveat {
	info, err := DiskUsage(a)
	if err != nil || !info.OverQuota {
		return nil
	}
	return []api.Caveat{info.Warning()}
}

// Warning says that snapshots exceed their soft limit.
func (d DiskInfo) Warning() api.Caveat {
	return api.Caveat{Kind: api.CaveatOther, Text: fmt.Sprintf("snapshots take %s, more than snapshot_quota_gb allows (%s)",
		humanize.Bytes(d.UsedBytes), humanize.Bytes(d.QuotaBytes)), Next: []api.Step{api.Do(api.ActionPrune, "remove the oldest")}}
}

// Holds reports whether a snapshot or a synced table has the name.
func Holds(a *analyst.Analyst, name string) bool {
	if _, here := synced.At(a.Home).Get(name); here {
		return true
	}
	_, err := a.Store.Get(name)
	return !api.CodeUnknownSnapshot.Is(err)
}
