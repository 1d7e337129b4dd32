package client

import (
	"context"
	"net/http"

	"github.com/agnes-data/da/api"
)

// Known implements api.Knower.
func (c *Client) Known(ctx context.Context) (*api.Known, error) {
	var k api.Known
	if err := c.get(ctx, request{method: http.MethodGet, path: []string{"api", "v2", "known"}, again: true}, &k); err != nil {
		return nil, err
	}
	return &k, c.ours(k.Questions != nil && k.Notes != nil, "list of what people know")
}

// SavedQuestion implements api.Knower.
func (c *Client) SavedQuestion(ctx context.Context, name string) (*api.SavedQuestion, error) {
	return c.question(ctx, request{method: http.MethodGet, again: true}, name, name)
}

// SaveQuestion implements api.Knower.
func (c *Client) SaveQuestion(ctx context.Context, q api.NewQuestion) (*api.SavedQuestion, error) {
	return c.question(ctx, request{method: http.MethodPost, body: q}, q.Name)
}

// ApproveQuestion implements api.Knower.
func (c *Client) ApproveQuestion(ctx context.Context, name string, a api.NewApproval) (*api.SavedQuestion, error) {
	return c.question(ctx, request{method: http.MethodPost, body: a}, name, name, "approval")
}

// question asks for the question of a name.
func (c *Client) question(ctx context.Context, r request, name string, below ...string) (*api.SavedQuestion, error) {
	if err := api.CheckName("name of the question", name); err != nil {
		return nil, err
	}
	var q api.SavedQuestion
	r.path = append([]string{"api", "v2", "questions"}, below...)
	if err := c.get(ctx, r, &q); err != nil {
		return nil, err
	}
	return &q, c.ours(q.Name == name, "question")
}

// DropQuestion implements api.Knower.
func (c *Client) DropQuestion(ctx context.Context, name string) error {
	if err := api.CheckName("name of the question", name); err != nil {
		return err
	}
	return c.get(ctx, request{method: http.MethodDelete, path: []string{"api", "v2", "questions", name}}, nil)
}

// PutNote implements api.Knower.
func (c *Client) PutNote(ctx context.Context, n api.Note) (*api.Note, error) {
	var out api.Note
	err := c.get(ctx, request{method: http.MethodPost, path: []string{"api", "v2", "notes"}, body: n}, &out)
	if err != nil {
		return nil, err
	}
	return &out, nil
}

// DropNote implements api.Knower.
func (c *Client) DropNote(ctx context.Context, id string) error {
	return c.get(ctx, request{method: http.MethodDelete, path: []string{"api", "v2", "notes", id}}, nil)
}
