package client

import (
	"context"
	"net/http"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/printable"
)

// Whoami implements api.Identifier.
func (c *Client) Whoami(ctx context.Context) (*api.Identity, error) {
	var who api.Identity
	err := c.get(ctx, request{method: http.MethodGet, path: []string{"api", "v2", "whoami"}, again: true}, &who)
	if err != nil {
		return nil, err
	}
	if who.User = printable.Line(who.User); who.User == "" {
		return nil, c.notAgnes("it does not say who is asking")
	}
	return &who, nil
}
