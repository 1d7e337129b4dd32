package toolbox

import (
	"context"

	"github.com/agnes-data/da/api"
)

type snapshotRestoreIn struct {
	Name string `json:"name"`
}

type snapshotRestoreOut struct {
	Snapshot heldSnapshot `json:"snapshot"`
	Caveats  []api.Caveat `json:"caveats"`
}

func snapshotRestore() tool {
	return typed(tool{
		name: "snapshot_restore", title: "Undo the last refresh of a snapshot", needs: needsStore, destructive: true,
		about: "Bring back what a snapshot was before its last refresh. A second call undoes the first.",
	}, func(ctx context.Context, c *call, in snapshotRestoreIn) (*snapshotRestoreOut, error) {
		if err := api.CheckName("snapshot name", in.Name); err != nil {
			return nil, err
		}
		r, err := c.Work.Restore(ctx, in.Name)
		if err != nil {
			return nil, err
		}
		return &snapshotRestoreOut{Snapshot: held(r.Snapshot), Caveats: c.worded(r.Caveats)}, nil
	})
}
