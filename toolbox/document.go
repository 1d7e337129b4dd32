package toolbox

import (
	"context"
	"errors"
	"math"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/untrusted"
)

// Schema returns the schema of a table as a JSON document with marks around its
// data; nil if the caller knows no such table. It is never shortened, because it
// is not only for models. Errors are sentences that are safe to show to the
// caller.
func (b *Box) Schema(ctx context.Context, id string) ([]byte, error) {
	data, err := b.Data()
	if err != nil {
		return nil, b.sentence(ctx, err)
	}
	if api.CheckName("table id", id) != nil {
		return nil, nil //nolint:nilerr // no table can have such a name
	}
	schema, err := data.Schema(ctx, id)
	if api.CodeUnknownTable.Is(err) || api.CodeForbidden.Is(err) {
		return nil, nil
	}
	if err != nil {
		return nil, b.sentence(ctx, err)
	}
	described, err := describe(schema, nil, math.MaxInt32)
	if err != nil {
		return nil, b.sentence(ctx, err)
	}
	doc, err := marshal(described)
	if err != nil {
		return nil, b.sentence(ctx, err)
	}
	return untrusted.NewFence().Object(nil, untrusted.JSON(doc)), nil
}

// Catalog returns the tables that the caller can read, by id. Errors are those of
// Schema.
func (b *Box) Catalog(ctx context.Context) ([]api.Table, error) {
	data, err := b.Data()
	if err != nil {
		return nil, b.sentence(ctx, err)
	}
	list, err := data.Tables(ctx)
	if err != nil {
		return nil, b.sentence(ctx, err)
	}
	return list.Tables, nil
}

// sentence returns an error that occurs outside of a tool. It reveals as much as
// a tool's error.
func (b *Box) sentence(ctx context.Context, err error) error {
	c := &call{Box: b, fence: untrusted.NewFence()}
	e := c.known(ctx, "resources", err)
	if b.Explain != nil {
		e = b.Explain(e)
	}
	text := api.Clip(e.Message, maxMessage)
	if hint := b.hint(e, nil); hint != "" {
		text += ". " + hint
	}
	if quotes(e) {
		text = c.fence.Notice() + " " + c.fence.Inline(text)
	}
	return errors.New(text)
}
