package intake

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/xlsx"
)

// sheetRows starts reading the records that p describes.
func (f *File) sheetRows(ctx context.Context, p *Profile) (Rows, func() error, error) {
	w, err := xlsx.Open(ctxReaderAt{ctx, f.file}, f.Info.Size())
	if err != nil {
		return nil, nil, err
	}
	i, err := chooseSheet(w, p.Sheet)
	if err != nil {
		return nil, nil, err
	}
	rows, err := newSheetRows(w, i, p, p.Dialect.Columns)
	if err != nil {
		return nil, nil, err
	}
	return rows, rows.close, nil
}

// sheetRows yields the rows of a sheet as records of at least n fields.
type sheetRows struct {
	sheet    *xlsx.Sheet
	r        Range
	n        int
	index    int64
	over     bool // the rows of the range have been read
	row      xlsx.Row
	leftmost int // column of the leftmost cell seen
	unvalued int64
	valued   []int64 // formulas with values, by column
	hidden   int64
	// subtotals counts the rows with a formula of sums of those above.
	subtotals int64
	never     int64         // cells formatted as dates or times whose numbers are not valid ones
	merged    int64         // ranges over several rows of the table
	ranges    []xlsx.Merged // the first of them
	named     []xlsx.Merged // ranges in the header, and above it
	fills     fills
	declared  []int      // rows of totals that the file declares
	totals    []int      // those that were left out
	heads     [][][]byte // the rows that name the columns
	repeated  int        // how many of them are left out where they are repeated
}

func newSheetRows(w *xlsx.Workbook, i int, p *Profile, n int) (*sheetRows, error) {
	s, err := w.Sheet(i)
	if err != nil {
		return nil, err
	}
	rows := &sheetRows{sheet: s, r: p.Range, n: n, valued: make([]int64, n), repeated: p.Dialect.Heads, fills: newFills(p.Fills),
		declared: p.Totals}
	from := max(p.Range.FromCol, 1)
	s.OnMerged = func(m xlsx.Merged) {
		if m.FromRow < p.Range.FromRow+max(p.HeaderRows, 1) && p.Header && m.FromCol < from+n && len(rows.named) < mostHeads {
			m.ToCol = min(m.ToCol, from+n-1)
			rows.named = append(rows.named, m)
		}
		first := p.Range.FromRow + p.HeaderRows
		if p.Range.ToRow > 0 {
			m.ToRow = min(m.ToRow, p.Range.ToRow)
		}
		if m.FromRow < m.ToRow && m.ToRow >= first && m.ToCol >= from && m.FromCol < from+n {
			if rows.merged++; m.FromRow >= first && m.FromCol >= from && len(rows.ranges) < mostFills {
				rows.ranges = append(rows.ranges, m)
			}
		}
	}
	return rows, nil
}

func (s *sheetRows) close() error { return s.sheet.Close() }

// Next implements Rows.
func (s *sheetRows) Next(b *delimited.Batch) error {
	const enough = 512 << 10 // bytes, and fields: those of a sparse sheet are empty
	b.Reset(s.index)
	for b.Size() < enough && b.Fields() < enough && b.Len() < 16<<10 {
		err := io.EOF
		if !s.over {
			err = s.sheet.Next(&s.row)
		}
		if err == nil && s.r.ToRow > 0 && s.row.Number > s.r.ToRow {
			s.sheet.End()
			s.over, err = true, io.EOF
		}
		if errors.Is(err, io.EOF) && b.Len() > 0 {
			break
		}
		if err != nil {
			return err
		}
		s.fills.fill(&s.row)
		if s.row.Number >= s.r.FromRow && slices.Contains(s.declared, s.row.Number) {
			s.totals = append(s.totals, s.row.Number)
			continue
		}
		if before := b.Len(); s.row.Number >= s.r.FromRow && s.put(b) {
			b.EndRecord(int64(s.row.Number))
			if s.heads = b.DropHead(s.heads, s.repeated); b.Len() > before {
				s.index++
			}
			if s.row.Hidden {
				s.hidden++
			}
			if slices.ContainsFunc(s.row.Formulas, func(f xlsx.Formula) bool { return f.Subtotal }) {
				s.subtotals++
			}
		}
	}
	return nil
}

// put adds the fields of the current row; a row without any is left out.
func (s *sheetRows) put(b *delimited.Batch) bool {
	from := max(s.r.FromCol, 1)
	next, filled := from, 0
	for _, f := range s.row.Formulas {
		switch at := f.Column - from; {
		case at < 0 || at >= s.n:
		case f.Valued:
			s.valued[at]++
		default:
			s.unvalued++
		}
	}
	for _, c := range s.row.Cells {
		text := s.row.Bytes(c)
		if s.r.ToCol > 0 && c.Column > s.r.ToCol {
			break
		}
		if len(text) > 0 && (s.leftmost == 0 || c.Column < s.leftmost) {
			s.leftmost = c.Column
		}
		if c.Column < from {
			continue
		}
		if len(text) == 0 && c.Column-from >= s.n {
			continue
		}
		for ; next < c.Column; next++ {
			b.Append(nil, false)
		}
		b.Append(text, c.Text)
		next++
		if c.Never {
			s.never++
		}
		if len(text) > 0 || c.Text {
			filled++ // an empty text is more than a missing cell
		}
	}
	if filled == 0 {
		b.Undo()
		return false
	}
	if filled == 1 && next == from+1 && s.n > 1 {
		return true // possibly a remark below the table
	}
	for ; next < from+s.n; next++ {
		b.Append(nil, false)
	}
	return true
}
