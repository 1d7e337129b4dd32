package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/tool"
)

type valuesIn struct {
	Table  string `json:"table" jsonschema:"id, snapshot or file"`
	Column string `json:"column"`
	Like   string `json:"like,omitempty" jsonschema:"only values that contain it"`
	Limit  int    `json:"limit,omitempty" jsonschema:"default 50"`
}

type valuesOut struct {
	Values  []values.Value `json:"values" jsonschema:"the commonest first; n is rows"`
	More    bool           `json:"more,omitempty"`
	Caveats []api.Caveat   `json:"caveats,omitempty"`
}

func columnValues() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "values", Title: "Values of a column", Engine: true, Open: true, ReadOnly: true, Long: true,
		About: "Values of a column and their rows. Look before you compare a text with one.",
	}, func(ctx context.Context, c *tool.Call, in valuesIn) (*valuesOut, error) {
		found, err := valuesOf(ctx, c, values.Request{Table: in.Table, Column: in.Column, Like: in.Like, Limit: in.Limit})
		if err != nil {
			return nil, err
		}
		out := &valuesOut{Values: found.Values, More: found.More, Caveats: c.Worded(found.Caveats)}
		for i := range out.Values {
			out.Values[i].Value, _ = tool.Shorten(out.Values[i].Value)
		}
		return out, tool.KeepFitting(out.Values, 0, out, func(some []values.Value) {
			out.Values, out.More = some, found.More || len(some) < len(found.Values)
		})
	})
}

// valuesOf reads a file, what is here, or the source; where nothing may be kept here, only
// by a statement.
func valuesOf(ctx context.Context, c *tool.Call, r values.Request) (*values.Found, error) {
	switch {
	case r.IsFile() && c.Files != nil:
		return values.In(ctx, r, "data", func(ctx context.Context, sql string) (api.Rows, func(), error) {
			rows, err := c.Files.Select(ctx, table.QueryRequest{Source: table.Source{Path: r.Table}, Query: sql}, false)
			if err != nil {
				return nil, nil, err
			}
			return rows.Rows(), rows.Close, nil
		})
	case c.Work != nil:
		return values.Of(ctx, c.Work, r, plan.Options{MaxBytes: c.FetchMaxBytes, Kept: c.Kept || c.ReadOnly, OnProgress: c.Progress.Rows})
	}
	data, err := c.Data()
	if err != nil {
		return nil, err
	}
	return values.AtSource(ctx, data, r, c.FetchMaxBytes)
}
