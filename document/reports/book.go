package reports

import (
	"context"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/figures"
	"github.com/agnes-data/da/table/xlsx"
)

// Receipt is that of the results in a workbook that is being written.
type Receipt struct{ figures.Receipt }

// NewReceipt begins the receipt of a new workbook.
func NewReceipt(at time.Time) *Receipt {
	if !at.IsZero() {
		at = at.UTC()
	}
	return &Receipt{figures.Receipt{Format: figures.Format, At: at}}
}

// Add writes a result into a sheet of the workbook, and notes it as that of a statement.
func (r *Receipt) Add(ctx context.Context, book *xlsx.Book, rows api.Rows, sheet string, a figures.Answer) (xlsx.Written, error) {
	seen := &seenRows{Rows: rows}
	done, err := book.Add(ctx, seen, xlsx.WriteOptions{Sheet: sheet})
	if err != nil {
		return done, err
	}
	a.Caveats = api.Arranged(rows.Caveats())
	for _, f := range rows.Schema().Fields() {
		a.Columns = append(a.Columns, f.Name)
	}
	if n := int(done.Rows); n == len(seen.values) && n > 0 {
		cells, err := xlsx.Cells(2, 1, n, len(a.Columns))
		if err != nil {
			return done, err
		}
		a.Area = &figures.Area{Name: done.Table, Sheet: done.Sheets[0], Range: cells}
	}
	r.Note(a, seen.values)
	r.Answers[len(r.Answers)-1].Rows = int(done.Rows)
	return done, nil
}

// Into stores the receipt.
func (r *Receipt) Into(book *xlsx.Book) error {
	text, err := figures.Encode([]figures.Receipt{r.Receipt})
	if err != nil || len(r.Answers) == 0 {
		return err
	}
	return book.Keep(figures.Property, text)
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
	s.values = append(s.values, Values(batch)...)
	return true
}
