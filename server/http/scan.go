package httpapi

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
)

func (c *call) estimate() error {
	var req api.ScanRequest
	if err := c.body(&req); err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) (*api.Estimate, error) { return c.data.Estimate(ctx, req) })
}

func (c *call) scan() error {
	var req api.ScanRequest
	if err := c.body(&req); err != nil {
		return err
	}
	if codec, ok := wire.AcceptedFile(c.r.Header.Values("Accept")); ok && c.data.Filer != nil {
		return c.file(c.wanted(req, codec))
	}
	return c.stream(func(ctx context.Context) (*api.Stream, error) { return c.data.Scan(ctx, req) })
}

func (c *call) query() error {
	var req api.QueryRequest
	if err := c.body(&req); err != nil {
		return err
	}
	return c.stream(func(ctx context.Context) (*api.Stream, error) { return c.data.Query(ctx, req) })
}
