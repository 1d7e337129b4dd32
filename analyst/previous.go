package analyst

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/snapshot"
)

// Previous generations are the snapshots as they were before their last refresh,
// one for each name. They are in a store of their own, under the same names, and
// are the first to be removed when space is short.

func (a *Analyst) previousDir() string { return filepath.Join(a.Home, "previous") }

func (a *Analyst) previousIfAny() *snapshot.Store { return storeIfAny(a.previousDir()) }

// storeIfAny opens a store if its folder exists; otherwise it returns nil.
func storeIfAny(dir string) *snapshot.Store {
	if _, err := os.Stat(dir); err != nil {
		return nil
	}
	store, err := snapshot.Open(dir)
	if err != nil {
		return nil // its contents are then not used
	}
	return store
}

// keepPrevious stores a snapshot, whose name the caller has claimed, as its
// previous generation. Failing to do so is only a warning.
func (a *Analyst) keepPrevious(ctx context.Context, m snapshot.Meta) []api.Caveat {
	if m.Damage != nil {
		a.dropPrevious(m.Name)
		return nil
	}
	err := a.putPrevious(ctx, m, a.Store.DataPath(m))
	if err == nil {
		return nil
	}
	a.dropPrevious(m.Name) // otherwise a restore would go back too far
	return api.CaveatsOf(api.CaveatOther, "the rows before this refresh are not kept: "+err.Error())
}

// putPrevious links or copies a file as the previous generation of a snapshot.
// The original stays.
func (a *Analyst) putPrevious(ctx context.Context, m snapshot.Meta, file string) error {
	store, err := snapshot.Open(a.previousDir())
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
func (a *Analyst) Restore(ctx context.Context, name string) (*Restored, error) {
	if err := api.CheckName("snapshot name", name); err != nil {
		return nil, err
	}
	claim, err := a.Store.Claim(name, true)
	if err != nil {
		return nil, err
	}
	defer claim.Release()
	earlier, err := a.linkPrevious(name)
	if err != nil {
		return nil, err
	}
	defer earlier.Close()
	if err := atomicfile.Duplicate(ctx, earlier.Path(name), claim.Temp()); err != nil {
		return nil, writeError("restore the snapshot", err)
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
	installed, warnings, err := claim.Install(ctx, meta, a.rebuild)
	if err != nil {
		return nil, err
	}
	out.Snapshot, out.Caveats = installed, told(installed, warnings)
	if !whole {
		a.dropPrevious(name)
		return out, nil
	}
	out.Replaced = now
	if err := a.putPrevious(ctx, *now, current.Path(name)); err != nil {
		a.dropPrevious(name)
		out.Caveats = append(out.Caveats, api.NewCaveat(api.CaveatOther, "what was replaced is not kept: %s", err.Error()))
	}
	return out, nil
}

// linkPrevious pins the previous generation of a snapshot.
func (a *Analyst) linkPrevious(name string) (*snapshot.Links, error) {
	unknown := &api.Error{Code: api.CodeUnknownSnapshot, Kind: api.KindNoPrevious,
		Message: fmt.Sprintf("no earlier rows of snapshot '%s' are kept", name),
		Hint:    "A refresh that changes a snapshot keeps what it was before, until the next one or until space is short.",
		Next:    []api.Step{api.Do(api.ActionSnapshots, "see which snapshots there are")},
		Details: map[string]any{"snapshot": name}}
	store := a.previousIfAny()
	if store == nil {
		return nil, unknown
	}
	links, err := store.Link([]string{name})
	if api.CodeUnknownSnapshot.Is(err) {
		return nil, unknown
	}
	return links, err
}

// dropPrevious removes previous generations. Any that cannot be removed now are
// removed by the next refresh.
func (a *Analyst) dropPrevious(names ...string) {
	store := a.previousIfAny()
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
func (a *Analyst) install(ctx context.Context, claim *snapshot.Claim, m snapshot.Meta) (snapshot.Meta, []string, error) {
	installed, warnings, err := claim.Install(ctx, m, a.rebuild)
	if err == nil {
		a.dropPrevious(m.Name)
	}
	return installed, warnings, err
}

// trimPrevious removes previous generations, oldest first, until they fit the
// quota together with the snapshots.
func (a *Analyst) trimPrevious() {
	if used, err := a.Store.DiskUsage(); err == nil && a.Quota > 0 {
		_, _ = a.prunePrevious(max(0, a.Quota-used.UsedBytes), false)
	}
}

// prunePrevious removes previous generations until the rest takes at most quota
// bytes, or only lists them in a dry run.
func (a *Analyst) prunePrevious(quota int64, dryRun bool) ([]snapshot.Pruned, error) {
	store := a.previousIfAny()
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
