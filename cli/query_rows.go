package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
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

// watch reads the rows of a result and shows progress on stderr.
func (q *queried) watch(a *app.App, o queryOptions) *watchedRows {
	known := api.Arranged(q.rows.Caveats())
	a.Tell(known...)
	if q.total > 0 {
		q.progress.Expect(q.total)
	}
	return &watchedRows{Rows: api.Demand(q.rows, o.strict), progress: q.progress, known: known}
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

// writtenFile is what da query --out prints with --json, since the rows are in
// the file.
type writtenFile struct {
	Statement int    `json:"statement,omitempty" jsonschema:"of several statements: its number"`
	Path      string `json:"path"`
	Rows      int64  `json:"rows"`
	Bytes     int64  `json:"bytes"`
	Truncated bool   `json:"truncated" jsonschema:"--limit left rows out"`
	// Caveats are those of the rows and of what the format changes; never null.
	Caveats []api.Caveat `json:"caveats"`
}

// tell describes on w what was written to a file.
func (f writtenFile) tell(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %s, %s\n", printable.Line(f.Path), humanize.Plural(f.Rows, "row", "rows"), humanize.Bytes(f.Bytes))
	return err
}

// showRows prints a result, writes it to a file, or plots it.
func showRows(ctx context.Context, a *app.App, o queryOptions, q *queried, format output.Format) error {
	if o.out != "" && !o.plot.wanted() {
		file, err := intoFile(ctx, a, o, q, format)
		if err != nil {
			return err
		}
		return reportFile(a, file)
	}
	rows := q.watch(a, o)
	switch {
	case o.plot.wanted():
		return plotRows(ctx, a, o, rows)
	case o.explain && app.ForPeople(format):
		return showPlan(ctx, a, rows)
	}
	opts := a.OutputOptions()
	opts.MaxRows = o.limit
	var summary output.Summary
	err := a.Page(func(w io.Writer) (err error) {
		if a.IO.OutTerminal {
			w = clearFirst{w, rows.progress}
		}
		summary, err = output.Write(ctx, w, rows, format, opts)
		return err
	})
	if err != nil {
		return err
	}
	return rows.told(a, o, summary, format)
}

// intoFile writes a result to the file of --out.
func intoFile(ctx context.Context, a *app.App, o queryOptions, q *queried, format output.Format) (writtenFile, error) {
	if o.limit > 0 {
		q.total = min(q.total, o.limit)
	}
	rows := q.watch(a, o)
	opts := a.OutputOptions()
	opts.MaxRows = o.limit
	summary, err := output.WriteFile(ctx, a.Absolute(o.out), rows, format, o.force, opts)
	if err != nil {
		return writtenFile{}, err
	}
	if err := rows.told(a, o, summary, format); err != nil {
		return writtenFile{}, err
	}
	return fileOf(a, o.out, summary.Rows, summary.Truncated, summary.Caveats)
}

// told prints on stderr what the output itself does not show.
func (w *watchedRows) told(a *app.App, o queryOptions, summary output.Summary, format output.Format) error {
	w.progress.Stop()
	late := summary
	late.Caveats = api.Without(summary.Caveats, w.known)
	a.Told(late)
	tellLimit(a, o, summary, format)
	return o.record(a, summary.Caveats)
}

// record adds the caveats of a result to the file of --caveats, if there is one.
func (o queryOptions) record(a *app.App, caveats []api.Caveat) error {
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
func tellLimit(a *app.App, o queryOptions, summary output.Summary, format output.Format) {
	switch {
	case summary.Truncated && o.limitGiven:
		a.Say(fmt.Sprintf("first %s shown, as --limit says; there are more", humanize.Plural(summary.Rows, "row", "rows")))
	case summary.Truncated:
		a.Warn([]string{fmt.Sprintf("first %s rows shown, there are more: --limit 0 shows all, -o parquet --out FILE keeps all", humanize.Grouped(summary.Rows))})
	case o.timing: // printed below
	case o.out == "" && format == output.Table && a.IO.OutTerminal:
		a.Note(rowsIn(o, summary))
	case o.out == "" && format == output.Table && summary.Rows == 0:
		a.Note("0 rows")
	}
	if o.timing {
		a.Say(rowsIn(o, summary))
	}
}

// rowsIn says how many rows there were, and how long the statement took.
func rowsIn(o queryOptions, summary output.Summary) string {
	return fmt.Sprintf("%s in %s", humanize.Plural(summary.Rows, "row", "rows"), humanize.Elapsed(time.Since(o.started)))
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

// fileOf describes a written file.
func fileOf(a *app.App, name string, rows int64, truncated bool, caveats []api.Caveat) (writtenFile, error) {
	info, err := os.Stat(a.Absolute(name))
	if err != nil {
		return writtenFile{}, err
	}
	return writtenFile{Path: name, Rows: rows, Bytes: info.Size(), Truncated: truncated, Caveats: exit.Word(api.Arranged(caveats))}, nil
}

// reportFile prints what was written to a file.
func reportFile(a *app.App, file writtenFile) error {
	if a.ErrorsAsJSON() {
		return a.PrintWhole(file)
	}
	if a.Quiet {
		return nil
	}
	return file.tell(a.IO.Out)
}

// told returns the rows with caveats whose steps are worded as commands.
func (q *queried) told(o queryOptions) api.Rows {
	rows := api.Demand(q.rows, o.strict)
	return api.WithCaveats(rows, func() []api.Caveat { return exit.Word(rows.Caveats()) })
}
