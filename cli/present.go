package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/internal/printable"
	"github.com/agnes-data/da/table/xlsx"
)

// show prints a small answer: v itself as JSON, its list in every other format.
func (a *app) show(format output.Format, v any, list output.List) error {
	if format == output.JSON {
		return a.printJSON(v)
	}
	var summary output.Summary
	err := a.page(func(w io.Writer) (err error) {
		summary, err = output.WriteList(a.ctx, w, list, format, a.outputOptions())
		return err
	})
	if err != nil {
		return err
	}
	a.told(summary)
	return nil
}

// printJSON prints one value as JSON, as much of it as is wanted.
func (a *app) printJSON(v any) error {
	v, err := a.fitted(v)
	if err != nil {
		return err
	}
	return a.printForReader(v)
}

// printWhole prints one value as JSON, all of it.
func (a *app) printWhole(v any) error {
	return a.page(func(w io.Writer) error { return output.WriteJSON(w, v, a.outputOptions()) })
}

// told passes on what the output could not say itself.
func (a *app) told(s output.Summary) {
	a.warn(s.Warnings)
	if n := len(s.LeftOut); n > 0 {
		were := "the columns %s were"
		if n == 1 {
			were = "the column %s was"
		}
		a.note(fmt.Sprintf(were+" left out to fit the terminal; -o csv or --json shows all", strings.Join(s.LeftOut, ", ")))
	}
	if s.Clipped > 0 {
		fit := " cut to fit the terminal"
		if !a.IO.OutTerminal {
			fit = " too long for a table and cut"
		}
		a.note(humanize.Plural(int64(s.Clipped), "cell was", "cells were") + fit + "; -o csv or --json shows all")
	}
}

// outputOptions are those of standard output.
func (a *app) outputOptions() output.Options {
	o := output.For(a.IO)
	o.WriteParquet = func(ctx context.Context, path string, rdr array.RecordReader) (int64, error) {
		work, err := a.analyst()
		if err != nil {
			return 0, err
		}
		return work.WriteParquet(ctx, path, rdr)
	}
	o.WriteWorkbook = writeWorkbook
	return o
}

// writeWorkbook writes rows as a workbook of one sheet, or more if they don't
// fit one.
func writeWorkbook(ctx context.Context, w io.Writer, rdr array.RecordReader) (warnings []string, err error) {
	done, err := xlsx.Write(ctx, w, rdr, xlsx.WriteOptions{})
	if errors.Is(err, xlsx.ErrTooWide) {
		return nil, &api.Error{Code: api.CodeUsage, Message: err.Error(), Hint: "Select fewer columns, or choose another format with -o.", Err: err}
	}
	return done.Warnings, err
}

// say says something on stderr to people and programs alike.
func (a *app) say(text string) { fmt.Fprintln(a.IO.Err, printable.Text(text)) }

// note says something to people on stderr. Programs that read JSON are spared.
func (a *app) note(text string) {
	if !a.errorsAsJSON() {
		a.say(text)
	}
}

// warn says what should not be missed, to people and programs alike.
func (a *app) warn(warnings []string) { warnOn(a.IO.Err, warnings) }

// warnNotes words notes in place and warns of them.
func (a *app) warnNotes(notes ...api.Note) { a.warn(api.Texts(wordNotes(notes))) }

func warnOn(w io.Writer, warnings []string) {
	for _, text := range warnings {
		fmt.Fprintln(w, "WARN: "+printable.Line(text))
	}
}

func (a *app) blankLine() { fmt.Fprintln(a.IO.Out) }

// progress starts a line on stderr that tells how a transfer goes on; it shows
// on terminals only.
func (a *app) progress(what string) *output.Progress {
	return output.StartProgress(a.IO.Err, output.ProgressOptions{Active: a.IO.ErrTerminal, Width: a.IO.ErrWidth, Label: what})
}

// absolute resolves a path against the working folder of this run.
func (a *app) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(a.Dir, path)
}

// executable finds the program that is running, by the way it was called.
func (a *app) executable() (string, error) {
	if path, err := exec.LookPath(a.Args0); err == nil {
		return filepath.Abs(path)
	}
	return os.Executable()
}

// joined writes a list, or what an empty one means.
func joined(items []string, empty string) string {
	if len(items) == 0 {
		return empty
	}
	return strings.Join(items, ", ")
}

// forPeople reports whether values are worded for reading: figures with units,
// ages. Formats that programs read get them raw.
func forPeople(f output.Format) bool { return f == output.Table || f == output.Markdown }

