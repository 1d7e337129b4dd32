package toolbox

import (
	"context"
	"math"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/untrusted"
	"github.com/agnes-data/da/toolbox/catalog"
	"github.com/agnes-data/da/toolbox/tool"
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
	described, err := catalog.Describe(schema, nil, math.MaxInt32)
	if err != nil {
		return nil, b.sentence(ctx, err)
	}
	doc, err := tool.Marshal(described)
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

// sentence returns an error that occurs outside of a tool.
func (b *Box) sentence(ctx context.Context, err error) error { return b.call(false).Sentence(ctx, err) }
