package client

import (
	"context"
	"net/http"

	"github.com/agnes-data/da/api"
)

// Quota implements api.Meter.
func (c *Client) Quota(ctx context.Context) (*api.QuotaStatus, error) {
	var q api.QuotaStatus
	if err := c.get(ctx, request{method: http.MethodGet, path: []string{"api", "v2", "quota"}, again: true}, &q); err != nil {
		return nil, err
	}
	if err := c.ours(isQuota(&q), "quota"); err != nil {
		return nil, err
	}
	return &q, nil
}
