package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/joins"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/tool"
)

type joinsIn struct {
	Table  string `json:"table,omitempty"`
	Verify bool   `json:"verify,omitempty" jsonschema:"count rows of snapshots"`
}

type joinsOut struct {
	Joins   []joined     `json:"joins"`
	Caveats []api.Caveat `json:"caveats,omitempty"`
}

// joined is a join in few words.
type joined struct {
	Column       string   `json:"column"`
	To           string   `json:"to"`
	Multiplicity string   `json:"multiplicity,omitempty"`
	KnownFrom    string   `json:"known_from"`
	Coverage     *float64 `json:"coverage,omitempty" jsonschema:"share of rows that find one"`
}

func joinsOf() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "joins", Title: "Joins", Needs: tool.NeedsStore, Engine: true, Open: true, ReadOnly: true,
		About: "Columns by which tables can be joined.",
	}, func(ctx context.Context, c *tool.Call, in joinsIn) (*joinsOut, error) {
		found, err := joins.List(ctx, c.Work, in.Table)
		if err != nil {
			return nil, err
		}
		out := &joinsOut{Joins: []joined{}}
		for i := range found.Joins {
			if j := &found.Joins[i]; in.Verify && j.Local() {
				caveats, err := j.Verify(ctx, c.Work, plan.Options{})
				if err != nil {
					return nil, err
				}
				found.Caveats = append(found.Caveats, caveats...)
			}
		}
		if err := found.Compose(ctx, c.Work); err != nil {
			return nil, err
		}
		for _, j := range found.Joins {
			from, to := j.Ends()
			row := joined{Column: from, To: to, Multiplicity: j.Multiplicity, KnownFrom: j.KnownFrom}
			if j.Verified != nil {
				row.Coverage = &j.Verified.Coverage
			}
			out.Joins = append(out.Joins, row)
		}
		out.Caveats = api.Arranged(found.Caveats)
		return out, tool.KeepFitting(out.Joins, 0, out, func(some []joined) { out.Joins = some })
	})
}
