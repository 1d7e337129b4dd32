package query

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/humanize"
)

// checksFile is the file that da check reads where none is named.
const checksFile = "checks.yaml"

// NewCheckCmd returns 'da check'.
func NewCheckCmd(a *app.App) *cobra.Command {
	var o checkOptions
	var schema bool
	cmd := &cobra.Command{
		Use:   "check [file]",
		Short: "Check snapshots against a file of expectations",
		Long: `Check runs the checks of a YAML file, ` + checksFile + ` unless another is named, over
snapshots and synced tables: rows, freshness, not_null, unique, accepted_values,
range, pattern, relationships, null_share, duplicates, periods, drift, and
conditions in SQL. docs/checks.md describes the file, --schema prints its JSON
Schema for editors, 'da check learn' writes one. A schema.yml of dbt is
read as it is: its tests are checks of the snapshots named as its models.

The exit code is 10 if a check of severity error does not hold; those of
severity warn are only shown. If a check cannot be run, because a column or a
snapshot is missing, the others go on, and the exit code is that of the error.
All checks on single rows of a table run in one scan of it.`,
		Example: "  da check\n  da check nightly.yaml --report checks.xml\n  da check models/schema.yml\n  da check --schema > checks.schema.json",
		Args:    usage.AtMostOne("file", "Name one file: da check "+checksFile+"."),
		RunE: func(cmd *cobra.Command, args []string) error {
			if schema {
				return printChecksSchema(a)
			}
			file := checksFile
			if len(args) == 1 {
				file = args[0]
			}
			return o.run(cmd.Context(), a, file)
		},
	}
	cmd.AddCommand(newCheckLearnCmd(a))
	RegisterReport(cmd, &o.report)
	cmd.Flags().StringVar(&o.failed, "failed", "", "write all rows that break a check to TABLE-NUMBER.parquet in this `folder`; files of checks that hold go")
	cmd.Flags().BoolVar(&o.fetch, "fetch", false, "check tables of the catalog too, and fetch what the checks read of them")
	cmd.Flags().BoolVar(&o.fresh, "fresh", false, "with --fetch, read at the source also what is here")
	cmd.Flags().BoolVar(&o.acceptRows, "accept-rows", false, "accept the row counts of this run: max_change compares with them from now on")
	cmd.Flags().BoolVar(&o.estimate, "estimate", false, "with --fetch, show what would be read, and stop")
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of the file, and check nothing")
	return cmd
}

func printChecksSchema(a *app.App) error {
	schema, err := jsonschema.For[checks.File](nil)
	if err != nil {
		return err
	}
	schema.Schema, schema.Title = "https://json-schema.org/draft/2020-12/schema", "Checks of da"
	return a.PrintWhole(schema)
}

type checkOptions struct {
	report, failed                     string
	fetch, fresh, estimate, acceptRows bool
}

func (o checkOptions) run(ctx context.Context, a *app.App, file string) error {
	if o.report != "" {
		if _, err := checks.ReportFor(o.report); err != nil {
			return err
		}
	}
	if !o.fetch && (o.fresh || o.estimate) {
		return usage.Error("--fresh and --estimate are for what --fetch would read")
	}
	work, format, err := a.Work()
	if err != nil {
		return err
	}
	text, err := readText(a.Absolute(file))
	if errors.Is(err, fs.ErrNotExist) {
		return &api.Error{Code: api.CodeReadFailed, Message: "there is no file of checks '" + file + "' here", Err: err,
			Next: []api.Step{api.Do(api.ActionLearn, "write one that a snapshot's rows meet", "name", "SNAPSHOT")}}
	}
	if err != nil {
		return err
	}
	f, err := checks.ReadFile(file, text)
	if err != nil {
		return err
	}
	last, path, err := readLast(a, file)
	if err != nil {
		return err
	}
	for name, t := range f.Tables {
		if n, known := last.Rows[name]; known && !o.acceptRows {
			t.Were = &n
			f.Tables[name] = t
		}
	}
	var parts []*query.Part
	if o.fetch {
		if parts, err = o.arrive(ctx, a, work, f); err != nil || o.estimate {
			return err
		}
	}
	progress := a.Progress("checking")
	var keep query.Keep
	if o.failed != "" {
		keep = keepFailed(a, o.failed)
	}
	result, err := query.Check(ctx, work, f, parts, plan.Brief, keep)
	progress.Stop()
	if err != nil {
		return err
	}
	if err := tellNew(last, path, result.Checks, o.acceptRows); err != nil {
		a.Note("the next run cannot say what is new: " + err.Error())
	}
	if err := showChecked(a, format, result); err != nil {
		return err
	}
	if err := WriteReport(a, o.report, file, result.Checks); err != nil {
		return err
	}
	return FailedChecks(result.Checks, "check")
}

// arrive fetches what the checks read of tables that are not here, or shows what it would
// read. The checks of the file are planned as one statement, so each table is read once.
func (o checkOptions) arrive(ctx context.Context, a *app.App, work *analyst.Analyst, f *checks.File) ([]*query.Part, error) {
	sql, err := query.CheckReads(f, work.Now())
	if err != nil {
		return nil, err
	}
	if o.estimate {
		p, err := plan.Make(ctx, work, sql, o.fresh)
		if err != nil {
			return nil, err
		}
		return nil, writePlan(a, a.OutputFormat(), p)
	}
	options, err := a.QueryOptions()
	if err != nil {
		return nil, err
	}
	progress := a.Progress("fetching")
	defer progress.Stop()
	options.Fresh, options.OnProgress = o.fresh, progress.Set
	return plan.Take(ctx, work, sql, options)
}

// keepFailed writes what breaks a check to a file of a folder, in place of what did
// the last time.
func keepFailed(a *app.App, dir string) query.Keep {
	return func(ctx context.Context, o *checks.Outcome, nth int, rows api.Rows) error {
		file := filepath.Join(dir, fmt.Sprintf("%s-%d.parquet", o.Of, nth)) // of a checked name
		if rows == nil {
			if err := os.Remove(a.Absolute(file)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return atomicfile.Explain("remove the rows of the last check", err)
			}
			return nil
		}
		if err := os.MkdirAll(a.Absolute(dir), 0o777); err != nil {
			return atomicfile.Explain("make the folder of --failed", err)
		}
		o.File = file
		_, err := output.WriteFile(ctx, a.Absolute(file), rows, output.Parquet, true, a.OutputOptions())
		return err
	}
}

// showChecked prints what holds and what does not.
func showChecked(a *app.App, format output.Format, result *query.Checked) error {
	list := output.List{Columns: []string{"table", "check", "status", "severity", "message"}}
	for _, o := range result.Checks {
		message := o.Message
		if o.New {
			message += " (it held the last time)"
		}
		list.Rows = append(list.Rows, []any{o.Of, o.Name, string(o.Status), string(o.Severity), message})
	}
	if format != output.JSON { // else the result has them, and stderr is the error as JSON
		a.Tell(result.Caveats...)
	}
	if err := a.ShowItems(format, result, list, result.Checks); err != nil {
		return err
	}
	a.Note(fmt.Sprintf("%s passed, %d failed, %s", humanize.Plural(int64(result.Passed), "check", "checks"), result.Failed,
		humanize.Plural(int64(result.Warnings), "warning", "warnings")))
	return nil
}
