package query

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/dashboard"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/workspace"
	"github.com/agnes-data/da/workspace/content"
)

type reportOptions struct {
	out          string
	force, fetch bool
	noReceipt    bool
	params       ParamFlags
	strict       []api.CaveatKind
}

// reported is what da report --json prints.
type reported struct {
	Path  string `json:"path"`
	Bytes int64  `json:"bytes"`
	*reports.Report
}

// NewReportCmd returns 'da report'.
func NewReportCmd(a *app.App) *cobra.Command {
	var o reportOptions
	cmd := &cobra.Command{
		Use:   "report <template>",
		Short: "Fill a workbook, document, presentation or page from queries",
		Long: `Report fills the placeholders of a template, an .xlsx, .docx, .pptx or .html
file, with what queries over your snapshots and synced tables answer, and writes
it to the file of --out. All of the rest stays as it is. LibreOffice prints a
.docx or .pptx as .pdf, if --out says so. A placeholder is a text such as

  {{ value: SELECT sum(sales) FROM may }}      one value, also within a line
  {{ value: $month }}                          the value of --param
  {{ sql: SELECT region, sales FROM may }}     rows, without their names
  {{ table: SELECT … }} or {{ table: may }}    a table, with their names
  {{ plot: bar SELECT region, sales … }}      a picture

In a workbook, rows are written from the placeholder's cell on. What cannot be
filled ends the command, with the place in the template, and nothing is written.

The .json file of a dashboard, as the page saves it, becomes an .html, .pdf,
.pptx or .docx file. Its statements run where the dashboard says; with --fetch,
on this machine.`,
		Example: "  da report monday.docx --param month=May --out may.docx\n  da report monday.docx --param month=June --fetch --out june.docx\n  da report delays.json --param origin=SFO --out delays.html",
		Args:    usage.Exactly("template"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.out == "" {
				return usage.Error("a report needs a file to go to: --out FILE")
			}
			return runReport(cmd.Context(), a, args[0], o)
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.out, "out", "", "write to this `file`, of the template's kind")
	f.BoolVar(&o.force, "force", false, "replace the file of --out")
	f.BoolVar(&o.fetch, "fetch", false, "fetch what the queries need of tables that are not here, as 'da query --fetch' does")
	f.BoolVar(&o.noReceipt, "no-receipt", false, "say nothing in the file of where its figures come from")
	usage.Strict(f, &o.strict)
	o.params.Register(cmd)
	cmd.AddCommand(newReportCheckCmd(a))
	return cmd
}

func runReport(ctx context.Context, a *app.App, template string, o reportOptions) error {
	format, ending, noun := strings.ToLower(filepath.Ext(template)), strings.ToLower(filepath.Ext(o.out)), "placeholder"
	board := format == ".json"
	if !board && !slices.Contains(reports.Formats(), format) {
		return usage.Error("a template is an .xlsx, .docx, .pptx or .html file, or the .json file of a dashboard, and '" +
			printable.Line(template) + "' is not named as one")
	}
	printed := ending == ".pdf" && (format == ".docx" || format == ".pptx")
	switch {
	case board && !slices.Contains(dashboard.Formats(), ending):
		return usage.Error("--out of a dashboard's report must end with .html, .pdf, .pptx or .docx")
	case board && o.noReceipt:
		return usage.Error("--no-receipt works with templates only")
	case !board && ending != format && !printed:
		return usage.Error("--out must end with " + format + ", as the template does" +
			map[bool]string{true: ", or with .pdf"}[format == ".docx" || format == ".pptx"])
	}
	if err := output.CheckTarget(a.Absolute(o.out), o.force); err != nil {
		return err
	}
	done := reported{Path: o.out}
	write := func(w io.Writer) error { return fillTemplate(ctx, a, template, printed, o, &done, w) }
	if board {
		noun = "tile"
		write = func(w io.Writer) (err error) {
			if done.Report, err = writeBoard(ctx, a, template, ending, o, w); err == nil {
				err = api.Refused(done.Caveats, o.strict)
			}
			return err
		}
	}
	if err := output.CreateFile(a.Absolute(o.out), o.force, write); err != nil {
		return err
	}
	if info, err := os.Stat(a.Absolute(o.out)); err == nil {
		done.Bytes = info.Size()
	}
	a.Tell(done.Caveats...)
	if a.ErrorsAsJSON() {
		return a.PrintWhole(done)
	}
	if a.Quiet {
		return nil
	}
	_, err := fmt.Fprintf(a.IO.Out, "%s: %s filled, %s\n", printable.Line(o.out),
		humanize.Plural(int64(len(done.Filled)), noun, noun+"s"), humanize.Bytes(done.Bytes))
	return err
}

// fillTemplate writes a template with its placeholders filled.
func fillTemplate(ctx context.Context, a *app.App, template string, printed bool, o reportOptions, done *reported, w io.Writer) error {
	scratch, name, remove, err := scratchFile(ctx, a, template, "template")
	if err != nil {
		return err
	}
	defer remove()
	from, err := OpenFileSource(ctx, a, o.params, o.fetch)
	if err != nil {
		return err
	}
	defer from.Close()
	filled, err := content.FillReport(ctx, scratch, name, from, !o.noReceipt)
	if err != nil {
		return err
	}
	if done.Report, err = filled.Report, from.Values.Done(); err == nil {
		err = api.Refused(done.Caveats, o.strict)
	}
	if err != nil {
		return err
	}
	if printed {
		return app.PrintTo(ctx, scratch, name, w)
	}
	c, err := scratch.Open(ctx, name)
	if err != nil {
		return err
	}
	defer c.Close()
	_, err = io.Copy(w, c)
	return err
}

// scratchFile copies a file into a workspace of its own, where another process can
// work on it. The caller calls remove.
func scratchFile(ctx context.Context, a *app.App, path, what string) (w *workspace.Workspace, name string, remove func(), err error) {
	file, err := kernelfs.Open(a.Absolute(path))
	if err != nil {
		return nil, "", nil, &api.Error{Code: api.CodeReadFailed, Message: "cannot read the " + what + ": " + err.Error(),
			Hint: "Check its path.", Err: err}
	}
	defer file.Close()
	if name, err = workspace.CleanName(filepath.Base(path)); err != nil {
		name = what + strings.ToLower(filepath.Ext(path))
	}
	w, remove, err = a.ScratchWorkspace()
	if err != nil {
		return nil, "", nil, err
	}
	if _, err := w.Put(ctx, workspace.PutRequest{Name: name}, file); err != nil {
		remove()
		return nil, "", nil, err
	}
	return w, name, remove, nil
}
