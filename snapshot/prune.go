package snapshot

import (
	"cmp"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// PrunePolicy selects the snapshots to remove. It must set All, Auto, or at least
// one of OlderThan and LargerThan: a prune without a condition is refused.
type PrunePolicy struct {
	// OlderThan is the minimum age since the fetch. LargerThan is the size in
	// bytes that must be exceeded. 0 means "not given". If both are given, both
	// must hold.
	OlderThan  time.Duration
	LargerThan int64
	// All selects every snapshot, including damaged ones.
	All bool
	// Auto selects snapshots until the rest fits into Quota bytes: first those
	// older than StaleAfter (0 disables this), oldest first, then the least
	// recently used.
	Auto       bool
	Quota      int64
	StaleAfter time.Duration
}

// Reasons for pruning a snapshot, or for skipping it.
const (
	ReasonOlder     = "older_than"
	ReasonLarger    = "larger_than"
	ReasonBoth      = "older_than and larger_than"
	ReasonAll       = "all"
	ReasonStale     = "stale"
	ReasonOverQuota = "over_quota"
	ReasonBusy      = "busy" // it is being fetched
	// ReasonPrevious marks the earlier version of a snapshot, from before its
	// last refresh.
	ReasonPrevious = "previous"
)

// Pruned is one snapshot that was, would be, or could not be removed.
type Pruned struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	Reason string `json:"reason"`
}

// PruneResult is what a prune did or, in a dry run, would do.
type PruneResult struct {
	DryRun  bool     `json:"dry_run"`
	Removed []Pruned `json:"removed"` // in the order of removal; never null
	Skipped []Pruned `json:"skipped"` // never null
	// FreedBytes is the sum over Removed. Readers that still have a removed file
	// open keep its space until they end.
	FreedBytes int64    `json:"freed_bytes"`
	LeftBytes  int64    `json:"left_bytes"` // of the snapshots that remain
	Warnings   []string `json:"warnings"`   // never null
}

func (p PrunePolicy) check() error {
	const why = "say which"
	usage := func(message string) error {
		return &api.Error{
			Code: api.CodeUsage, Message: message,
			Next: []api.Step{
				api.Set(api.OptionOlderThan, why), api.Set(api.OptionLargerThan, why), api.Set(api.OptionAuto, why), api.Set(api.OptionAll, why),
				api.Set(api.OptionDryRun, "see first what would go"),
			},
		}
	}
	filtered := p.OlderThan != 0 || p.LargerThan != 0
	switch {
	case p.OlderThan < 0 || p.LargerThan < 0 || p.StaleAfter < 0 || p.Quota < 0:
		return usage("an age or a size is negative")
	case !p.All && !p.Auto && !filtered:
		return usage("no condition says which snapshots to prune")
	case p.All && (p.Auto || filtered), p.Auto && filtered:
		return usage("all snapshots, or an automatic choice, leave no room for further conditions")
	}
	return nil
}

// Prune drops the snapshots that the policy selects; with dryRun it only lists
// them. It skips those that are being fetched. after and the warnings are as for
// Install; after runs once.
func (s *Store) Prune(p PrunePolicy, dryRun bool, after After) (*PruneResult, error) {
	if err := p.check(); err != nil {
		return nil, err
	}
	if !dryRun {
		unlock, err := s.lockAlone()
		if err != nil {
			return nil, err
		}
		defer unlock()
	}
	metas, err := s.List()
	if err != nil {
		return nil, err
	}
	r := &PruneResult{DryRun: dryRun, Removed: []Pruned{}, Skipped: []Pruned{}, Warnings: []string{}}
	busy := func(name string) bool { return api.CodeSnapshotBusy.Is(s.idle(name)) }
	if dryRun {
		// Trying a name's lock without the store's lock would disturb a claim.
		busy = s.files.Claimed
	}
	p.choose(r, metas, s.now(), busy)
	if dryRun || len(r.Removed) == 0 {
		return r, nil
	}
	if err := s.dropAll(r.Removed, after); err != nil {
		return nil, atomicfile.Explain("prune the snapshots", err)
	}
	r.Warnings = append(r.Warnings, s.followed(after)...)
	return r, nil
}

// choose fills the result with the snapshots that the policy selects.
func (p PrunePolicy) choose(r *PruneResult, metas []Meta, now time.Time, busy func(name string) bool) {
	for _, m := range metas {
		r.LeftBytes += m.BytesLocal
	}
	stale := func(m Meta) bool { return p.StaleAfter > 0 && now.Sub(m.FetchedAt) >= p.StaleAfter }
	if p.Auto {
		slices.SortStableFunc(metas, func(a, b Meta) int {
			switch {
			case stale(a) && stale(b):
				return a.FetchedAt.Compare(b.FetchedAt)
			case stale(a):
				return -1
			case stale(b):
				return 1
			}
			return cmp.Or(a.LastUsed.Compare(b.LastUsed), a.FetchedAt.Compare(b.FetchedAt))
		})
	}
	for _, m := range metas {
		reason := p.reason(m, now, r.LeftBytes, stale(m))
		switch {
		case reason == "":
		case busy(m.Name):
			r.Skipped = append(r.Skipped, Pruned{m.Name, m.BytesLocal, ReasonBusy})
		default:
			r.Removed = append(r.Removed, Pruned{m.Name, m.BytesLocal, reason})
			r.FreedBytes += m.BytesLocal
			r.LeftBytes -= m.BytesLocal
		}
	}
}

// reason returns why a snapshot is pruned, or "" to keep it. If the sidecar
// cannot be read, age and size are unknown, so only All selects it.
func (p PrunePolicy) reason(m Meta, now time.Time, left int64, stale bool) string {
	older := p.OlderThan > 0 && now.Sub(m.FetchedAt) >= p.OlderThan
	larger := p.LargerThan > 0 && m.BytesLocal > p.LargerThan
	switch {
	case p.All:
		return ReasonAll
	case !m.described():
		return ""
	case p.Auto && left <= p.Quota:
		return ""
	case p.Auto && stale:
		return ReasonStale
	case p.Auto:
		return ReasonOverQuota
	case older && larger:
		return ReasonBoth
	case older && p.LargerThan == 0:
		return ReasonOlder
	case larger && p.OlderThan == 0:
		return ReasonLarger
	}
	return ""
}

// dropAll drops several snapshots with a single sync. The caller holds the
// store's exclusive lock.
func (s *Store) dropAll(list []Pruned, after After) error {
	if err := s.expect(after); err != nil && !atomicfile.DiskFull(err) {
		return err
	}
	names := make([]string, len(list))
	for i, x := range list {
		names[i] = x.Name
	}
	return s.remove(names...)
}
