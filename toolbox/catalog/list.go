package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/toolbox/tool"
)

type snapshotListOut struct {
	Snapshots []heldSnapshot         `json:"snapshots"`
	Total     int                    `json:"snapshots_total"`
	Truncated bool                   `json:"truncated" jsonschema:"not all are in snapshots"`
	Damaged   []keep.DamagedSnapshot `json:"damaged,omitempty" jsonschema:"cannot be read: refresh or drop them"`
}

type snapshotListIn struct {
	Names     []string `json:"names,omitempty" jsonschema:"only snapshots in whose names or tables one of these words occurs"`
	MaxTokens int      `json:"max_tokens,omitempty" jsonschema:"size of the answer; default 4000"`
}

// listColumns limits how many columns of each snapshot a list shows.
const listColumns = 12

func snapshotList() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "snapshot_list", Title: "List snapshots", Needs: tool.NeedsStore, ReadOnly: true,
		About: "The snapshots on this machine: what each holds, and since when. Look here before you fetch.",
	}, func(_ context.Context, c *tool.Call, in snapshotListIn) (*snapshotListOut, error) {
		list, err := keep.List(c.Work)
		if err != nil {
			return nil, err
		}
		out := &snapshotListOut{Snapshots: []heldSnapshot{}, Damaged: list.Damaged}
		for _, m := range list.Whole {
			if !tool.AnyIn(m.Name+" "+m.TableID, in.Names) {
				continue
			}
			h := newHeldSnapshot(m)
			if len(h.Columns) > listColumns && len(list.Whole) > 1 && len(in.Names) == 0 {
				h.MoreCols += len(h.Columns) - listColumns
				h.Columns = h.Columns[:listColumns]
			}
			out.Snapshots = append(out.Snapshots, h)
		}
		out.Total = len(out.Snapshots)
		err = tool.KeepFitting(out.Snapshots, in.MaxTokens, out, func(some []heldSnapshot) { out.Snapshots = some })
		out.Truncated = len(out.Snapshots) < out.Total
		return out, err
	})
}
