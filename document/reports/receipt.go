package reports

import (
	"bytes"
	"context"
	"io"
	"time"

	"github.com/agnes-data/da/document/figures"
)

// receipt is being made while a template is filled.
type receipt struct {
	format  string
	earlier []figures.Receipt
	now     figures.Receipt
	// marked is the template filled a second time, with marks around the values: where
	// these come to stand is read from it. nil for a workbook, whose cells are known.
	marked template
}

func newReceipt(ctx context.Context, format string, r io.ReaderAt, size int64, at time.Time) (*receipt, error) {
	out := &receipt{format: format, now: figures.Receipt{Format: figures.Format, At: at.UTC()}}
	var err error
	if out.earlier, err = figures.Receipts(ctx, format, r, size); err != nil {
		return nil, err
	}
	if format != ".xlsx" {
		out.marked, _, err = open(format, r, size)
	}
	return out, err
}

// note adds what a placeholder was answered.
func (r *receipt) note(i int, p Placeholder, rows *Rows, drawing *Drawing) error {
	if rows == nil {
		r.now.Note(drawing.Noted(p.Statement), nil)
		if r.marked != nil {
			return r.marked.put(i, p, nil, drawing.png())
		}
		return nil
	}
	r.now.Note(rows.Noted(p.Statement), rows.Values)
	if r.marked == nil {
		return nil
	}
	return r.marked.put(i, p, rows.Marked(i), nil)
}

// finish returns all receipts of the file.
func (r *receipt) finish(ctx context.Context) ([]figures.Receipt, error) {
	if r.marked != nil {
		var filled bytes.Buffer
		if _, err := r.marked.write(&filled, nil); err != nil {
			return nil, err
		}
		blocks, err := figures.Blocks(ctx, r.format, bytes.NewReader(filled.Bytes()), int64(filled.Len()))
		if err != nil {
			return nil, err
		}
		r.now.Text = figures.Where(blocks)
	}
	return append(r.earlier, r.now), nil
}
