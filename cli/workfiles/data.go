package workfiles

import (
	"context"
	"fmt"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/snapshots"
	"github.com/agnes-data/da/cli/tables"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/plot"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

type filesAddOptions struct {
	content.Place
	target content.Target
	slide  int
	plain  bool
	plot   string
	x      string
	y      []string
	fetch  bool
	params query.ParamFlags
}

func newAddCmd(s *workspaceApp) *cobra.Command {
	var o filesAddOptions
	cmd := &cobra.Command{
		Use:   "add <file> <sql>",
		Short: "Put the rows of a query, or a plot of them, into a file",
		Long: `Add puts what a query over your snapshots and synced tables answers into a
workbook (.xlsx), a document (.docx) or a presentation (.pptx). In place of the
statement the name of a snapshot or of a kept result (@r1) stands for all of it.

In a workbook the rows are a table with filters, dates and number formats, on
a new sheet or on that of --sheet, which is created if it does not exist. In a
document they are a table at the end of it, or of --section; in a presentation
a table on a new slide, or on --slide. --plot puts a drawing there instead of
rows.`,
		Example: "  da files add budget.xlsx \"SELECT region, sum(sales) AS sales FROM may GROUP BY ALL\" --sheet May\n  da files add memo.docx may --create --plot bar --title 'Sales in May'",
		Args:    usage.Exactly("file", "sql"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("slide") {
				o.Slide = &o.slide
			}
			o.target.File = args[0]
			if o.plot == "" && (o.x != "" || len(o.y) > 0) {
				return usage.Error("--x and --y are for --plot")
			}
			if o.plot != "" && !slices.Contains(plot.Kinds, plot.Kind(o.plot)) {
				return usage.Error("--plot is one of " + plot.KindNames(", "))
			}
			return s.withWorkspace(func(w *workspace.Workspace) error {
				return addResult(cmd.Context(), s.App, w, o, content.Statement(args[1]))
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Sheet, "sheet", "", "`name` of a workbook's sheet (default: a new one)")
	f.StringVar(&o.Start, "start", "", "first `cell` (default: below what the sheet holds)")
	f.StringVar(&o.Table, "table", "", "`name` of the table in the workbook, for formulas")
	f.StringVar(&o.Section, "section", "", "`heading` or index of a document's section")
	f.IntVar(&o.slide, "slide", 0, "`index` of a slide, from 0 (default: a new one)")
	f.StringVar(&o.Title, "title", "", "`text` of a heading, or the title of a new slide or sheet")
	f.StringVar(&o.plot, "plot", "", "draw the rows, as this `kind`: "+plot.KindNames(", "))
	f.StringVar(&o.x, "x", "", "of a plot: the `column` of labels or of the lower axis (default the first)")
	f.StringSliceVar(&o.y, "y", nil, "of a plot: the `columns` of values, up to 8 (default all others)")
	f.BoolVar(&o.target.Create, "create", false, "create the file if it does not exist")
	f.BoolVar(&o.plain, "no-receipt", false, "say nothing in the file of where the figures come from")
	f.BoolVar(&o.fetch, "fetch", false, "fetch first what the statement needs of tables that are not here")
	f.Int64Var(&o.target.IfVersion, "if-version", 0, "change it only if it is at this `version`")
	o.params.Register(cmd)
	return cmd
}

func addResult(ctx context.Context, a *app.App, w *workspace.Workspace, o filesAddOptions, sql string) error {
	format := a.OutputFormat()
	most, err := content.MostRows(ctx, w, o.target)
	if err != nil {
		return err
	}
	from, err := query.OpenFileSource(ctx, a, o.params, o.fetch)
	if err != nil {
		return err
	}
	defer from.Close()
	result := content.Result{SQL: sql, Plain: o.plain}
	if o.plot != "" {
		if result.Drawing, err = from.Draw(ctx, plot.Spec{Kind: plot.Kind(o.plot), X: o.x, Y: o.y, Title: o.Title}, sql); err == nil {
			result.Caveats = result.Drawing.Caveats
		}
	} else if result.Rows, err = from.Rows(ctx, sql, most); err == nil {
		result.Caveats = result.Rows.Caveats
	}
	if err == nil {
		err = from.Values.Done()
	}
	if err != nil {
		return err
	}
	added, err := content.AddResult(ctx, w, o.target, o.Place, result)
	if err != nil {
		return err
	}
	a.Tell(added.Caveats...)
	what := humanize.Plural(int64(added.Rows), "row", "rows")
	if o.plot != "" {
		what = "a plot"
	}
	if format == output.Table {
		_, err = fmt.Fprintf(a.IO.Out, "%s: %s at %s, version %d\n", printable.Line(added.File.Name), what, printable.Line(added.At),
			added.File.Version)
		return err
	}
	return a.ShowItems(format, added, output.List{Columns: []string{"name", "at", "rows", "version"},
		Rows: [][]any{{added.File.Name, added.At, added.Rows, added.File.Version}}}, added.File)
}

func newImportCmd(s *workspaceApp) *cobra.Command {
	var o snapshots.ImportOptions
	table := 0
	cmd := &cobra.Command{
		Use:   "import <file>",
		Short: "Make a snapshot of the rows of a file",
		Long: `Import copies rows of a file of the workspace into a snapshot, so that a query
joins them with fetched data: a sheet of a workbook or a range of it, a table of
a document ('da files info' counts them from 0) or of a --page of a PDF, or a
CSV, JSON or parquet file. It reads them as 'da table' does.`,
		Example: "  da files import budget.xlsx --sheet Plan --range A3:D20 --as plan\n  da files import memo.docx --table 0 --as promised",
		Args:    usage.Exactly("file"),

		ValidArgsFunction: s.completeFile(1, (*workspace.Workspace).List),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.NameAfter(args[0]); err != nil {
				return err
			}
			var which *int
			if cmd.Flags().Changed("table") {
				which = &table
			}
			return s.withWorkspace(func(w *workspace.Workspace) error { return importOf(cmd.Context(), s.App, w, &o, args[0], which) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.Name, "as", "", "`name` of the snapshot (default: that of the file)")
	f.BoolVar(&o.Force, "force", false, "replace an existing snapshot of that name")
	f.IntVar(&table, "table", 0, "`index` of a document's table, from 0, or number of a PDF page's, from 1 (default: the only one)")
	o.Declare(s.App, f)
	_ = f.MarkHidden("root") // the workspace is the only root
	return cmd
}

func importOf(ctx context.Context, a *app.App, w *workspace.Workspace, o *snapshots.ImportOptions, ref string, which *int) error {
	if err := api.CheckName("snapshot name", o.Name); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "da-import")
	if err != nil {
		return fmt.Errorf("make a folder to read from: %w", err)
	}
	defer os.RemoveAll(dir)
	path, name, err := content.RowsFile(ctx, w, ref, which, dir)
	if err != nil {
		return err
	}
	o.Root = dir
	ts, src, err := tables.OpenTable(a, &o.TableOptions, path)
	if err != nil {
		return err
	}
	defer ts.Close()
	if which != nil && src.Page > 0 {
		src.Table = *which
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	result, err := keep.Import(ctx, work, keep.ImportRequest{Name: o.Name, Path: keep.OfWorkspace + name, Force: o.Force,
		Open: func(ctx context.Context) (*keep.FileRows, error) { return snapshots.OpenRows(ctx, ts, src) }})
	if err != nil {
		return content.Renamed(err, path, name)
	}
	return snapshots.ShowImported(a, a.OutputFormat(), result, name)
}
