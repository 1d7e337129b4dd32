package query

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
)

// watchedRows shows the progress of reading a result.
type watchedRows struct {
	api.Rows
	progress *output.Progress
	rows     int64
	known    []api.Caveat // those that were told before the first row
}

// watch reads the rows of a result and shows progress on stderr. What a strict call
// refuses before the first row is the error, and is not told besides.
func (q *Queried) watch(a *app.App, o Options) (*watchedRows, error) {
	known := api.Arranged(q.Rows.Caveats())
	refused := func(c api.Caveat) bool { return slices.Contains(o.Strict, c.Kind) }
	if i := slices.IndexFunc(known, refused); i >= 0 {
		err := api.Refused(known[i:i+1], o.Strict)
		a.Tell(slices.Delete(known, i, i+1)...)
		return nil, err
	}
	a.Tell(known...)
	if q.total > 0 {
		q.Progress.Expect(q.total)
	}
	return &watchedRows{Rows: api.Demand(q.Rows, o.Strict), progress: q.Progress, known: known}, nil
}

// Next implements array.RecordReader.
func (w *watchedRows) Next() bool {
	more := w.Rows.Next()
	if more {
		w.rows += w.RecordBatch().NumRows()
		w.progress.Set(w.rows, 0)
	}
	return more
}

// clearFirst removes the progress line before the first output on the same
// terminal.
type clearFirst struct {
	w        io.Writer
	progress *output.Progress
}

// Write implements io.Writer.
func (c clearFirst) Write(text []byte) (int, error) {
	c.progress.Stop()
	return c.w.Write(text)
}

// WrittenFile is what da query --out prints with --json, since the rows are in
// the file.
type WrittenFile struct {
	Statement int    `json:"statement,omitempty" jsonschema:"of several statements: its number"`
	Path      string `json:"path"`
	Rows      int64  `json:"rows"`
	Bytes     int64  `json:"bytes"`
	Truncated bool   `json:"truncated" jsonschema:"--limit left rows out"`
	// Caveats are those of the rows and of what the format changes; never null.
	Caveats []api.Caveat `json:"caveats"`
}

// tell describes on w what was written to a file.
func (f WrittenFile) tell(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %s, %s\n", printable.Line(f.Path), humanize.Plural(f.Rows, "row", "rows"), humanize.Bytes(f.Bytes))
	return err
}

// ShowRows prints a result, writes it to a file, or plots it.
func ShowRows(ctx context.Context, a *app.App, o Options, q *Queried, format output.Format) error {
	if o.Out != "" && !o.Plot.Wanted() {
		file, err := IntoFile(ctx, a, o, q, format)
		if err != nil {
			return err
		}
		return ReportFile(a, file)
	}
	rows, err := q.watch(a, o)
	if err != nil {
		return err
	}
	switch {
	case o.Plot.Wanted():
		return plotRows(ctx, a, o, rows)
	case o.explain && app.ForPeople(format):
		return showPlan(ctx, a, rows)
	}
	opts := a.OutputOptions()
	opts.MaxRows = o.Limit
	var summary output.Summary
	err = a.Page(func(w io.Writer) (err error) {
		if a.IO.OutTerminal {
			w = clearFirst{w, rows.progress}
		}
		summary, err = output.Write(ctx, w, rows, format, opts)
		return err
	})
	if err != nil {
		return err
	}
	return rows.printNotes(a, o, summary, format)
}

// IntoFile writes a result to the file of --out.
func IntoFile(ctx context.Context, a *app.App, o Options, q *Queried, format output.Format) (WrittenFile, error) {
	if o.Limit > 0 {
		q.total = min(q.total, o.Limit)
	}
	rows, err := q.watch(a, o)
	if err != nil {
		return WrittenFile{}, err
	}
	opts := a.OutputOptions()
	if opts.MaxRows = o.Limit; o.Limit == 0 && !o.explain && !o.noReceipt {
		opts.WriteWorkbook = q.workbook(a.Now())
	}
	summary, err := output.WriteFile(ctx, a.Absolute(o.Out), rows, format, o.Force, opts)
	if err != nil {
		return WrittenFile{}, err
	}
	if err := rows.printNotes(a, o, summary, format); err != nil {
		return WrittenFile{}, err
	}
	return FileOf(a, o.Out, summary.Rows, summary.Truncated, summary.Caveats)
}

