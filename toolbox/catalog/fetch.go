package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type fetchIn struct {
	scanIn
	As     string `json:"as,omitempty" jsonschema:"name of the snapshot; default the table's id"`
	Force  bool   `json:"force,omitempty" jsonschema:"replace a snapshot of that name"`
	Strict bool   `json:"strict,omitempty" jsonschema:"install nothing if a cap of the server cuts the result"`

	Fresh    bool `json:"fresh,omitempty" jsonschema:"ask the source even if a snapshot has the rows"`
	AllowCut bool `json:"allow_cut,omitempty" jsonschema:"accept a result that a limit of the server cuts"`
}

type fetchOut struct {
	Snapshot  heldSnapshot   `json:"snapshot"`
	Estimate  *api.Estimate  `json:"estimate,omitempty"`
	Reused    string         `json:"reused,omitempty" jsonschema:"why not all was read at the source"`
	Remaining *api.Remaining `json:"remaining,omitempty"`
	Caveats   []api.Caveat   `json:"caveats"`
}

func fetchPart() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "fetch", Title: "Fetch a part of a table", Needs: tool.NeedsStore, Engine: true, Open: true, Long: true, Destructive: true,
		About: "Fetch rows of a table into a local snapshot, for query. Name the columns that you need and a where. What a snapshot has already is not read again.",
	}, func(ctx context.Context, c *tool.Call, in fetchIn) (*fetchOut, error) {
		scan, explain, err := in.filled(ctx, c)
		if err != nil {
			return nil, err
		}
		result, err := fetch.Run(ctx, c.Work, fetch.Request{
			Scan: scan.request(), Name: in.As, Force: in.Force, Strict: strict(in.Strict), AllowCut: in.AllowCut, Fresh: in.Fresh,
			Estimate: c.EstimateFirst, OnProgress: c.Progress.Rows,
		})
		if err != nil {
			return nil, explain(err)
		}
		near := values.Near{Work: c.Work, Kept: c.Kept, Scan: true}
		result.Caveats = append(result.Caveats, near.Missed(ctx, values.OfScan(scan.request()), result.Snapshot.Rows > 0)...)
		out := &fetchOut{Snapshot: newHeldSnapshot(result.Snapshot), Estimate: result.Estimate, Caveats: c.Worded(result.Caveats)}
		if from := result.Snapshot.From; from != nil {
			out.Reused = from.String()
		}
		out.Caveats = append(out.Caveats, c.Worded(keep.OverQuota(c.Work))...)
		// The snapshot exists already: if the remainder is unknown, leave it out.
		if left, err := fetch.Left(ctx, c.Work); err == nil {
			out.Remaining = &left
		}
		c.Suggest("the snapshot is a table now", "query", map[string]any{"sql": `SELECT count(*) FROM "` + result.Snapshot.Name + `"`})
		return out, nil
	})
}

// strict returns the kinds of caveats that the option refuses.
func strict(on bool) []api.CaveatKind {
	if on {
		return api.StrictKinds()
	}
	return nil
}
