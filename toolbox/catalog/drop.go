package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type snapshotDropIn struct {
	Name string `json:"name"`
}

type snapshotDropOut struct {
	Dropped  string   `json:"dropped"`
	Warnings []string `json:"warnings,omitempty"`
}

func snapshotDrop() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "snapshot_drop", Title: "Remove a snapshot", Needs: tool.NeedsStore, Destructive: true,
		About: "Remove a snapshot from this machine.",
	}, func(_ context.Context, c *tool.Call, in snapshotDropIn) (*snapshotDropOut, error) {
		if err := api.CheckName("snapshot name", in.Name); err != nil {
			return nil, err
		}
		warnings, err := keep.Drop(c.Work, in.Name)
		if err != nil {
			return nil, err
		}
		return &snapshotDropOut{Dropped: in.Name, Warnings: warnings}, nil
	})
}
