package content

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/sheet"
	"github.com/agnes-data/da/workspace"
)

// cellBytes is the least that a cell takes in an answer.
const cellBytes = 5

// Workbook opens a workbook of the workspace for run. Errors name the file.
func Workbook(ctx context.Context, w *workspace.Workspace, ref string, run func(*sheet.Book) error) error {
	c, err := w.Open(ctx, ref)
	if err != nil {
		return err
	}
	defer c.Close()
	if got := KindOf(c.Of); got != Sheet {
		return unread(c.Of, got)
	}
	leave, err := w.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	b, err := sheet.Open(c, c.Of.Size)
	if err == nil {
		err = run(b)
	}
	return wrap(c, err)
}

// unread refuses to read cells of a file that is no workbook. For a text it suggests
// reading lines.
func unread(f workspace.File, got Kind) error {
	err := wrongKind(f, got, Sheet)
	if got == Text {
		err.Hint = "A CSV file has no cells: read its lines as text, or import its rows to query them."
		err.Next = append([]api.Step{api.Do(api.ActionReadFile, "read its lines", "file", f.Name)}, err.Next...)
	}
	return err
}

// ReadRange reads cells of a workbook, as many rows as fit into about maxBytes of an
// answer, and one at least.
func ReadRange(b *sheet.Book, name, ref string, maxBytes int) (*sheet.Values, error) {
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
