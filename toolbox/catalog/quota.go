package catalog

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

// nothing is the type for tools without arguments.
type nothing struct{}

func quota() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "quota", Title: "See what you may still use", ReadOnly: true, Open: true,
		About: "Bytes used today and left, of the day's quota and of this conversation's budget.",
	}, func(ctx context.Context, c *tool.Call, _ nothing) (*api.QuotaStatus, error) {
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		return data.Quota(ctx)
	})
}
