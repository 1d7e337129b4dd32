package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/agnes-data/da/api"
)

// Search implements api.Searcher.
func (c *Client) Search(ctx context.Context, req api.SearchRequest) (*api.SearchResult, error) {
	var result api.SearchResult
	query := url.Values{"q": {req.Query}, "limit": {strconv.Itoa(req.Limit)}}
	if req.Any {
		query.Set("any", "true")
	}
	err := c.get(ctx, request{
		method: http.MethodGet, path: []string{"api", "v2", "catalog", "search"},
		query: query, again: true,
	}, &result)
	if err != nil {
		return nil, err
	}
	if err := c.ours(result.Hits != nil && result.Total >= 0, "result of a search"); err != nil {
		return nil, err
	}
	return &result, nil
}
