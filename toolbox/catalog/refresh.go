package catalog

import (
	"context"
	"strings"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type snapshotRefreshIn struct {
	Name  string  `json:"name"`
	Where *string `json:"where,omitempty" jsonschema:"use, and from now on store, this predicate"`
	tool.ParamsIn
	Strict bool `json:"strict,omitempty" jsonschema:"change nothing if a cap of the server cuts the result"`

	AllowCut    bool `json:"allow_cut,omitempty" jsonschema:"fetch a part also where a cap of the server is known to cut the result"`
	AcceptDrift bool `json:"accept_drift,omitempty" jsonschema:"accept that columns are gone or retyped, or checks broken"`
}

type snapshotRefreshOut struct {
	Snapshot   heldSnapshot `json:"snapshot"`
	Identical  bool         `json:"identical" jsonschema:"nothing has changed"`
	RowsBefore int64        `json:"rows_before"`
	RowsDelta  int64        `json:"rows_delta"`
	Caveats    []api.Caveat `json:"caveats"`
}

func snapshotRefresh() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "snapshot_refresh", Title: "Fetch a snapshot again", Needs: tool.NeedsStore, Engine: true, Open: true, Long: true,
		Destructive: true, Idempotent: true,
		About: "Run a snapshot's stored fetch again, and report what changed.",
	}, func(ctx context.Context, c *tool.Call, in snapshotRefreshIn) (*snapshotRefreshOut, error) {
		if err := api.CheckName("snapshot name", in.Name); err != nil {
			return nil, err
		}
		if in.Where != nil && strings.TrimSpace(*in.Where) == "" {
			return nil, tool.BadValue("where is empty", "Leave it out to keep the stored one; to get all rows, fetch the table again without it, with force.")
		}
		values, err := in.Filler()
		if err != nil {
			return nil, err
		}
		r, err := fetch.Refresh(ctx, c.Work, fetch.RefreshRequest{
			Name: in.Name, Where: in.Where, Params: values, Strict: strict(in.Strict), AllowCut: in.AllowCut, AcceptDrift: in.AcceptDrift,
			OnProgress: c.Progress.Rows,
		})
		if err != nil {
			return nil, err
		}
		return &snapshotRefreshOut{Snapshot: newHeldSnapshot(r.After), Identical: r.Identical, RowsBefore: r.Before.Rows, RowsDelta: r.RowsDelta,
			Caveats: c.Worded(r.Caveats)}, nil
	})
}