// printNotes prints on stderr what the output itself does not show.
func (w *watchedRows) printNotes(a *app.App, o Options, summary output.Summary, format output.Format) error {
	w.progress.Stop()
	late := summary
	late.Caveats = api.Without(summary.Caveats, w.known)
	a.Told(late)
	tellLimit(a, o, summary, format)
	return o.record(a, summary.Caveats)
}

// record adds the caveats of a result to the file of --caveats, if there is one.
func (o Options) record(a *app.App, caveats []api.Caveat) error {
	if o.caveats == "" {
		return nil
	}
	if o.recorded == nil { // there is but one result
		o.recorded = &[]api.Caveat{}
	}
	*o.recorded = api.Arranged(append(*o.recorded, caveats...))
	return output.CreateFile(a.Absolute(o.caveats), true, func(w io.Writer) error {
		return output.WriteJSON(w, *o.recorded, output.Options{})
	})
}

// tellLimit says on stderr which rows are shown.
func tellLimit(a *app.App, o Options, summary output.Summary, format output.Format) {
	switch {
	case summary.Truncated && o.LimitGiven:
		a.Say(fmt.Sprintf("first %s shown, as --limit says; there are more", humanize.Plural(summary.Rows, "row", "rows")))
	case summary.Truncated:
		how := "--limit 0 shows all, -o parquet --out FILE keeps all"
		if a.AtPrompt {
			how = `\o FILE before the statement writes all to a file`
		}
		a.Warn([]string{fmt.Sprintf("first %s rows shown, there are more: %s", humanize.Grouped(summary.Rows), how)})
	case o.Timing: // printed below
	case o.Out == "" && format == output.Table && a.IO.OutTerminal:
		a.Note(RowsIn(o, summary))
	case o.Out == "" && format == output.Table && summary.Rows == 0:
		a.Note("0 rows")
	}
	if o.Timing {
		a.Say(RowsIn(o, summary))
	}
}

// RowsIn says how many rows there were, and how long the statement took.
func RowsIn(o Options, summary output.Summary) string {
	return fmt.Sprintf("%s in %s", humanize.Plural(summary.Rows, "row", "rows"), humanize.Elapsed(time.Since(o.Started)))
}

// showPlan prints a plan as the engine drew it.
func showPlan(ctx context.Context, a *app.App, rows *watchedRows) error {
	return a.Page(func(w io.Writer) error {
		for rows.Next() {
			columns := arrowjson.BindBatch(rows.RecordBatch())
			for i := range int(rows.RecordBatch().NumRows()) {
				text, _, _ := columns[1].AppendStart(nil, i, maxPlan)
				if _, err := io.WriteString(clearFirst{w, rows.progress}, printable.Text(string(text))); err != nil {
					return err
				}
			}
		}
		return cmp.Or(rows.Err(), context.Cause(ctx))
	})
}

// maxPlan is the length at which a plan is cut, in characters.
const maxPlan = 1 << 20

// FileOf describes a written file.
func FileOf(a *app.App, name string, rows int64, truncated bool, caveats []api.Caveat) (WrittenFile, error) {
	info, err := os.Stat(a.Absolute(name))
	if err != nil {
		return WrittenFile{}, err
	}
	return WrittenFile{Path: name, Rows: rows, Bytes: info.Size(), Truncated: truncated, Caveats: exit.Word(api.Arranged(caveats))}, nil
}

// ReportFile prints what was written to a file.
func ReportFile(a *app.App, file WrittenFile) error {
	if a.ErrorsAsJSON() {
		return a.PrintWhole(file)
	}
	if a.Quiet {
		return nil
	}
	return file.tell(a.IO.Out)
}

// worded returns the rows with caveats whose steps are worded as commands.
func (q *Queried) worded(o Options) api.Rows {
	rows := api.Demand(q.Rows, o.Strict)
	return api.WithCaveats(rows, func() []api.Caveat { return exit.Word(rows.Caveats()) })
}
