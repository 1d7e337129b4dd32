package cli

import (
	"context"
	"math"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/table"
)

func newTableRowsCmd(a *app.App, o *tableOptions) *cobra.Command {
	var r table.RowsRequest
	cmd := &cobra.Command{
		Use:   "rows <file>",
		Short: "Show rows by their position",
		Long: `Rows shows rows by their position in the file. A table on the terminal, and
--json, have 100 rows unless --count says otherwise; other formats have all from
--start on.`,
		Example: "  da table rows sales.csv --start 5001 --count 20\n  da table rows sales.csv -o ndjson > sales.ndjson",
		Args:    usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format, err := a.OutputFormat(); err != nil {
				return err
			} else if !windowed(format, "") {
				if !cmd.Flags().Changed("count") {
					r.RowCount = math.MaxInt64
				}
				if !cmd.Flags().Changed("timeout") {
					r.Timeout = 0 // any time
				}
				return runTablePick(cmd.Context(), a, o, args[0], r, format)
			}
			return runTableRows(cmd.Context(), a, o, args[0], r)
		},
	}
	timeoutFlag(cmd, &r.Timeout, table.ReadTimeout, takeMostShown)
	f := cmd.Flags()
	f.Int64Var(&r.RowStart, "start", 1, "first `row`, from 1, the header not counted")
	f.Int64Var(&r.RowCount, "count", table.DefaultWindowRows, "`number` of rows")
	f.StringSliceVar(&r.Columns, "columns", nil, "only these `columns`, with commas between")
	return cmd
}

// runTablePick writes rows in a format that is never shortened for the eye.
func runTablePick(ctx context.Context, a *app.App, o *tableOptions, path string, req table.RowsRequest, format output.Format) error {
	ts, src, err := openTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	req.Source = src
	rows, err := ts.Pick(ctx, req, carried(format))
	if err != nil {
		return err
	}
	return writeSelection(ctx, a, queryOptions{}, rows, format)
}

func runTableRows(ctx context.Context, a *app.App, o *tableOptions, path string, req table.RowsRequest) error {
	ts, src, err := openTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	req.Source = src
	w, err := tableWindow(a)
	if err != nil {
		return err
	}
	if w != nil {
		req.Take = takeWorded(w)
	}
	r, err := ts.Rows(ctx, req)
	if err != nil {
		return err
	}
	if w != nil {
		return showFittedRows(a, w, r)
	}
	if err := showTable(a, r, output.List{Columns: r.Columns, Rows: cells(r.Rows)}, nil, r.Warnings); err != nil {
		return err
	}
	if r.HasMore {
		a.Note("the file has " + humanize.Plural(r.TotalRows, "row", "rows"))
	}
	return nil
}
