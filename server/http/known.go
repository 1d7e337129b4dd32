package httpapi

import (
	"context"

	"github.com/agnes-data/da/api"
)

func (c *call) known() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, c.data.Known)
}

func (c *call) savedQuestion() error {
	if err := c.params(); err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) (*api.SavedQuestion, error) {
		return c.data.SavedQuestion(ctx, c.r.PathValue("name"))
	})
}

func (c *call) saveQuestion() error { return changed(c, c.data.SaveQuestion) }

func (c *call) approveQuestion() error {
	return changed(c, func(ctx context.Context, a api.NewApproval) (*api.SavedQuestion, error) {
		return c.data.ApproveQuestion(ctx, c.r.PathValue("name"), a)
	})
}

// changed reads a body, and answers with what was changed by it.
func changed[Req, Res any](c *call, change func(context.Context, Req) (*Res, error)) error {
	var req Req
	if err := c.params(); err != nil {
		return err
	}
	if err := c.body(&req); err != nil {
		return err
	}
	return answer(c, func(ctx context.Context) (*Res, error) { return change(ctx, req) })
}

func (c *call) dropQuestion() error {
	if err := c.params(); err != nil {
		return err
	}
	return c.done(c.data.DropQuestion(c.r.Context(), c.r.PathValue("name")))
}

func (c *call) putNote() error { return changed(c, c.data.PutNote) }

func (c *call) dropNote() error {
	if err := c.params(); err != nil {
		return err
	}
	return c.done(c.data.DropNote(c.r.Context(), c.r.PathValue("id")))
}
