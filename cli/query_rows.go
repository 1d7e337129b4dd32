package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/internal/printable"
)

// watchedRows shows how the reading of a result goes on, and notes whether it
// was read to its end.
type watchedRows struct {
	array.RecordReader
	progress *output.Progress
	rows     int64
	ended    bool
}

// Next implements array.RecordReader.
func (w *watchedRows) Next() bool {
	more := w.RecordReader.Next()
	if more {
		w.rows += w.RecordReader.RecordBatch().NumRows()
		w.progress.Set(w.rows, 0)
	}
	w.ended = !more && w.RecordReader.Err() == nil
	return more
}

// clearFirst ends the line about progress before the first text comes to the
// same terminal.
type clearFirst struct {
	w        io.Writer
	progress *output.Progress
}

// Write implements io.Writer.
func (c clearFirst) Write(text []byte) (int, error) {
	c.progress.Stop()
	return c.w.Write(text)
}

// writtenFile is what da query --out prints with --json: about the file, whose
// rows stdout does not get.
type writtenFile struct {
	Path      string `json:"path"`
	Rows      int64  `json:"rows"`
	Bytes     int64  `json:"bytes"`
	Truncated bool   `json:"truncated" jsonschema:"--limit left rows out"`
}

// writeRows writes a result to stdout or a file, and says on stderr what
// stdout cannot say.
func writeRows(ctx context.Context, a *app.App, o queryOptions, rows *watchedRows, format output.Format) error {
	if o.plot.wanted() {
		return plotRows(ctx, a, o, rows)
	}
	opts := a.OutputOptions()
	opts.MaxRows = o.limit
	var summary output.Summary
	var err error
	if o.out != "" {
		summary, err = output.WriteFile(ctx, a.Absolute(o.out), rows, format, o.force, opts)
	} else {
		err = a.Page(func(w io.Writer) (err error) {
			if a.IO.OutTerminal {
				w = clearFirst{w, rows.progress}
			}
			summary, err = output.Write(ctx, w, rows, format, opts)
			return err
		})
	}
	rows.progress.Stop()
	if err != nil {
		return err
	}
	a.Told(summary)
	if o.out != "" {
		if err := reportFile(a, o.out, summary.Rows, summary.Truncated); err != nil {
			return err
		}
	}
	switch {
	case summary.Truncated && o.limitGiven:
		a.Say(fmt.Sprintf("first %s shown, as --limit says; there are more", humanize.Plural(summary.Rows, "row", "rows")))
	case summary.Truncated:
		a.Warn([]string{fmt.Sprintf("first %s rows shown, there are more: --limit 0 shows all, -o parquet --out FILE keeps all", humanize.Grouped(summary.Rows))})
	case o.out == "" && format == output.Table && a.IO.OutTerminal:
		a.Note(fmt.Sprintf("%s in %s", humanize.Plural(summary.Rows, "row", "rows"), humanize.Elapsed(time.Since(o.started))))
	case o.out == "" && format == output.Table && summary.Rows == 0:
		a.Note("0 rows")
	}
	return nil
}

// reportFile says on stdout what a file has got.
func reportFile(a *app.App, name string, rows int64, truncated bool) error {
	info, err := os.Stat(a.Absolute(name))
	if err != nil {
		return err
	}
	if a.ErrorsAsJSON() {
		return a.PrintWhole(writtenFile{Path: name, Rows: rows, Bytes: info.Size(), Truncated: truncated})
	}
	_, err = fmt.Fprintf(a.IO.Out, "%s: %s, %s\n", printable.Line(name), humanize.Plural(rows, "row", "rows"), humanize.Bytes(info.Size()))
	return err
}
