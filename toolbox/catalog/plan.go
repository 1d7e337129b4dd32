package catalog

import (
	"context"

	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/toolbox/tool"
)

type planIn struct {
	SQL string `json:"sql"`
	tool.ParamsIn
}

type planOut struct {
	Tables    []plannedTable `json:"tables"`
	ScanBytes *int64         `json:"estimated_scan_bytes"`
	CostUSD   *float64       `json:"bq_cost_estimate_usd"`
}

type plannedTable struct {
	TableID   string   `json:"table_id"`
	From      string   `json:"from" jsonschema:"here, reuse, remainder, fetch, source or nothing"`
	Select    []string `json:"select,omitempty"`
	Where     string   `json:"where,omitempty"`
	Local     []string `json:"local,omitempty" jsonschema:"conditions that are only checked here"`
	Proof     string   `json:"proof,omitempty"`
	ScanBytes *int64   `json:"estimated_scan_bytes,omitempty"`
}

func planQuery() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "plan", Title: "Plan a query", Needs: tool.NeedsStore, Engine: true, Open: true, ReadOnly: true,
		About: "What query with fetch would read for a SELECT; nothing is read.",
	}, func(ctx context.Context, c *tool.Call, in planIn) (*planOut, error) {
		filled, err := in.FillSQL(in.SQL)
		if err != nil {
			return nil, err
		}
		p, err := plan.Make(ctx, c.Work, filled.Text, false)
		if err != nil {
			return nil, filled.Explain(err)
		}
		out := &planOut{Tables: []plannedTable{}, ScanBytes: p.ScanBytes, CostUSD: p.CostUSD}
		away := false
		for _, t := range p.Tables {
			row := plannedTable{TableID: t.TableID, From: t.From, Select: t.Select, Where: t.Where, Local: t.Local}
			if t.Reuse != nil {
				row.Proof = t.Reuse.String()
			}
			if t.Estimate != nil {
				row.ScanBytes = t.Estimate.ScanBytes
			}
			away = away || t.From != plan.FromHere
			out.Tables = append(out.Tables, row)
		}
		if away && !c.ReadOnly {
			c.Suggest("if that is reasonable", "query", map[string]any{"sql": filled.Text, "fetch": true})
		}
		return out, nil
	})
}
