package query

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/statement/params"
	"github.com/agnes-data/da/workspace/content"
)

func newReportCheckCmd(a *app.App) *cobra.Command {
	var o reportCheck
	cmd := &cobra.Command{
		Use:   "check <file>",
		Short: "Check the figures of a file against its statements",
		Long: `Check runs the statements again that gave a file its figures, and says which
figures are not what they were:

  drifted     the statement gives something else now
  typed_over  the file has something else in the figure's place
  missing     the figure's place in the file is gone
  not_run     the statement cannot be run, or was not

The exit code is 0 if all are unchanged, 10 if one has drifted, was typed over
or is missing, and else 3 if one could not be checked. With --exit-code it is 1
in place of 10, as of diff, and no error. A statement of a file runs as 'da
query' runs what you type: it only reads, and only your snapshots and synced
tables. What ran at a source is not run again, since that may cost.`,
		Example: "  da report check sent.docx\n  da report check sent.docx --fetch --json\n  da report check sent.docx --tolerance 0.01 --exit-code",
		Args:    usage.Exactly("file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if o.tolerance < 0 || math.IsNaN(o.tolerance) {
				return usage.Error("--tolerance is a number from 0 on, such as 0.01")
			}
			return o.run(cmd.Context(), a, args[0])
		},
	}
	cmd.Flags().BoolVar(&o.fetch, "fetch", false, "fetch what the statements need of tables that are not here, as 'da query --fetch' does")
	cmd.Flags().StringSliceVar(&o.ignore, "ignore", nil, "`columns` of results whose figures are not looked at, separated by commas")
	usage.ExitCode(cmd.Flags(), &o.exitCode)
	cmd.Flags().Float64Var(&o.tolerance, "tolerance", 0, "numbers that a statement gives now, and are at most this `far` from what was written, count as unchanged")
	return cmd
}

// reportCheck is how the figures of a file are compared.
type reportCheck struct {
	fetch, exitCode bool
	tolerance       float64
	ignore          []string
}

func (o *reportCheck) run(ctx context.Context, a *app.App, path string) error {
	format := a.OutputFormat()
	read, err := readFigures(ctx, a, path)
	if err != nil {
		return err
	}
	from, err := OpenFileSource(ctx, a, ParamFlags{}, o.fetch)
	if err != nil {
		return err
	}
	defer from.Close()
	for _, name := range o.ignore {
		if !read.Has(name) {
			return usage.Error("no figure of '" + printable.Line(path) + "' is of a column '" + name + "'")
		}
	}
	read.Tolerance, read.Ignore = o.tolerance, o.ignore
	checked, err := read.Check(ctx, from.again)
	if err != nil {
		return err
	}
	list := output.List{Columns: []string{"place", "status", "written", "found", "now", "why"}}
	for _, c := range checked.Changed {
		now := ""
		if c.Now != nil {
			now = *c.Now
		}
		list.Rows = append(list.Rows, []any{c.At, string(c.Status), c.Written, c.Found, now, c.Why})
	}
	if len(list.Rows) > 0 || !app.ForPeople(format) {
		if err := a.ShowItems(format, checked, list, checked.Changed); err != nil {
			return err
		}
	}
	a.Note(fmt.Sprintf("%s: %d unchanged, %d drifted, %d typed over, %d missing, %d not run",
		humanize.Plural(int64(checked.Figures), "figure", "figures"),
		checked.Unchanged, checked.Drifted, checked.TypedOver, checked.Missing, checked.NotRun))
	details := map[string]any{"file": path}
	switch changed := checked.Drifted + checked.TypedOver + checked.Missing; {
	case changed > 0 && o.exitCode:
		a.ExitCode = exit.Differs
	case changed > 0:
		return &api.Error{Code: api.CodeCheckFailed, Kind: api.KindFigures, Details: details,
			Message: fmt.Sprintf("%s not what was written into '%s', or not what the statements give now",
				humanize.Plural(int64(changed), "figure is", "figures are"), printable.Line(path)),
			Hint: "Fill the template again, or correct the file. da why " + printable.Line(path) + " FIGURE says where a figure comes from."}
	case checked.NotRun > 0:
		return &api.Error{Code: api.CodeBudget, Kind: api.KindNotChecked, Details: details,
			Message: fmt.Sprintf("%s could not be checked", humanize.Plural(int64(checked.NotRun), "figure", "figures")),
			Hint:    "Get what the statements read: da snapshot list has what is here, --fetch gets what is not."}
	}
	return nil
}

// readFigures reads what a file says of its figures. A file that says nothing is an
// error.
func readFigures(ctx context.Context, a *app.App, path string) (*figures.Read, error) {
	if format := strings.ToLower(filepath.Ext(path)); !slices.Contains(figures.Formats(), format) {
		return nil, usage.Error("'" + printable.Line(path) + "' is not named as a file that can say where its figures come from: " +
			strings.Join(figures.Formats(), ", "))
	}
	scratch, name, remove, err := scratchFile(ctx, a, path, "file")
	if err != nil {
		return nil, err
	}
	defer remove()
	read, err := content.Figures(ctx, scratch, name)
	if err != nil {
		return nil, err
	}
	if len(read.Receipts) == 0 {
		return nil, &api.Error{Code: api.CodeValidation, Kind: api.KindNoReceipt,
			Message: "'" + printable.Line(path) + "' does not say where its figures come from",
			Hint:    "Files that da report, da files add, da query --out and da table export have written do, unless another program has dropped it."}
	}
	return read, nil
}

// again runs a statement that a file brings. The file can be anybody's: its statement
// passes the gate that typed ones pass, and its parameters become literals.
func (s *fileSource) again(ctx context.Context, was *figures.Answer) ([][]any, error) {
	if err := was.Again(); err != nil {
		return nil, err
	}
	given, err := json.Marshal(was.Parameters)
	values := params.Values{}
	if err == nil && was.Parameters != nil {
		err = values.Read(given)
	}
	if err != nil {
		return nil, err
	}
	s.Values = params.NewFiller(values)
	rows, err := s.Rows(ctx, was.Statement, reports.Most(".xlsx"))
	if err != nil {
		return nil, err
	}
	return rows.Values, nil
}
