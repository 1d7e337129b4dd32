package tables

import (
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/usage"
	"github.com/spf13/cobra"
)

// New returns 'da table'.
func New(a *app.App) *cobra.Command {
	var o TableOptions
	cmd := &cobra.Command{
		Use:   "table <command>",
		Short: "Look into CSV files, spreadsheets and other local tables",
		Long: `Table commands read CSV and other delimited text (also .gz and .zst), XLSX
sheets, JSON (lines, arrays, GeoJSON), parquet, Arrow, databases of SQLite and
DuckDB, and tables of a --page of a PDF; - is standard input.
What a file does not state, such as types, is detected from all of its rows, and
guesses are reported.

The first command on a file reads all of it and keeps what it learnt below
DA_HOME, so that the next ones are quick until the file changes.`,
		Example: `  da table map sales.csv
  da table query sales.csv "SELECT region, sum(amount) FROM data GROUP BY region"
  da table export sales.csv --out sales.xlsx`,
		Args: cobra.ArbitraryArgs,
		RunE: usage.Group,
	}
	o.Declare(a, cmd.PersistentFlags())
	o.DeclareTable(cmd.PersistentFlags())
	cmd.AddCommand(newTableMapCmd(a, &o), newTableDescribeCmd(a, &o), newTableStatsCmd(a, &o),
		newTableRowsCmd(a, &o), newTableQueryCmd(a, &o), newTableExportCmd(a, &o))
	return cmd
}
