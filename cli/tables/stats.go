package tables

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table"
)

func newTableStatsCmd(a *app.App, o *TableOptions) *cobra.Command {
	var r table.StatsRequest
	cmd := &cobra.Command{
		Use:     "stats <file>",
		Short:   "Show statistics of columns",
		Example: "  da table stats sales.csv\n  da table stats sales.csv --columns amount,region --json",
		Args:    usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTableStats(cmd.Context(), a, o, args[0], r)
		},
	}
	timeoutFlag(cmd, &r.Timeout, table.ReadTimeout, takeMost)
	cmd.Flags().StringSliceVar(&r.Columns, "columns", nil, "only these `columns`, with commas between")
	complete.Offer(cmd, "columns", completeFileColumns(a, o))
	return cmd
}

func runTableStats(ctx context.Context, a *app.App, o *TableOptions, path string, r table.StatsRequest) error {
	ts, src, err := OpenTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	r.Source = src
	st, err := ts.Stats(ctx, r)
	if err != nil {
		return err
	}
	return showTable(a, st, StatsList(st, a.IO.ASCII), st.Columns, st.Caveats)
}

// StatsList shows statistics to people.
func StatsList(st *table.Stats, ascii bool) output.List {
	list := output.List{
		Columns: []string{"column", "type", "values", "nulls", "distinct", "min", "max", "mean", "stddev", "median", "shape"},
		Spare:   []string{"stddev", "shape", "median", "mean", "distinct"},
	}
	for _, c := range st.Columns {
		row := []any{c.Name, c.Type, c.NonNullCount, c.NullCount, c.DistinctEstimate}
		low, high := cellValue(c.Min), cellValue(c.Max)
		if c.MinLength != nil {
			low, high = humanize.Plural(*c.MinLength, "char", "chars"), humanize.Plural(*c.MaxLength, "char", "chars")
		}
		row = append(row, low, high, cellValue(c.Mean), cellValue(c.Stddev), cellValue(c.Median), shapeOf(c, ascii))
		list.Rows = append(list.Rows, row)
	}
	return list
}

// shapeOf shows the distribution of values: a histogram, the most common texts,
// or the share of true.
func shapeOf(c table.ColumnStats, ascii bool) any {
	switch {
	case len(c.Histogram) > 0:
		return bars(c.Histogram, ascii)
	case c.TrueCount != nil && *c.TrueCount+*c.FalseCount > 0:
		return fmt.Sprintf("%.0f%% true", 100*float64(*c.TrueCount)/float64(*c.TrueCount+*c.FalseCount))
	case len(c.MostCommon) > 0 && c.MostCommon[0].Count > 1:
		var parts []string
		for _, v := range c.MostCommon[:min(len(c.MostCommon), 3)] {
			parts = append(parts, fmt.Sprintf("%v (%d)", cellValue(v.Value), v.Count))
		}
		return strings.Join(parts, ", ")
	}
	return nil
}

// bars draws counts as a line of bars.
func bars(counts []int64, ascii bool) string {
	steps := []rune("▁▂▃▄▅▆▇█")
	if ascii {
		steps = []rune("_.-=+*#@")
	}
	most := int64(1)
	for _, n := range counts {
		most = max(most, n)
	}
	var b strings.Builder
	for _, n := range counts {
		if n == 0 {
			b.WriteByte(' ')
			continue
		}
		b.WriteRune(steps[int(float64(n)/float64(most)*float64(len(steps)-1)+0.5)])
	}
	return b.String()
}
