package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/tablesync"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type tableSyncIn struct {
	Tables      []string `json:"tables,omitempty" jsonschema:"ids; by default every table whose query_mode is local, and those that are gone are removed"`
	AcceptDrift bool     `json:"accept_drift,omitempty" jsonschema:"accept that checks are broken"`
}

type tableSyncOut struct {
	Installed []syncedTable  `json:"installed"`
	Unchanged []string       `json:"unchanged"`
	Removed   []string       `json:"removed,omitempty"`
	Failed    []syncFailure  `json:"failed,omitempty" jsonschema:"what was here of them before is unchanged"`
	Embedded  bool           `json:"embedded,omitempty" jsonschema:"there is no server, and so nothing to sync"`
	Bytes     int64          `json:"bytes_transferred"`
	Caveats   []api.Caveat   `json:"caveats"`
	Remaining *api.Remaining `json:"remaining,omitempty"`
}

type syncedTable struct {
	TableID string `json:"table_id"`
	Rows    int64  `json:"rows"`
	Bytes   int64  `json:"bytes"`
}

type syncFailure struct {
	TableID string   `json:"table_id"`
	Code    api.Code `json:"code"`
	Message string   `json:"message"`
}

func catalogSync() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "catalog_sync", Title: "Sync whole tables", Needs: tool.NeedsStore, Engine: true, Open: true, Long: true, Destructive: true,
		Idempotent: true,
		About:      "Bring the tables whose query_mode is local to this machine, whole, or up to date; query then reads them under their ids.",
	}, func(ctx context.Context, c *tool.Call, in tableSyncIn) (*tableSyncOut, error) {
		for _, id := range in.Tables {
			if err := api.CheckName("table id", id); err != nil {
				return nil, err
			}
		}
		r, err := tablesync.Run(ctx, c.Work, tablesync.Request{Tables: in.Tables, AcceptDrift: in.AcceptDrift, OnProgress: c.Progress.More})
		if err != nil {
			return nil, err
		}
		out := &tableSyncOut{Installed: []syncedTable{}, Unchanged: r.Unchanged, Removed: r.Removed, Embedded: r.Embedded, Bytes: r.Bytes,
			Caveats: r.Caveats}
		for _, t := range r.Installed {
			out.Installed = append(out.Installed, syncedTable{t.TableID, t.Rows, t.Bytes})
		}
		for _, f := range r.Failed {
			out.Failed = append(out.Failed, syncFailure{f.TableID, f.Error.Code, f.Error.Message})
		}
		if len(r.Installed)+len(r.Unchanged) == 0 && r.Err() != nil {
			return nil, r.Err()
		}
		if left, err := fetch.Left(ctx, c.Work); err == nil {
			out.Remaining = &left
		}
		return out, nil
	})
}
