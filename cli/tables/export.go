package tables

import (
	"context"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table"
)

func newTableExportCmd(a *app.App, o *TableOptions) *cobra.Command {
	var r table.ExportRequest
	var tables []string
	cmd := &cobra.Command{
		Use:   "export <file>",
		Short: "Write a file's rows, or those of a query, to another file",
		Long: `Export writes all rows of a file, or the result of --query, to a file of another
format: ` + strings.Join(format.Exported(), ", ") + `. The target appears
complete or not at all, and is not replaced without --force.

Numbers, dates and booleans stay what they are in workbooks. What a workbook
cannot hold, such as integers of more than 15 digits, is written as text, with a
warning; rows beyond the end of a sheet go on in the next. A workbook says where
its figures come from: 'da why' reads it.`,
		Example: `  da table export sales.csv --out sales.xlsx
  da table export sales.csv --out late.csv --query "SELECT * FROM data WHERE days > 30 ORDER BY id"`,
		Args: usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if r.TargetPath == "" {
				return usage.Error("--out is missing")
			}
			var err error
			if r.Tables, err = o.namedSources(tables); err != nil {
				return err
			}
			return exit.About(r.Query, runTableExport(cmd.Context(), a, o, args[0], r))
		},
	}
	timeoutFlag(cmd, &r.Timeout, 0, takeMost+" (default: no limit)")
	f := cmd.Flags()
	f.StringVar(&r.TargetPath, "out", "", "`file` to write; - is standard output, in --format")
	f.StringVar(&r.Format, "format", "", "`format` of the target (default: by its name)")
	f.StringVar(&r.Query, "query", "", "write the result of this `SELECT`; the table is called data")
	f.StringArrayVar(&tables, "table", nil, "`name=path` of a further file for --query, or number of the table")
	f.StringVar(&r.TargetSheet, "target-sheet", "", "`name` of the workbook's sheet (default Sheet1)")
	f.BoolVar(&r.Force, "force", false, "replace the target if it exists")
	f.BoolVar(&r.BOM, "bom", false, "start CSV with a byte order mark, for Excel")
	f.BoolVar(&r.EscapeFormulas, "escape-formulas", false, "in CSV, put ' before texts that spreadsheets would run")
	f.BoolVar(&r.NoMadeUpNames, "no-made-up-names", false, "in CSV, leave out names that the file does not have")
	f.BoolVar(&r.NoReceipt, "no-receipt", false, "say nothing in a workbook of where its figures come from")
	usage.Strict(f, &r.Refuse)
	f.StringVar(&r.MemoryLimit, "memory-limit", table.DefaultMemory, "most `memory` to use for --query")
	usage.AlsoCalled(cmd, "out", "target")
	return cmd
}

func runTableExport(ctx context.Context, a *app.App, o *TableOptions, path string, r table.ExportRequest) error {
	ts, src, err := OpenTable(a, o, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	r.Source = src
	if r.TargetPath == "-" {
		return exportToStdout(ctx, a, ts, r)
	}
	progress := a.Progress("exporting")
	e, err := ts.Export(ctx, r)
	progress.Stop()
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"target", "format", "rows", "columns"},
		Rows: [][]any{{e.TargetPath, e.Format, e.RowCount, e.ColumnCount}}}
	return showTable(a, e, list, e, e.Caveats)
}

// exportToStdout writes the rows to standard output, and messages about them to
// stderr.
func exportToStdout(ctx context.Context, a *app.App, ts *table.Tables, r table.ExportRequest) error {
	if f := strings.ToLower(r.Format); a.IO.OutTerminal && (f == "parquet" || f == "xlsx") {
		e := usage.Error(f + " is not written to a terminal")
		e.Hint = "Name a file with --out, or redirect the output."
		return e
	}
	r.To = a.IO.Out
	e, err := ts.Export(ctx, r)
	if err != nil {
		return err
	}
	a.Tell(e.Caveats...)
	return nil
}
