package toolbox

import (
	"context"

	"github.com/agnes-data/da/analyst"
)

func diskInfo() tool {
	return typed(tool{
		name: "disk_info", title: "See what snapshots take of the disk", needs: needsStore, readOnly: true,
		about: "How much of the disk snapshots take, what is free, and the soft cap.",
	}, func(_ context.Context, c *call, _ nothing) (*analyst.DiskInfo, error) {
		info, err := c.Work.DiskInfo()
		return &info, err
	})
}
