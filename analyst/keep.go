package analyst

import (
	"context"
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/snapshot"
)

// Kept is a snapshot that has another name, or more of them.
type Kept struct {
	Snapshot snapshot.Meta `json:"snapshot"`
	From     string        `json:"from"` // the name that it had, or that it is a copy of
	Warnings []api.Note    `json:"warnings"`
}

func kept(from string, meta snapshot.Meta, warnings []string) *Kept {
	return &Kept{Snapshot: meta, From: from, Warnings: append([]api.Note{}, api.Notes(warnings)...)}
}

// Rename gives a snapshot another name; force replaces one that has it.
func (a *Analyst) Rename(ctx context.Context, from, to string, force bool) (*Kept, error) {
	meta, warnings, err := a.Store.Rename(ctx, from, to, force, a.rebuild)
	if err != nil {
		return nil, err
	}
	a.dropPrevious(to) // of what was replaced
	if earlier := a.previousIfAny(); earlier != nil {
		if _, _, err := earlier.Rename(ctx, from, to, true, nil); err != nil && !api.CodeUnknownSnapshot.Is(err) {
			a.dropPrevious(from)
		}
	}
	return kept(from, meta, warnings), nil
}

// Copy gives a snapshot's rows a second name; force replaces one that has it.
func (a *Analyst) Copy(ctx context.Context, from, to string, force bool) (*Kept, error) {
	meta, warnings, err := a.Store.Copy(ctx, from, to, force, a.rebuild)
	if err != nil {
		return nil, err
	}
	a.dropPrevious(to) // of what was replaced
	return kept(from, meta, warnings), nil
}

// ImportFolder installs the snapshot of a folder that snapshot.Store.Pack wrote, on
// this machine or another. An empty name is the one that it had there. Rows that
// are not those of the description are refused.
func (a *Analyst) ImportFolder(ctx context.Context, dir, name string, force bool) (*ImportResult, error) {
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
	if err := a.room().take(packed.BytesLocal); err != nil {
		return nil, err
	}
	meta, err := claim.Unpack(ctx, dir)
	if err != nil {
		return nil, err
	}
	if err := a.prove(ctx, dir, claim.Temp(), &meta); err != nil {
		return nil, err
	}
	installed, warnings, err := a.install(ctx, claim, meta)
	if err != nil {
		return nil, err
	}
	return &ImportResult{Snapshot: installed, Source: dir, Warnings: append([]api.Note{}, api.Notes(warnings)...)}, nil
}

// prove reads the rows, and compares them with what a sidecar says. Hashes of
// another version of the engine cannot be compared: the file has a new one then.
func (a *Analyst) prove(ctx context.Context, dir, file string, meta *snapshot.Meta) error {
	conn, err := a.openEngine(false)
	if err != nil {
		return err
	}
	defer conn.Close()
	found, err := describe(ctx, conn.Conn, file)
	if err != nil {
		return &api.Error{Code: api.CodeReadFailed, Kind: "damaged", Message: fmt.Sprintf("the rows in %q cannot be read: %s", dir, duckdb.OneLine(err.Error())), Err: err}
	}
	comparable := strings.HasPrefix(meta.ContentHash, "duckdb-"+duckdb.Version+"-")
	if found.Rows != meta.Rows || comparable && found.ContentHash != meta.ContentHash {
		return &api.Error{Code: api.CodeReadFailed, Kind: "damaged", Message: fmt.Sprintf("the rows in %q are not those of their description", dir),
			Hint: "Nothing was installed. Export the snapshot again, and copy both files of the folder."}
	}
	meta.Schema, meta.ContentHash = found.Schema, found.ContentHash
	return nil
}
