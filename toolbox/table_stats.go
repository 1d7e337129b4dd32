package toolbox

import (
	"context"

	"github.com/agnes-data/da/table"
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

func tableStats() tool {
	return typed(tool{
		name: "table_stats", title: "Statistics of a local file", needs: needsFiles, engine: true, readOnly: true, long: true,
		about: "Per column of a local file, exactly: smallest, largest, mean, sum, deviation, quartiles, lengths, commonest values.",
	}, func(ctx context.Context, c *call, in tableStatsIn) (*tableStatsOut, error) {
		src, limit, budget, err := in.parts()
		if err != nil {
			return nil, err
		}
		s, err := c.Files.Stats(ctx, table.StatsRequest{Source: src, Columns: in.Columns, Timeout: limit})
		if err != nil {
			return nil, err
		}
		s.Caveats = c.worded(s.Caveats)
		cut := shortenStats(s.Columns)
		part := func(k int) *tableStatsOut {
			out := &tableStatsOut{Stats: *s, ColumnsTotal: len(s.Columns), ColumnsShown: k, Truncated: cut || k < len(s.Columns)}
			out.Columns = s.Columns[:k]
			return out
		}
		return mostOf(len(s.Columns), budget, part)
	})
}

// shortenStats cuts long values, and reports whether there were any.
func shortenStats(columns []table.ColumnStats) (cut bool) {
	for i := range columns {
		col := &columns[i]
		var short [2]bool
		col.Min, short[0] = shorten(col.Min)
		col.Max, short[1] = shorten(col.Max)
		cut = cut || short[0] || short[1]
		for j := range col.MostCommon {
			v := &col.MostCommon[j]
			v.Value, short[0] = shorten(v.Value)
			cut = cut || short[0]
		}
	}
	return cut
}
