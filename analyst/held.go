package analyst

import (
	"fmt"

	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/snapshot"
)

// SnapshotMeta describes a snapshot.
type SnapshotMeta = snapshot.Meta

// Snapshots are those of a store, by name.
type Snapshots struct {
	Whole   []snapshot.Meta   `json:"snapshots"` // never null
	Damaged []DamagedSnapshot `json:"damaged"`   // never null
}

// DamagedSnapshot is one that cannot be read.
type DamagedSnapshot struct {
	Name   string `json:"name"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// Snapshots lists what is in the store.
func (a *Analyst) Snapshots() (*Snapshots, error) {
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

// DiskInfo is what the store takes of the disk. Sizes are bytes.
type DiskInfo struct {
	SnapshotsDir string `json:"snapshots_dir"`
	Snapshots    int    `json:"snapshots"`
	UsedBytes    int64  `json:"used_bytes"` // by snapshots
	FreeBytes    int64  `json:"free_bytes"`
	QuotaBytes   int64  `json:"quota_bytes"`
	OverQuota    bool   `json:"over_quota"`
}

// DiskInfo measures the store against its soft cap.
func (a *Analyst) DiskInfo() (DiskInfo, error) {
	u, err := a.Store.DiskUsage()
	if err != nil {
		return DiskInfo{}, err
	}
	return DiskInfo{SnapshotsDir: u.Dir, Snapshots: u.Snapshots, UsedBytes: u.UsedBytes, FreeBytes: u.FreeBytes,
		QuotaBytes: a.Quota, OverQuota: u.UsedBytes > a.Quota}, nil
}

// OverQuota warns if the soft cap is passed; empty if it is not, or if the disk
// cannot be measured.
func (a *Analyst) OverQuota() string {
	info, err := a.DiskInfo()
	if err != nil || !info.OverQuota {
		return ""
	}
	return info.Warning()
}

// Warning is the sentence about a passed cap.
func (d DiskInfo) Warning() string {
	return fmt.Sprintf("snapshots take %s, more than snapshot_quota_gb allows (%s); 'da snapshot prune --auto' removes the oldest",
		humanize.Bytes(d.UsedBytes), humanize.Bytes(d.QuotaBytes))
}
