package client

import (
	"context"
	"net/http"

	"github.com/agnes-data/da/api"
)

// Time implements api.Clock.
func (c *Client) Time(ctx context.Context) (*api.ServerTime, error) {
	var t api.ServerTime
	if err := c.get(ctx, request{method: http.MethodGet, path: []string{"api", "v2", "time"}, again: true}, &t); err != nil {
		return nil, err
	}
	if err := c.ours(!t.Now.IsZero(), "time"); err != nil {
		return nil, err
	}
	return &t, nil
}
