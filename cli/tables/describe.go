package tables

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table"
)

func newTableDescribeCmd(a *app.App, o *TableOptions) *cobra.Command {
	var r table.DescribeRequest
	cmd := &cobra.Command{
		Use:     "describe <file>",
		Short:   "Tell for each column its type, nulls and different values",
		Example: "  da table describe sales.csv",
		Args:    usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runTableDescribe(cmd.Context(), a, o, args[0], r)
		},
	}
	timeoutFlag(cmd, &r.Timeout, table.ReadTimeout, takeMost)
	return cmd
}

func runTableDescribe(ctx context.Context, a *app.App, o *TableOptions, path string, r table.DescribeRequest) error {
	ts, src, err := OpenTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	r.Source = src
	d, err := ts.Describe(ctx, r)
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"column", "type", "values", "nulls", "distinct"}}
	for _, c := range d.Columns {
		list.Rows = append(list.Rows, []any{c.Name, c.InferredType, c.NonNullCount, c.NullCount, c.DistinctEstimate})
	}
	if a.ForModel() {
		return showTable(a, briefOf(d), list, d.Columns, d.Caveats)
	}
	return showTable(a, d, list, d.Columns, d.Caveats)
}

// brief is what da table describe prints for a model.
type brief struct {
	RowCount int64        `json:"row_count"`
	Columns  []string     `json:"columns"` // name, type, and how many different values and nulls
	Caveats  []api.Caveat `json:"caveats,omitempty"`
}

func briefOf(d *table.Description) brief {
	b := brief{RowCount: d.RowCount, Caveats: d.Caveats}
	for _, c := range d.Columns {
		text := fmt.Sprintf("%s %s, %d distinct", c.Name, c.InferredType, c.DistinctEstimate)
		if c.NullCount > 0 {
			text += ", " + humanize.Plural(c.NullCount, "null", "nulls")
		}
		b.Columns = append(b.Columns, text)
	}
	return b
}
