package httpapi

import (
	"context"

	"github.com/agnes-data/da/api"
)

func (c *call) whoami() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) (*api.Identity, error) { return c.data.Whoami(ctx) })
}
