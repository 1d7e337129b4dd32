package query

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/kernelfs"
	"github.com/agnes-data/da/internal/words/printable"
)

// expectations are what must be true of the results of a call. nil expects nothing.
type expectations struct {
	texts  []string
	file   string
	report string

	all      []checks.Expectation
	outcomes []checks.Outcome
}

func (x *expectations) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringArrayVar(&x.texts, "expect", nil, "exit with 10 unless this is `true` of the whole result: empty, rows=N (or >=, <=, >, <), or a condition on each row (can be repeated)")
	f.StringVar(&x.file, "expect-file", "", "read expectations from this `file`, one a line")
	RegisterReport(cmd, &x.report)
}

// RegisterReport adds the flag of WriteReport.
func RegisterReport(cmd *cobra.Command, report *string) {
	cmd.Flags().StringVar(report, "report", "", "also write what holds and what does not to this `file`: .xml for JUnit, .sarif, or github for annotations on stdout")
}

// read reads the expectations before anything is run.
func (x *expectations) read(a *app.App, o Options) error {
	for _, text := range x.texts {
		e, err := checks.Parse(text)
		if err != nil {
			return err
		}
		x.all = append(x.all, e)
	}
	if x.file != "" {
		text, err := readText(a.Absolute(x.file))
		if err != nil {
			return err
		}
		more, err := checks.ParseFile(text)
		if err != nil {
			return err
		}
		x.all = append(x.all, more...)
	}
	if x.report != "" {
		if _, err := checks.ReportFor(x.report); err != nil {
			return err
		}
	}
	switch {
	case !x.any() && (x.report != "" || x.file != ""):
		return &api.Error{Code: api.CodeUsage, Message: "nothing is expected of the result",
			Hint: "Say what must be true of it: --expect empty, or --expect \"delay < 100\"."}
	case x.any() && o.explain:
		return usage.Error("--explain does not run the statement, so nothing can be expected of its rows")
	}
	for _, e := range x.all {
		if o.remote && e.Condition != "" {
			return &api.Error{Code: api.CodeUsage, Message: "the condition '" + api.Clip(e.Condition, 100) +
				"' is checked on this machine, and --remote only counts the rows",
				Hint: "Run the statement with --fetch instead of --remote, or select what breaks the condition and expect it to be empty."}
		}
	}
	return nil
}

const maxTextBytes = 1 << 20

// readText reads a small file of the user.
func readText(path string) (string, error) {
	f, err := kernelfs.Open(path)
	if err == nil {
		defer f.Close()
		var text []byte
		if text, err = io.ReadAll(io.LimitReader(f, maxTextBytes+1)); err == nil && len(text) > maxTextBytes {
			return "", &api.Error{Code: api.CodeTooLarge, Message: path + " is larger than 1 MB", Hint: "Divide it into several files."}
		}
		if err == nil {
			return string(text), nil
		}
	}
	return "", &api.Error{Code: api.CodeReadFailed, Message: "cannot read " + path + ": " + err.Error(), Err: err, Hint: "Check the path."}
}

func (x *expectations) any() bool { return x != nil && len(x.all) > 0 }

// add records outcomes.
func (x *expectations) add(outcomes []checks.Outcome) { x.outcomes = append(x.outcomes, outcomes...) }

// of says which statement the outcomes without a name are of.
func (x *expectations) of(statement int) {
	if x == nil {
		return
	}
	for i := range x.outcomes {
		if x.outcomes[i].Of == "" {
			x.outcomes[i].Of = "statement " + strconv.Itoa(statement)
		}
	}
}

// end writes the report, and returns the error for what does not hold.
func (x *expectations) end(a *app.App) error {
	if !x.any() {
		return nil
	}
	if err := WriteReport(a, x.report, x.file, x.outcomes); err != nil {
		return err
	}
	return FailedChecks(x.outcomes, "expectation")
}

// WriteReport writes outcomes to a file, in the format that its name tells; "" writes
// nothing. of is the file of what is expected, or empty.
func WriteReport(a *app.App, name, of string, outcomes []checks.Outcome) error {
	if name == "" {
		return nil
	}
	report, err := checks.ReportFor(name)
	switch {
	case err != nil:
		return err
	case name == checks.GitHub:
		return report(a.IO.Out, of, outcomes)
	}
	return output.CreateFile(a.Absolute(name), true, func(w io.Writer) error { return report(w, of, outcomes) })
}

// FailedChecks is the error for checks that fail, with the first rows that break the
// first of them, for people.
func FailedChecks(outcomes []checks.Outcome, what string) error {
	e := checks.Fails(outcomes, what)
	if e == nil {
		return nil
	}
	if e.Code != api.CodeCheckFailed { // one could not be run, and the error is its own
		return e
	}
	at := slices.IndexFunc(outcomes, func(o checks.Outcome) bool { return o.Status == checks.Failed && o.Severity == checks.Error })
	var rows []string
	for _, r := range outcomes[at].Examples[:min(len(outcomes[at].Examples), 3)] {
		rows = append(rows, RowText(&r))
	}
	if len(rows) > 0 {
		e.Hint = "The first that break it:\n  " + strings.Join(rows, "\n  ")
	}
	return e
}

// countedRows counts the rows of a result while they are shown.
type countedRows struct {
	api.Rows
	rows int64
}

// Next implements array.RecordReader.
func (c *countedRows) Next() bool {
	more := c.Rows.Next()
	if more {
		c.rows += c.RecordBatch().NumRows()
	}
	return more
}

// counting returns the rows, and a function that reads those that were not shown and
// compares their number.
func (x *expectations) counting(rows api.Rows) (api.Rows, func(context.Context) error) {
	if !x.any() {
		return rows, nil
	}
	counted := &countedRows{Rows: rows}
	return counted, func(ctx context.Context) error {
		for ctx.Err() == nil && counted.Next() {
		}
		if err := counted.Err(); err != nil {
			return err
		}
		for _, e := range x.all {
			x.outcomes = append(x.outcomes, e.Counted(counted.rows, query.IsCut(counted.Caveats())))
		}
		return context.Cause(ctx)
	}
}

// longestValue is the length at which a value is cut for people, in characters.
const longestValue = 60

// ValueText is a value in a line of text.
func ValueText(v any) string {
	if v == nil {
		return "NULL"
	}
	if s, ok := v.(string); ok {
		return printable.Line(api.Clip(s, longestValue))
	}
	text, err := output.EncodeJSON(v, "")
	if err != nil {
		return fmt.Sprint(v)
	}
	return printable.Line(api.Clip(strings.TrimSpace(string(text)), longestValue))
}

// RowText is a row in a line of text.
func RowText(r *api.Row) string {
	items := make([]string, len(r.Columns))
	for i, name := range r.Columns {
		items[i] = printable.Line(name) + "=" + ValueText(r.Values[i])
	}
	return strings.Join(items, " ")
}
