package content

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/document/sheet"
)

// receipts are those of a file, and at the end one of the result that is put into it.
func (out *Added) receipts(ctx context.Context, format string, old io.ReaderAt, size int64, r Result) ([]figures.Receipt, error) {
	all, err := figures.Receipts(ctx, format, old, size)
	if err != nil {
		return nil, err
	}
	now := figures.Receipt{Format: figures.Format, At: out.now}
	if r.Rows == nil {
		now.Note(r.Drawing.Noted(r.SQL), nil)
	} else {
		now.Note(r.Rows.Noted(r.SQL), r.Rows.Values)
	}
	return append(all, now), nil
}

// noteCells is the receipt of a result in a sheet, and the names that it has there. A
// header is above the rows.
func (out *Added) noteCells(ctx context.Context, old io.ReaderAt, size int64, r Result, name,
	start string) (string, map[string]string, error) {
	all, err := out.receipts(ctx, ".xlsx", old, size, r)
	if err != nil {
		return "", nil, err
	}
	at := &figures.Area{Name: fmt.Sprintf("_da.%d.1", len(all)), Sheet: name, Range: start}
	all[len(all)-1].Answers[0].Area = at
	names := map[string]string{}
	if r.Rows != nil && len(r.Rows.Values) > 0 {
		first, err := sheet.Shifted(start, 1, 0)
		if err != nil {
			return "", nil, err
		}
		last, err := sheet.Shifted(start, len(r.Rows.Values), len(r.Rows.Columns)-1)
		if err != nil {
			return "", nil, err
		}
		at.Range = first + ":" + last
		if names[at.Name], err = sheet.Located(name, at.Range); err != nil {
			return "", nil, err
		}
	}
	text, err := figures.Encode(all)
	return text, names, err
}

// noted puts a result with its receipt into a text. put writes the file with rows,
// twice: first with marks around the values, to see where they come to stand.
func noted[Report any](ctx context.Context, out *Added, format string, old io.ReaderAt, size int64, to io.Writer, r Result,
	put func(w io.Writer, rows *reports.Rows, receipt string) (*Report, error)) (*Report, error) {
	if r.Plain {
		return put(to, r.Rows, "")
	}
	all, err := out.receipts(ctx, format, old, size, r)
	if err != nil {
		return nil, err
	}
	if r.Rows != nil {
		var marked bytes.Buffer
		if _, err := put(&marked, r.Rows.Marked(0), ""); err != nil {
			return nil, err
		}
		blocks, err := figures.Blocks(ctx, format, bytes.NewReader(marked.Bytes()), int64(marked.Len()))
		if err != nil {
			return nil, err
		}
		all[len(all)-1].Text = figures.Where(blocks)
	}
	receipt, err := figures.Encode(all)
	if err != nil {
		return nil, err
	}
	return put(to, r.Rows, receipt)
}
