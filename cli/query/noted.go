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

// addSheet writes a result into a workbook, and notes it.
func addSheet(ctx context.Context, note *reports.Receipt, book *xlsx.Book, rows api.Rows, name string, q *Queried) ([]api.Caveat, error) {
	done, err := note.Add(ctx, book, rows, name, figures.Answer{Statement: q.about.SQL, Asked: q.asked()})
	return done.Caveats, app.OfSheet(err)
}

// workbook writes a result as a workbook with a receipt.
func (q *Queried) workbook(now time.Time) func(context.Context, io.Writer, api.Rows) ([]api.Caveat, error) {
	return func(ctx context.Context, w io.Writer, rows api.Rows) ([]api.Caveat, error) {
		book := xlsx.NewBook(w)
		defer book.Abort()
		note := reports.NewReceipt(now)
		more, err := addSheet(ctx, note, book, rows, "", q)
		if err != nil {
			return nil, err
		}
		if err := note.Into(book); err != nil {
			return nil, err
		}
		return more, book.Close()
	}
}

// asked is what a receipt says of a running statement.
func (q *Queried) asked() figures.Asked {
	out := figures.Asked{Parameters: q.given, Remote: q.about.Server != ""}
	for _, in := range q.inputs {
		out.Sources = append(out.Sources, figures.Source(in.Origin))
	}
	return out
}
