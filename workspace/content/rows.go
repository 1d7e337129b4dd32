package content

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/docx"
	"github.com/agnes-data/da/workspace"
)

// RowsFile writes a file with rows below dir: either the workspace file itself,
// or a table of a document as CSV. table counts from 0; nil selects the only
// table. It returns the path and the name of the workspace's file.
func RowsFile(ctx context.Context, w *workspace.Workspace, ref string, table *int, dir string) (path, name string, err error) {
	if isApart(ctx, w, ref) {
		out, err := Elsewhere[rowsOut](ctx, w, jobRows, rowsIn{ref, table, dir})
		return out.Path, out.Name, err
	}
	c, err := w.Open(ctx, ref)
	if err != nil {
		return "", "", err
	}
	defer c.Close()
	kind := KindOf(c.Of)
	switch {
	case kind == Slides || kind == Image:
		return "", "", &api.Error{Code: api.CodeValidation, Kind: api.KindWrongKind,
			Message: fmt.Sprintf("'%s' has no rows that can be imported", c.Of.Name),
			Hint:    "Rows come from workbooks, CSV, JSON and parquet files, and tables of documents and PDF pages."}
	case table != nil && kind != Doc && kind != PDF:
		return "", "", &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("tables are chosen in documents, and '%s' is of the type %s",
			c.Of.Name, c.Of.MIMEType), Hint: "In a workbook choose a sheet and a range."}
	}
	name = c.Of.Name
	base := filepath.Base(name)
	if kind == Doc {
		base += ".csv"
	}
	if kind == Doc {
		leave, err := w.Enter(ctx)
		if err != nil {
			return "", "", err
		}
		defer leave()
	}
	path = filepath.Join(dir, base)
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", "", fmt.Errorf("copy '%s' to read it: %w", name, err)
	}
	if kind == Doc {
		err = wrap(c, writeTable(c, table, file))
	} else {
		_, err = io.Copy(file, c)
	}
	if closed := file.Close(); err == nil {
		err = closed
	}
	return path, name, err
}

// Renamed returns an error about the copy at path as one about the workspace's file,
// without the steps that name the copy, which is gone by then.
func Renamed(err error, path, name string) error {
	var e *api.Error
	if !errors.As(err, &e) || !strings.Contains(e.Message, path) {
		return err
	}
	said := *e
	said.Message = strings.ReplaceAll(e.Message, path, "'"+name+"'")
	said.Details = maps.Clone(e.Details)
	delete(said.Details, "path")
	said.Next = slices.DeleteFunc(slices.Clone(e.Next), func(s api.Step) bool { return s.Args["path"] == path })
	return &said
}

// writeTable writes a table of a document as CSV.
func writeTable(c *workspace.Content, table *int, to io.Writer) error {
	doc, err := docx.Open(c, c.Of.Size)
	if err != nil {
		return err
	}
	outline, err := doc.Outline()
	if err != nil {
		return err
	}
	index := 0
	switch {
	case len(outline.Tables) == 0:
		return &api.Error{Code: api.CodeValidation, Kind: api.KindNoTable, Message: "it has no table"}
	case table != nil:
		index = *table
	case len(outline.Tables) > 1:
		var heads []string
		for _, t := range outline.Tables {
			heads = append(heads, fmt.Sprintf("%d (%s)", t.Index, api.Clip(strings.Join(t.Header, ", "), 60)))
		}
		return &api.Error{Code: api.CodeValidation, Kind: api.KindWhichTable, Message: fmt.Sprintf("it has %d tables", len(heads)),
			Hint: "Choose one by its index: " + api.Clip(strings.Join(heads, "; "), 600) + "."}
	}
	rows, err := doc.Cells(index)
	if err != nil {
		return err
	}
	return csv.NewWriter(to).WriteAll(rows)
}
