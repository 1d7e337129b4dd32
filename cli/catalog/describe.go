package catalog

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/complete"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
)

// NewDescribeCmd returns 'da describe'.
func NewDescribeCmd(a *app.App) *cobra.Command {
	var rows int
	var asOf string
	cmd := &cobra.Command{
		Use:     "describe <table>",
		Short:   "Show a table's columns and a few of its rows",
		Example: "  da describe flights\n  da describe flights -n 20 --json",
		Args:    usage.Exactly("table"),

		ValidArgsFunction: complete.Table(a),
		RunE: func(cmd *cobra.Command, args []string) error {
			if rows < 1 || rows > api.MaxSampleRows {
				return usage.Error(fmt.Sprintf("-n is %d; a sample has 1 to %d rows", rows, api.MaxSampleRows))
			}
			if !cmd.Flags().Changed("rows") && a.ForModel() {
				rows = modelRows
			}
			return runDescribe(cmd.Context(), a, args[0], asOf, rows)
		},
	}
	usage.AsOf(cmd.Flags(), &asOf)
	cmd.Flags().IntVarP(&rows, "rows", "n", api.DefaultSampleRows, "`number` of sample rows, 1 to 100")
	return cmd
}

// description is what da describe --json prints.
type description struct {
	Schema *api.TableSchema `json:"schema"`
	Sample *api.Sample      `json:"sample"`
}

func runDescribe(ctx context.Context, a *app.App, tableID, asOf string, rows int) error {
	format := a.OutputFormat()
	tableID, err := usage.TableAt(tableID, asOf)
	if err != nil {
		return err
	}
	catalog, err := a.Catalog()
	if err != nil {
		return err
	}
	var d description
	if d.Schema, err = catalog.Schema(ctx, tableID); err != nil {
		return snapshotInstead(a, tableID, err)
	}
	if d.Sample, err = catalog.Sample(ctx, tableID, rows); err != nil {
		return err
	}
	sample := output.List{Columns: d.Sample.Columns}
	for _, r := range d.Sample.Rows {
		sample.Rows = append(sample.Rows, r.Values)
	}
	a.NoteRowRule(d.Sample.RowRule)
	a.Tell(d.Sample.Caveats...)
	if a.ForModel() && format == output.JSON {
		return a.PrintJSON(briefOf(d))
	}
	if format != output.Table {
		if err := a.Show(format, d, sample); err != nil {
			return err
		}
		a.Note(fmt.Sprintf("these are the sample's rows; 'da schema %s' lists the columns, --json has both", tableID))
		return nil
	}
	if err := a.Show(format, d, columnList(d.Schema)); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(a.IO.Out); err != nil {
		return err
	}
	if err := a.Show(format, d, sample); err != nil {
		return err
	}
	a.NoteDescription(d.Schema)
	return nil
}
