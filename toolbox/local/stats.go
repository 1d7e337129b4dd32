package local

import (
	"context"

	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/toolbox/tool"
)

type tableStatsIn struct {
	boundedFileIn
	Columns []string `json:"columns,omitempty" jsonschema:"all if omitted"`
}

type tableStatsOut struct {
	table.Stats
	ColumnsTotal int  `json:"columns_total" jsonschema:"columns that were asked for"`
	ColumnsShown int  `json:"columns_shown"`
	Truncated    bool `json:"truncated" jsonschema:"columns or parts of values are missing: name the columns that you need"`
}

func tableStats() tool.Tool {
	return tool.Typed(tool.Tool{
		Name: "table_stats", Title: "Statistics of a local file", Needs: tool.NeedsFiles, Engine: true, ReadOnly: true, Long: true,
		About: "Per column of a local file, exactly: smallest, largest, mean, sum, deviation, quartiles, lengths, commonest values.",
	}, func(ctx context.Context, c *tool.Call, in tableStatsIn) (*tableStatsOut, error) {
		src, limit, budget, err := in.parts()
		if err != nil {
			return nil, err
		}
		s, err := c.Files.Stats(ctx, table.StatsRequest{Source: src, Columns: in.Columns, Timeout: limit})
		if err != nil {
			return nil, err
		}
		s.Caveats = c.Worded(s.Caveats)
		cut := shortenStats(s.Columns)
		part := func(k int) *tableStatsOut {
			out := &tableStatsOut{Stats: *s, ColumnsTotal: len(s.Columns), ColumnsShown: k, Truncated: cut || k < len(s.Columns)}
			out.Columns = s.Columns[:k]
			return out
		}
		return tool.MostOf(len(s.Columns), budget, part)
	})
}

// shortenStats cuts long values, and reports whether there were any.
func shortenStats(columns []table.ColumnStats) (cut bool) {
	for i := range columns {
		col := &columns[i]
		var short [2]bool
		col.Min, short[0] = tool.Shorten(col.Min)
		col.Max, short[1] = tool.Shorten(col.Max)
		cut = cut || short[0] || short[1]
		for j := range col.MostCommon {
			v := &col.MostCommon[j]
			v.Value, short[0] = tool.Shorten(v.Value)
			cut = cut || short[0]
		}
	}
	return cut
}
