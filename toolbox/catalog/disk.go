package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/toolbox/tool"
)

func diskInfo() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "disk_info", Title: "See what snapshots take of the disk", Needs: tool.NeedsStore, ReadOnly: true,
		About: "What snapshots take of the disk, what is free, the soft cap.",
	}, func(_ context.Context, c *tool.Call, _ nothing) (*keep.DiskInfo, error) {
		info, err := keep.DiskUsage(c.Work)
		return &info, err
	})
}
