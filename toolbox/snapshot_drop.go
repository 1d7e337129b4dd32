package toolbox

import (
	"context"

	"github.com/agnes-data/da/api"
)

type snapshotDropIn struct {
	Name string `json:"name"`
}

type snapshotDropOut struct {
	Dropped  string   `json:"dropped"`
	Warnings []string `json:"warnings,omitempty"`
}

func snapshotDrop() tool {
	return typed(tool{
		name: "snapshot_drop", title: "Remove a snapshot", needs: needsStore, destructive: true,
		about: "Remove a snapshot from this machine. Its source is not touched.",
	}, func(_ context.Context, c *call, in snapshotDropIn) (*snapshotDropOut, error) {
		if err := api.CheckName("snapshot name", in.Name); err != nil {
			return nil, err
		}
		warnings, err := c.Work.Drop(in.Name)
		if err != nil {
			return nil, err
		}
		return &snapshotDropOut{Dropped: in.Name, Warnings: warnings}, nil
	})
}
