package keep

import (
	"context"
	"fmt"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/snapshot"
)

// Previous generations are the snapshots as they were before their last refresh,
// one for each name. They are in a store of their own, under the same names, and
// are the first to be removed when space is short.

// SavePrevious stores a snapshot, whose name the caller has claimed, as its
// previous generation. Failing to do so is only a warning.
func SavePrevious(ctx context.Context, a *analyst.Analyst, m snapshot.Meta) []api.Caveat {
	if m.Damage != nil {
		DropPrevious(a, m.Name)
		return nil
	}
	err := putPrevious(ctx, a, m, a.Store.DataPath(m))
	if err == nil {
		return nil
	}
	DropPrevious(a, m.Name) // otherwise a restore would go back too far
	return api.CaveatsOf(api.CaveatOther, "the rows before this refresh are not kept: "+err.Error())
}

// putPrevious links or copies a file as the previous generation of a snapshot.
// The original stays.
func putPrevious(ctx context.Context, a *analyst.Analyst, m snapshot.Meta, file string) error {
	store, err := snapshot.Open(a.PreviousDir())
	if err != nil {
		return err
	}
	claim, err := store.Claim(m.Name, true)
	if err != nil {
		return err
	}
	defer claim.Release()
	if err := atomicfile.Duplicate(ctx, file, claim.Temp()); err != nil {
		return err
	}
	_, _, err = claim.Install(ctx, m, nil)
	return err
}

// Restored is a snapshot after its previous generation was restored.
type Restored struct {
	Snapshot snapshot.Meta `json:"snapshot"`
	// Replaced is the snapshot before the restore, which another restore brings
	// back; null if it could not be read.
	Replaced *snapshot.Meta `json:"replaced"`
	Caveats  []api.Caveat   `json:"caveats"` // never null
}

// Restore swaps a snapshot with its previous generation. It returns
// CodeUnknownSnapshot if there is no previous generation.
func Restore(ctx context.Context, a *analyst.Analyst, name string) (*Restored, error) {
	if err := api.CheckName("snapshot name", name); err != nil {
		return nil, err
	}
	claim, err := a.Store.Claim(name, true)
	if err != nil {
		return nil, err
	}
	defer claim.Release()
	earlier, err := linkPrevious(a, name)
	if err != nil {
		return nil, err
	}
	defer earlier.Close()
	if err := atomicfile.Duplicate(ctx, earlier.Path(name), claim.Temp()); err != nil {
		return nil, analyst.WriteError("restore the snapshot", err)
	}
	now := claim.Existing()
	whole := now != nil && now.Damage == nil
	var current *snapshot.Links
	if whole {
		if current, err = a.Store.Link([]string{name}); err != nil {
			return nil, err
		}
		defer current.Close()
	}
	out := &Restored{}
	meta := earlier.Metas[0]
	if whole {
		meta.Labels = now.Labels // note and tags belong to the name
	}
	installed, warnings, err := claim.Install(ctx, meta, Rebuild(a))
	if err != nil {
		return nil, err
	}
	out.Snapshot, out.Caveats = installed, InstallCaveats(installed, warnings)
	if !whole {
		DropPrevious(a, name)
		return out, nil
	}
	out.Replaced = now
	if err := putPrevious(ctx, a, *now, current.Path(name)); err != nil {
		DropPrevious(a, name)
		out.Caveats = append(out.Caveats, api.NewCaveat(api.CaveatOther, "what was replaced is not kept: %s", err.Error()))
	}
	return out, nil
}

// linkPrevious pins the previous generation of a snapshot.
func linkPrevious(a *analyst.Analyst, name string) (*snapshot.Links, error) {
	unknown := &api.Error{Code: api.CodeUnknownSnapshot, Kind: api.KindNoPrevious,
		Message: fmt.Sprintf("no earlier rows of snapshot '%s' are kept", name),
		Hint:    "A refresh that changes a snapshot keeps what it was before, until the next one or until space is short.",
		Next:    []api.Step{api.Do(api.ActionSnapshots, "see which snapshots there are")},
		Details: map[string]any{"snapshot": name}}
	store := a.PreviousStore()
	if store == nil {
		return nil, unknown
	}
	links, err := store.Link([]string{name})
	if api.CodeUnknownSnapshot.Is(err) {
		return nil, unknown
	}
	return links, err
}

// DropPrevious removes previous generations. Any that cannot be removed now are
// removed by the next refresh.
func DropPrevious(a *analyst.Analyst, names ...string) {
	store := a.PreviousStore()
	if store == nil {
		return
	}
	for _, name := range names {
		_, _ = store.Drop(name, nil)
	}
}

// install installs a snapshot that is unrelated to any earlier one of its name.
// It drops the previous generation, because a restore would bring back rows of
// the earlier snapshot.
func install(ctx context.Context, a *analyst.Analyst, claim *snapshot.Claim, m snapshot.Meta) (snapshot.Meta, []string, error) {
	installed, warnings, err := claim.Install(ctx, m, Rebuild(a))
	if err == nil {
		DropPrevious(a, m.Name)
	}
	return installed, warnings, err
}

// TrimPrevious removes previous generations, oldest first, until they fit the
// quota together with the snapshots.
func TrimPrevious(a *analyst.Analyst) {
	if used, err := a.Store.DiskUsage(); err == nil && a.Quota > 0 {
		_, _ = prunePrevious(a, max(0, a.Quota-used.UsedBytes), false)
	}
}

// prunePrevious removes previous generations until the rest takes at most quota
// bytes, or only lists them in a dry run.
func prunePrevious(a *analyst.Analyst, quota int64, dryRun bool) ([]snapshot.Pruned, error) {
	store := a.PreviousStore()
	if store == nil {
		return nil, nil
	}
	r, err := store.Prune(snapshot.PrunePolicy{Auto: true, Quota: quota}, dryRun, nil)
	if err != nil {
		return nil, err
	}
	for i := range r.Removed {
		r.Removed[i].Reason = snapshot.ReasonPrevious
	}
	return r.Removed, nil
}

// Restorable reports whether the rows of a snapshot before its last refresh are
// kept.
func Restorable(a *analyst.Analyst, name string) bool {
	store := a.PreviousStore()
	if store == nil {
		return false
	}
	_, err := store.Get(name)
	return err == nil
}
