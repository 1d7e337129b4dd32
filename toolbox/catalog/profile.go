package catalog

import (
	"context"
	"time"

	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/profiles"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type profileIn struct {
	Table   string   `json:"table"`
	Columns []string `json:"columns,omitempty" jsonschema:"default all"`
}

type profileOut struct {
	Rows    int64             `json:"rows"`
	Sampled int64             `json:"sampled,omitempty" jsonschema:"rows that most figures are of, if not all"`
	AsOf    time.Time         `json:"as_of"`
	Periods *profiles.Periods `json:"periods,omitempty"`
	Columns []profiles.Column `json:"columns"`
	More    []string          `json:"more,omitempty" jsonschema:"columns that there was no room for"`
	Caveats []api.Caveat      `json:"caveats,omitempty"`
}

// shownTop is how many common values of each column there are where there are many columns.
const shownTop = 5

func profileOf() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "profile", Title: "Profile", Engine: true, Open: true, ReadOnly: true, Long: true,
		About: "What columns of a table or snapshot hold: NULLs, distinct, range, commonest values.",
	}, func(ctx context.Context, c *tool.Call, in profileIn) (*profileOut, error) {
		r := profiles.Request{Name: in.Table, Columns: in.Columns, MaxAge: profiles.DefaultAge}
		found, err := profiled(ctx, c, r)
		if err != nil {
			return nil, err
		}
		of := found.Of(in.Columns)
		out := &profileOut{Rows: of.Rows, AsOf: of.AsOf, Periods: of.Periods, Caveats: c.Worded(of.Caveats)}
		if of.Sampled < of.Rows {
			out.Sampled = of.Sampled
		}
		for i := range of.Columns {
			col := &of.Columns[i]
			col.Bounds, col.Up, col.Besides = nil, nil, nil
			if top := col.Top[:min(len(col.Top), 4*shownTop)]; len(of.Columns) > 3 {
				col.Top, col.Histogram = top[:min(len(top), shownTop)], nil
			} else {
				col.Top = top
			}
		}
		return out, tool.KeepFitting(of.Columns, 0, out, func(some []profiles.Column) {
			out.Columns, out.More = some, nil
			for _, col := range of.Columns[len(some):] {
				out.More = append(out.More, col.Name)
			}
		})
	})
}

// profiled looks at what is here, or at the source; where nothing may be kept here, only by
// statements.
func profiled(ctx context.Context, c *tool.Call, r profiles.Request) (*profiles.Profiled, error) {
	if c.Work != nil {
		return profiles.Of(ctx, c.Work, r, plan.Options{MaxBytes: c.FetchMaxBytes, Kept: c.Kept || c.ReadOnly, OnProgress: c.Progress.Rows})
	}
	data, err := c.Data()
	if err != nil {
		return nil, err
	}
	return profiles.Computable(ctx, data, r, profiles.Keeper{Now: time.Now}, c.FetchMaxBytes)
}
