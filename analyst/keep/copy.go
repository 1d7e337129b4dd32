package keep

import (
	"context"
	"fmt"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
)

// Copied is a snapshot after a rename or a copy.
type Copied struct {
	Snapshot snapshot.Meta `json:"snapshot"`
	From     string        `json:"from"` // its former name, or the name of the original
	Caveats  []api.Caveat  `json:"caveats"`
}

func newKept(from string, meta snapshot.Meta, warnings []string) *Copied {
	return &Copied{Snapshot: meta, From: from, Caveats: InstallCaveats(meta, warnings)}
}

// Rename gives a snapshot another name; force replaces an existing snapshot of
// that name.
func Rename(ctx context.Context, a *analyst.Analyst, from, to string, force bool) (*Copied, error) {
	meta, warnings, err := a.Store.Rename(ctx, from, to, force, Rebuild(a))
	if err != nil {
		return nil, err
	}
	DropPrevious(a, to) // of the replaced snapshot
	if earlier := a.PreviousStore(); earlier != nil {
		if _, _, err := earlier.Rename(ctx, from, to, true, nil); err != nil && !api.CodeUnknownSnapshot.Is(err) {
			DropPrevious(a, from)
		}
	}
	return newKept(from, meta, warnings), nil
}

// Copy stores a snapshot's rows under a second name; force replaces an existing
// snapshot of that name.
func Copy(ctx context.Context, a *analyst.Analyst, from, to string, force bool) (*Copied, error) {
	meta, warnings, err := a.Store.Copy(ctx, from, to, force, Rebuild(a))
	if err != nil {
		return nil, err
	}
	DropPrevious(a, to) // of the replaced snapshot
	return newKept(from, meta, warnings), nil
}

// ImportFolder installs the snapshot from a folder that snapshot.Store.Pack
// wrote, on this machine or another. An empty name keeps the original name. It
// rejects rows that do not match the description.
func ImportFolder(ctx context.Context, a *analyst.Analyst, dir, name string, force bool) (*ImportResult, error) {
	packed, err := snapshot.ReadPacked(dir)
	if err != nil {
		return nil, err
	}
	if name == "" {
		name = packed.Name
	}
	claim, err := a.Store.Claim(name, force)
	if err != nil {
		return nil, err
	}
	defer claim.Release()
	if err := a.Room().Take(packed.BytesLocal); err != nil {
		return nil, err
	}
	meta, err := claim.Unpack(ctx, dir)
	if err != nil {
		return nil, err
	}
	if _, err := prove(ctx, a, fmt.Sprintf("%q", dir), claim.Temp(), &meta); err != nil {
		return nil, err
	}
	installed, warnings, err := install(ctx, a, claim, meta)
	if err != nil {
		return nil, err
	}
	return &ImportResult{Snapshot: installed, Source: dir, Caveats: InstallCaveats(installed, warnings)}, nil
}
