package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type snapshotRestoreIn struct {
	Name string `json:"name"`
}

type snapshotRestoreOut struct {
	Snapshot heldSnapshot `json:"snapshot"`
	Caveats  []api.Caveat `json:"caveats"`
}

func snapshotRestore() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "snapshot_restore", Title: "Undo the last refresh of a snapshot", Needs: tool.NeedsStore, Destructive: true,
		About: "Bring back what a snapshot was before its last refresh.",
	}, func(ctx context.Context, c *tool.Call, in snapshotRestoreIn) (*snapshotRestoreOut, error) {
		if err := api.CheckName("snapshot name", in.Name); err != nil {
			return nil, err
		}
		r, err := keep.Restore(ctx, c.Work, in.Name)
		if err != nil {
			return nil, err
		}
		return &snapshotRestoreOut{Snapshot: newHeldSnapshot(r.Snapshot), Caveats: c.Worded(r.Caveats)}, nil
	})
}
