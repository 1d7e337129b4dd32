package query

import (
	"context"
	"io"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/table/xlsx"
)

// receipt is that of the results in a workbook.
type receipt struct{ figures.Receipt }

func newReceipt(now time.Time) *receipt {
	return &receipt{figures.Receipt{Format: figures.Format, At: now.UTC()}}
}

// add writes a result into a workbook, and notes it.
func (r *receipt) add(ctx context.Context, book *xlsx.Book, rows api.Rows, name string, q *Queried) ([]api.Caveat, error) {
	seen := &seenRows{Rows: rows}
	done, err := app.AddSheet(ctx, book, seen, name)
	if err != nil {
		return done.Caveats, err
	}
	a := figures.Answer{Statement: q.about.SQL, Caveats: api.Arranged(rows.Caveats()), Asked: q.asked()}
	for _, f := range rows.Schema().Fields() {
		a.Columns = append(a.Columns, f.Name)
	}
	if n := int(done.Rows); n == len(seen.values) && n > 0 {
		cells, err := xlsx.Cells(2, 1, n, len(a.Columns))
		if err != nil {
			return nil, err
		}
		a.Area = &figures.Area{Name: done.Table, Sheet: done.Sheets[0], Range: cells}
	}
	r.Note(a, seen.values)
	r.Answers[len(r.Answers)-1].Rows = int(done.Rows)
	return done.Caveats, nil
}

// into stores the receipt.
func (r *receipt) into(book *xlsx.Book) error {
	text, err := figures.Encode([]figures.Receipt{r.Receipt})
	if err != nil || len(r.Answers) == 0 {
		return err
	}
	return book.Keep(figures.Property, text)
}

// workbook writes a result as a workbook with a receipt.
func (q *Queried) workbook(now time.Time) func(context.Context, io.Writer, api.Rows) ([]api.Caveat, error) {
	return func(ctx context.Context, w io.Writer, rows api.Rows) ([]api.Caveat, error) {
		book := xlsx.NewBook(w)
		defer book.Abort()
		note := newReceipt(now)
		more, err := note.add(ctx, book, rows, "", q)
		if err != nil {
			return nil, err
		}
		if err := note.into(book); err != nil {
			return nil, err
		}
		return more, book.Close()
	}
}

// asked is what a receipt says of a running statement.
func (q *Queried) asked() figures.Asked {
	out := figures.Asked{Parameters: q.given, Remote: q.about.Server != ""}
	for _, in := range q.inputs {
		out.Sources = append(out.Sources, figures.Source(in))
	}
	return out
}

// seenRows keeps the values of rows that pass, unless they are too many for a receipt.
type seenRows struct {
	api.Rows
	values [][]any
	over   bool
}

// Next implements array.RecordReader.
func (s *seenRows) Next() bool {
	if !s.Rows.Next() {
		return false
	}
	batch := s.RecordBatch()
	s.over = s.over || (int64(len(s.values))+batch.NumRows())*batch.NumCols() > figures.MostCells
	if s.over {
		s.values = nil
		return true
	}
	s.values = append(s.values, reports.Values(batch)...)
	return true
}
