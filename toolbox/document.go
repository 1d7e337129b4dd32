package toolbox

import (
	"context"
	"errors"
	"math"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/untrusted"
)

// Schema returns the schema of a table as a JSON document whose data stands
// between marks; nil if the caller knows no such table. It is whole, whatever its
// size: what a client does with it is not for a model alone. Errors are sentences
// that the caller may see.
func (b *Box) Schema(ctx context.Context, id string) ([]byte, error) {
	data, err := b.Data()
	if err != nil {
		return nil, b.sentence(ctx, err)
	}
	if api.CheckName("table id", id) != nil {
		return nil, nil //nolint:nilerr // a table of such a name cannot be known
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

// Catalog returns the tables that the caller may read, by id. Errors are as those
// of Schema.
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

// sentence is an error outside of tools. It tells as much as the same error of a
// tool does.
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