// estimateList is an estimate for people.
func estimateList(e *api.Estimate) output.List {
	list := output.List{Columns: []string{"estimate", "value"}}
	add := func(what, value string) { list.Rows = append(list.Rows, []any{what, value}) }
	known := func(n *int64, prefix string) string {
		if n == nil {
			return "unknown"
		}
		return prefix + humanize.Bytes(*n)
	}
	add("bytes to scan", known(e.ScanBytes, ""))
	add("bytes billed", known(e.BilledBytes, ""))
	add("result rows", estimatedRows(e))
	add("result bytes", known(e.ResultBytes, "about "))
	add("cost", costText(e.CostUSD))
	if e.CutBy != nil {
		add("would be cut", capText(e.CutBy))
	}
	return list
}

// estimatedRows says how many rows there will be: the number only if it is known.
func estimatedRows(e *api.Estimate) string {
	switch {
	case e.ResultRows != nil:
		return humanize.Grouped(*e.ResultRows)
	case e.RowsLow != nil && e.RowsHigh != nil && *e.RowsLow > 0:
		return humanize.Grouped(*e.RowsLow) + " to " + humanize.Grouped(*e.RowsHigh)
	case e.RowsUpperBound != nil:
		return "at most " + humanize.Grouped(*e.RowsUpperBound)
	}
	return "unknown"
}

// capText says where a cap cuts, and which key sets it.
func capText(c *api.Cap) string {
	at := humanize.Bytes(c.Limit)
	if c.Unit == "rows" {
		at = humanize.Plural(c.Limit, "row", "rows")
	}
	if !c.Certain {
		at = "probably, at " + at
	} else {
		at = "at " + at
	}
	return at + " (" + c.Key + ")"
}

// costText writes a price so that a small one does not look like none.
func costText(usd *float64) string {
	switch {
	case usd == nil:
		return "unknown"
	case *usd == 0:
		return "$0"
	case *usd < 0.0001:
		return "less than $0.0001"
	}
	return fmt.Sprintf("$%.4f", *usd)
}

// estimateLine is an estimate in one line.
func estimateLine(e *api.Estimate) string {
	parts := []string{"bytes to scan unknown", "rows unknown", "result size unknown"}
	if e.ScanBytes != nil {
		parts[0] = "reads " + humanize.Bytes(*e.ScanBytes)
	}
	if e.ResultRows != nil {
		parts[1] = humanize.Plural(*e.ResultRows, "row", "rows")
	} else if rows := estimatedRows(e); rows != "unknown" {
		parts[1] = rows + " rows"
	}
	if e.ResultBytes != nil {
		parts[2] = "about " + humanize.Bytes(*e.ResultBytes) + " as result"
	}
	if e.CutBy != nil {
		parts = append(parts, "would be cut "+capText(e.CutBy))
	}
	return strings.Join(parts, ", ")
}

// noteDialect shows how a predicate is written in the table's dialect.
func (a *app) noteDialect(s *api.TableSchema) {
	if len(s.WhereDialectHints) == 0 {
		return
	}
	a.note("in --where:")
	for _, what := range slices.Sorted(maps.Keys(s.WhereDialectHints)) {
		a.note(fmt.Sprintf("  %-17s  %s", strings.ReplaceAll(what, "_", " "), s.WhereDialectHints[what]))
	}
}

// schemaNote tells what the columns cannot: partitions, clusters, size, and how
// long ago a source that remembers was asked.
// noteDescription says what a table is, if its source or its instance does.
func (a *app) noteDescription(s *api.TableSchema) {
	if s.Description != "" {
		a.note(s.TableID + ": " + s.Description)
	}
}

func schemaNote(s *api.TableSchema, now time.Time) string {
	parts := []string{"dialect " + s.SQLFlavor}
	if s.FileFormat != "" {
		parts = append(parts, s.FileFormat+" files")
	}
	if len(s.PartitionBy) > 0 {
		parts = append(parts, "partitioned by "+strings.Join(s.PartitionBy, ", "))
	}
	if len(s.ClusteredBy) > 0 {
		parts = append(parts, "clustered by "+strings.Join(s.ClusteredBy, ", "))
	}
	switch {
	case s.RowCount != nil:
		parts = append(parts, humanize.Plural(*s.RowCount, "row", "rows"))
	case s.EstimatedRowCount != nil:
		parts = append(parts, "about "+humanize.PluralCount(*s.EstimatedRowCount, "row", "rows"))
	}
	if s.SizeBytes != nil {
		parts = append(parts, humanize.Bytes(*s.SizeBytes))
	}
	if s.AsOf != nil {
		parts = append(parts, "as of "+humanize.Age(now.Sub(*s.AsOf)))
	}
	return strings.Join(parts, "; ")
}
