package httpapi

import (
	"context"
	"fmt"
	"net/url"
	"strconv"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
)

func (c *call) catalog() error {
	if err := c.params(); err != nil {
		return err
	}
	c.mayPack()
	return answer(c, func(ctx context.Context) (*api.TableList, error) { return c.data.Tables(ctx) })
}

func (c *call) model() error {
	if err := c.params(); err != nil {
		return err
	}
	c.mayPack()
	return answer(c, func(ctx context.Context) (*api.SemanticModel, error) { return c.data.SemanticModel(ctx) })
}

// metric answers with the statement that a metric becomes.
func (c *call) metric() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) (any, error) {
		m, err := c.data.SemanticModel(ctx)
		if err != nil {
			return nil, err
		}
		return core.MetricStatement(m, c.r.PathValue("name"))
	})
}

func (c *call) schema() error {
	id, err := c.tableID()
	if err != nil {
		return err
	}
	if err := c.params(); err != nil {
		return err
	}
	c.mayPack()
	return answer(c, func(ctx context.Context) (*api.TableSchema, error) { return c.data.Schema(ctx, id) })
}

func (c *call) sample() error {
	id, err := c.tableID()
	if err != nil {
		return err
	}
	if err := c.params("n"); err != nil {
		return err
	}
	n, err := sampleRows(c.r.URL.Query())
	if err != nil {
		return err
	}
	c.mayPack()
	return answer(c, func(ctx context.Context) (*api.Sample, error) { return c.data.Sample(ctx, id, n) })
}

func (c *call) search() error {
	if err := c.params("q", "limit", "any"); err != nil {
		return err
	}
	limit, err := searchLimit(c.r.URL.Query())
	if err != nil {
		return err
	}
	req := api.SearchRequest{Query: c.r.URL.Query().Get("q"), Limit: limit, Any: c.r.URL.Query().Get("any") == "true"}
	return answer(c, func(ctx context.Context) (*api.SearchResult, error) { return c.data.Search(ctx, req) })
}

func searchLimit(values url.Values) (int, error) {
	if !values.Has("limit") {
		return api.DefaultSearchHits, nil
	}
	n, err := strconv.Atoi(values.Get("limit"))
	if err != nil {
		return 0, badBody(api.KindParameter, "parameter 'limit' must be a whole number")
	}
	return n, nil
}

// sampleRows parses the parameter n.
func sampleRows(values url.Values) (int, error) {
	if !values.Has("n") {
		return api.DefaultSampleRows, nil
	}
	n, err := strconv.Atoi(values.Get("n"))
	if err != nil || n < 1 || n > api.MaxSampleRows {
		return 0, &api.Error{
			Code: api.CodeBadRequest, Kind: api.KindParameter,
			Message: fmt.Sprintf("parameter 'n' must be a whole number from 1 to %d", api.MaxSampleRows),
			Details: map[string]any{"max": api.MaxSampleRows},
		}
	}
	return n, nil
}
