package keep

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/snapshot"
)

// Profile returns the profile of a snapshot of a store: the one that is kept, or a new
// one, which is kept.
func Profile(ctx context.Context, a *analyst.Analyst, store *snapshot.Store, links *snapshot.Links) (*profile.Profile, error) {
	meta := links.Metas[0]
	p := &profile.Profile{}
	if text := store.Profile(meta); text != nil && json.Unmarshal(text, p) == nil {
		return p, nil
	}
	p, err := ProfileFile(ctx, a, meta.Name, links.Path(meta.Name))
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(p)
	if err == nil {
		store.PutProfile(meta, text)
	}
	return p, err
}

// ProfileFile makes the profile of a file with rows of a table.
func ProfileFile(ctx context.Context, a *analyst.Analyst, name, path string) (*profile.Profile, error) {
	conn, err := a.OpenEngine(false)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	p, err := profile.OfFile(ctx, conn.Conn, path)
	if err != nil && ctx.Err() == nil {
		return nil, &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged,
			Message: fmt.Sprintf("the rows of '%s' cannot be read: %s", name, duckdb.OneLine(err.Error())), Err: err}
	}
	return p, err
}
