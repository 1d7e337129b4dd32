package toolbox

import (
	"context"

	"github.com/agnes-data/da/api"
)

// nothing is the type for tools without arguments.
type nothing struct{}

func quota() tool {
	return typed(tool{
		name: "quota", title: "See what you may still use", readOnly: true, open: true,
		about: "Bytes that you have used today and that are left, of the day's quota and of this conversation's budget.",
	}, func(ctx context.Context, c *call, _ nothing) (*api.QuotaStatus, error) {
		data, err := c.Data()
		if err != nil {
			return nil, err
		}
		return data.Quota(ctx)
	})
}
