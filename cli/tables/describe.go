package tables

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
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
	return showTable(a, d, list, d.Columns, d.Caveats)
}
