package query

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// splitNames separates the names in a statement into synced tables and all
// others, which are looked up as snapshots. A snapshot hides a synced table of
// the same name; a caveat says so.
func splitNames(a *analyst.Analyst, names []string) (snapshots, tables []string, caveats []api.Caveat) {
	store := synced.At(a.Home)
	for _, name := range names {
		_, here := store.Get(name)
		if !here {
			snapshots = append(snapshots, name)
			continue
		}
		if _, err := a.Store.Get(name); api.CodeUnknownSnapshot.Is(err) {
			tables = append(tables, name)
			continue
		}
		snapshots = append(snapshots, name)
		caveats = append(caveats, api.Caveat{Kind: api.CaveatNotTheTable, About: api.Subject{Snapshot: name}, Reason: "same_name",
			Text: fmt.Sprintf("'%s' is both a snapshot and a synced table; the snapshot is read", name),
			Next: []api.Step{api.Do(api.ActionDrop, "read the table", "name", name)}})
	}
	return snapshots, tables, caveats
}

// viewTables creates views of synced tables over links in the engine's own
// folder. It returns the folders that the engine must be able to read.
func (s *Session) viewTables(ctx context.Context, r *Result, names []string) (dirs []string, err error) {
	if len(names) == 0 {
		return nil, nil
	}
	store, dir := synced.At(s.a.Home), s.folder(r, "synced")
	for _, name := range names {
		path, m, ok, err := store.Link(name, dir)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, &api.Error{Code: api.CodeUnknownSnapshot, Message: fmt.Sprintf("table '%s' was removed just now", name),
				Hint: "Run the query again.", Details: map[string]any{"snapshot": name}}
		}
		if err := s.view(ctx, name, path); err != nil {
			return nil, &api.Error{Code: api.CodeReadFailed, Kind: api.KindDamaged, Message: fmt.Sprintf("table '%s' cannot be read", name),
				Hint: fmt.Sprintf("Remove %s first.", filepath.Join(store.Dir(), m.DataFile)), Next: []api.Step{syncOf(name, "get the table again")},
				Err: err}
		}
		r.Inputs = append(r.Inputs, Input{Origin: Origin{Name: name, Table: m.TableID, Server: m.Server, ContentHash: m.XXH3, AsOf: m.SyncedAt},
			Rows: m.Rows, FetchedAt: m.SyncedAt, RowRule: m.RowRule})
		r.tell(name, SyncedCaveats(s.a, m)...)
	}
	if dir == "" {
		dir = store.Dir()
	}
	return []string{dir}, nil
}

// SyncedCaveats returns what is known of the rows of a synced table, and its age.
func SyncedCaveats(a *analyst.Analyst, m synced.Meta) []api.Caveat {
	caveats := slices.Clone(m.Caveats)
	if m.RowRule {
		caveats = append(caveats, api.RowRuleCaveat())
	}
	if age := a.Now().Sub(m.SyncedAt); a.StaleAfter > 0 && age > a.StaleAfter {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatStale, About: api.Subject{Snapshot: m.TableID}, Reason: "age",
			Text: fmt.Sprintf("table '%s' was synced %s", m.TableID, humanize.Age(age)), Next: []api.Step{syncOf(m.TableID, "bring it up to date")}})
	}
	return caveats
}

// syncOf is the step of syncing one table.
func syncOf(name, why string) api.Step {
	return api.Do(api.ActionSync, why, "tables", []string{name})
}

// NotSynced returns the error for a table that should be synced but is not yet;
// nil for any other name.
func NotSynced(ctx context.Context, remote analyst.Remote, name string, cause error) error {
	if strings.HasPrefix(remote.Name, analyst.EmbeddedPrefix) {
		return nil // there is no server to sync from
	}
	list, err := remote.Tables(ctx)
	if err != nil {
		return nil //nolint:nilerr // the caller has an error that says more
	}
	for _, t := range list.Tables {
		if t.ID == name && t.QueryMode == api.ModeLocal {
			return &api.Error{Code: api.CodeNotLocal, Message: fmt.Sprintf("table '%s' is not here yet", name),
				Next: []api.Step{syncOf(name, "bring all of it to this machine")}, Details: map[string]any{"table_id": name}, Err: cause}
		}
	}
	return nil
}

// ExplainRemote adds to an error of a remote statement what the user can do on
// this machine, because the source knows neither snapshots nor local files.
func ExplainRemote(a *analyst.Analyst, err error) error {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeUnknownTable {
		return HintFiles(err)
	}
	name, _ := e.Details["table_id"].(string)
	if _, missing := a.Store.Get(name); missing != nil {
		return err
	}
	return &api.Error{Code: api.CodeUnknownTable, Kind: api.KindIsSnapshot,
		Message: fmt.Sprintf("'%s' is a local snapshot, not a table at the source", name),
		Hint:    "A statement runs either here, over snapshots, or at the source, over tables of the catalog. To join both, fetch what you need of the table first.",
		Next: []api.Step{api.Do(api.ActionQuery, "query snapshots"), api.Do(api.ActionCatalog, "see the tables"),
			api.Do(api.ActionFetch, "get a part of one")},
		Details: map[string]any{"table_id": name, "snapshot": name}, RequestID: e.RequestID, Err: err}
}
