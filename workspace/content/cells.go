package content

import (
	"bytes"
	"context"
	"encoding/json"
	"path"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table"
	"github.com/agnes-data/da/table/intake"
	"github.com/agnes-data/da/workspace"
)

// cellBytes is the least that a cell takes in an answer.
const cellBytes = 5

// Cells opens a workbook of the workspace for run, or delimited text as one. Errors name
// the file.
func Cells(ctx context.Context, w *workspace.Workspace, ref string, run func(sheet.Cells) error) error {
	c, err := w.Open(ctx, ref)
	if err != nil {
		return err
	}
	defer c.Close()
	got := KindOf(c.Of)
	lined := got == Text && format.Of(c.Of.Name).Kind == format.Text
	if got != Sheet && !lined {
		return unread(c.Of, got)
	}
	leave, err := w.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	if lined {
		return wrap(c, delimited(ctx, c, run))
	}
	b, err := sheet.Open(c, c.Of.Size)
	if err == nil {
		err = run(b)
	}
	return wrap(c, err)
}

// delimited reads the rows of a text for run as package table reads them, from the
// start of the file each time: nothing of it is kept.
func delimited(ctx context.Context, c *workspace.Content, run func(sheet.Cells) error) error {
	base := path.Base(c.Of.Name)
	f, err := intake.OpenFile(base, c.File)
	if err != nil {
		return err
	}
	defer f.Close()
	if f.Kind != format.Text {
		return unread(c.Of, Text)
	}
	p, err := f.Profile(ctx, intake.Options{})
	if err != nil {
		return err
	}
	l := &sheet.Lines{Name: strings.TrimSuffix(base, path.Ext(base)), Rows: int(p.Rows), Columns: len(p.Columns), Caveats: table.Caveats(p)}
	var names []any
	if p.Header {
		l.Rows++
		for _, column := range p.Columns {
			names = append(names, column.Name)
		}
	}
	l.Each = func(from, to int, run func(values []any) bool) error {
		if names != nil {
			if from == 1 && !run(names) {
				return nil
			}
			from, to = max(from-1, 1), to-1
		}
		rows, err := f.Load(ctx, p)
		if err != nil {
			return err
		}
		defer rows.Release()
		for before := 0; before < to && rows.Next(); before += int(rows.RecordBatch().NumRows()) {
			columns := arrowjson.BindBatch(rows.RecordBatch())
			for i := max(from-1-before, 0); i < min(to-before, int(rows.RecordBatch().NumRows())); i++ {
				if !run(cellsOf(columns, i)) {
					return nil
				}
			}
		}
		return rows.Err()
	}
	return run(l)
}

// cellsOf are the values of a row as those of a sheet: numbers keep all their digits.
func cellsOf(columns []*arrowjson.Column, row int) []any {
	out := make([]any, len(columns))
	for i, c := range columns {
		d := json.NewDecoder(bytes.NewReader(c.AppendJSON(nil, row)))
		d.UseNumber()
		if err := d.Decode(&out[i]); err != nil { // a value of JSON that is nested too deeply
			text, _ := c.AppendText(nil, row)
			out[i] = string(text)
		}
		if n, ok := out[i].(json.Number); ok {
			out[i] = json.Number(strings.TrimSuffix(n.String(), ".0"))
		}
	}
	return out
}

// unread refuses to read cells of a file that is no workbook. For a text it suggests
// reading lines.
func unread(f workspace.File, got Kind) error {
	err := wrongKind(f, got, Sheet)
	if got == Text {
		err.Hint = "It has no cells: read its lines as text."
		err.Next = []api.Step{api.Do(api.ActionReadFile, "read its lines", "file", f.Name)}
	}
	return err
}

// ReadRange reads cells of a workbook, as many rows as fit into about maxBytes of an
// answer, and one at least.
func ReadRange(b sheet.Cells, name, ref string, maxBytes int) (*sheet.Values, error) {
	v, err := b.ReadRange(name, ref, max(maxBytes/cellBytes, 1))
	if err == nil {
		v.Fit(maxBytes)
	}
	return v, err
}

func readCells(c *workspace.Content, req ReadRequest) (*sheet.Values, error) {
	b, err := sheet.Open(c, c.Of.Size)
	if err != nil {
		return nil, err
	}
	return ReadRange(b, req.Sheet, req.Range, req.MaxBytes)
}
