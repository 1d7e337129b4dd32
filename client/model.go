package client

import (
	"context"
	"net/http"

	"github.com/agnes-data/da/api"
)

// SemanticModel implements api.Modeler.
func (c *Client) SemanticModel(ctx context.Context) (*api.SemanticModel, error) {
	var m api.SemanticModel
	if err := c.get(ctx, request{method: http.MethodGet, path: []string{"api", "v2", "model"}, again: true}, &m); err != nil {
		return nil, err
	}
	return &m, c.ours(m.Tables != nil && m.Metrics != nil, "semantic model")
}
