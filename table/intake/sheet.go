package intake

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/dialect"
	"github.com/agnes-data/da/table/xlsx"
)

// How much of a sheet is examined to find the table.
const (
	sheetSample = 500     // rows
	sheetCells  = 500_000 // their cells, including empty ones
	sheetText   = 8 << 20 // bytes of their cells
)

// listSheets notes the sheets of the workbook, and which of them are hidden.
func (p *Profile) listSheets(w *xlsx.Workbook) {
	for _, s := range w.Sheets {
		p.Sheets = append(p.Sheets, s.Name)
		if s.Hidden {
			p.Hidden = append(p.Hidden, s.Name)
		}
	}
}

// profileSheet profiles one sheet of a workbook.
func (f *File) profileSheet(ctx context.Context, o Options) (*Profile, error) {
	p := &Profile{Kind: format.Sheet, Format: "xlsx"}
	var err error
	if p.Hash, err = f.Hash(ctx); err != nil {
		return nil, err
	}
	w, err := xlsx.Open(ctxReaderAt{ctx, f.file}, f.Info.Size())
	if err != nil {
		return nil, err
	}
	i, err := chooseSheet(w, o.Sheet)
	if err != nil {
		return nil, err
	}
	p.listSheets(w)
	p.Sheet, p.Dates1904 = w.Sheets[i].Name, w.Dates1904
	p.Told = w.Told(p.Sheet)
	if o.Sheet == "" {
		p.Others = otherSheets(w, i, false)
	}
	if p.Range, err = parseRange(o.Range); err != nil {
		return nil, err
	}
	given := p.Range
	names, n, err := f.findTable(w, i, p, o, heads{})
	if err != nil || n == 0 {
		if o.Sheet == "" { // then hidden ones are what there is
			p.Others = otherSheets(w, i, true)
		}
		return p, err
	}
	if o.Range == "" {
		if p.Totals, err = w.Totals(i); err != nil {
			return nil, err
		}
	}
	for named := false; ; {
		rows, err := newSheetRows(w, i, p, n)
		if err != nil {
			return nil, err
		}
		e := newEvidence(n, names, p.HeaderRows)
		e.sheet, e.whole = true, o.Range != ""
		err = eachBatch(ctx, rows, e.add)
		rows.close()
		if err != nil {
			return nil, err
		}
		if !named && len(rows.named) > 0 { // known only now, and part of the header
			p.Range = given
			if names, n, err = f.findTable(w, i, p, o, heads{ranges: rows.named}); err != nil {
				return nil, err
			}
			named = true
			continue
		}
		if left := rows.leftmost; o.Range == "" && left > 0 && left < p.Range.FromCol {
			// There is something left of where the table seemed to start.
			shift := p.Range.FromCol - left
			names = append(make([]string, shift), names...)
			n, p.Range.FromCol = n+shift, left
			continue
		}
		if len(p.Fills) == 0 && len(rows.ranges) > 0 {
			p.Fills = rows.ranges // known only now, and needed from the first row on
			continue
		}
		if o.Range != "" {
			e.flush() // a given range is read completely
		}
		p.Footer, p.Unvalued, p.HiddenRows = e.finish(), rows.unvalued, rows.hidden
		p.Another = e.another
		p.Subtotals, p.Filled, p.Merged = rows.subtotals, rows.fills.filled, rows.merged-rows.fills.filled
		p.Totals, p.Never = rows.totals, rows.never
		p.Dialect.Columns = n
		if err := p.settle(e, names, o); err != nil {
			return nil, err
		}
		if w.Stale {
			p.Stale = rows.stale(p.Columns)
		}
		return p, nil
	}
}

// findTable finds in the first rows of a sheet where the table starts. It sets
// range and header, and returns the header's cells and the number of columns.
func (f *File) findTable(w *xlsx.Workbook, sheet int, p *Profile, o Options, h heads) (names []string, n int, err error) {
	s, err := w.Sheet(sheet)
	if err != nil {
		return nil, 0, err
	}
	defer s.Close()
	given := p.Range
	p.Preamble = nil
	var in, all sheetTable // the rows of the range, and those of the sheet
	var row xlsx.Row
	above, last := 0, 0 // the rows directly above the range
	for !in.full() {
		if err := s.Next(&row); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, 0, err
		}
		if o.Range != "" {
			cells := rowStrings(&row, Range{})
			all.add(cells, row.Number)
			if len(cells) > 0 && row.Number < given.FromRow {
				if row.Number != last+1 {
					above = row.Number
				}
				last = row.Number
			}
		}
		cells := rowStrings(&row, given)
		if len(cells) == 0 || row.Number < max(given.FromRow, o.HeaderLine) || given.ToRow > 0 && row.Number > given.ToRow {
			continue
		}
		in.add(cells, row.Number)
		h.add(&row, given)
	}
	in.Table = dialect.FindTable(in.rows, in.numbers, o.NoHeader, o.header())
	if o.HeaderLine > 0 && (len(in.rows) == 0 || in.numbers[0] != o.HeaderLine) {
		return nil, 0, noHeaderLine(o.HeaderLine)
	}
	if len(in.rows) == 0 {
		return nil, 0, nil
	}
	h.name(&in, o)
	base := max(given.FromCol, 1)
	if o.Range != "" && !o.NoHeader && o.HeaderLine == 0 {
		all.Table = dialect.FindTable(all.rows, all.numbers, false, false)
		head := in.within(&all, given, base)
		if head > 0 && head < given.FromRow && last == given.FromRow-1 && above <= head {
			p.Above = int64(head)
		}
	}
	for _, r := range in.rows[:in.Start] {
		p.Preamble = append(p.Preamble, strings.TrimSpace(strings.Join(r, " ")))
	}
	p.Before = len(p.Preamble)
	p.Range.FromRow = in.numbers[in.Start]
	p.Range.FromCol = base + in.Left
	p.Header, p.HeaderRows, p.Doubt, p.Dialect.Heads = in.Header, in.HeaderRows, in.Doubt, in.Heads
	if p.HeaderLine = int64(in.numbers[in.Start]); in.Rival > 0 {
		p.Rival = int64(in.numbers[in.Rival])
	}
	return in.Names, in.Width, nil
}

// sheetTable is a table among rows of a sheet, the empty ones aside.
type sheetTable struct {
	dialect.Table
	rows    [][]string
	numbers []int // of rows, in the sheet
	cells   int
	text    int // bytes
}

// full says that the rows are as many as are examined.
func (t *sheetTable) full() bool {
	return len(t.rows) >= sheetSample || t.cells >= sheetCells || t.text >= sheetText
}

// add keeps a row if it has cells and is among the first of its sheet.
func (t *sheetTable) add(cells []string, number int) {
	if len(cells) == 0 || t.full() {
		return
	}
	for _, c := range cells {
		t.text += len(c)
	}
	t.rows, t.numbers, t.cells = append(t.rows, cells), append(t.numbers, number), t.cells+len(cells)
}

// within makes a range's columns have the names that they have in the table of
// the whole sheet, if the range has all rows of its header: a few columns or rows
// of a table do not show what its header is. It returns the row in which that
// header begins, or 0 if the sheet has no header over these columns.
func (t *sheetTable) within(all *sheetTable, given Range, base int) int {
	if !all.Header {
		return 0
	}
	first, end := all.numbers[all.Start], all.numbers[all.Start+all.HeaderRows-1]
	start, rows := 0, 0
	for _, number := range t.numbers {
		if number < first {
			start++
		} else if number <= end {
			rows++
		}
	}
	width := 0
	for _, r := range t.rows[min(start, len(t.rows)-1):] {
		width = max(width, len(r)-t.Left)
	}
	names := make([]string, width)
	for j := range names {
		if k := base + t.Left + j - 1 - all.Left; k >= 0 && k < len(all.Names) {
			names[j] = all.Names[k]
		}
	}
	if strings.Join(names, "") == "" {
		return 0
	}
	another := t.Header && (t.numbers[t.Start] < first || t.numbers[t.Start] > end || t.HeaderRows > rows)
	if given.FromRow <= first && (given.ToRow == 0 || given.ToRow >= end) && rows > 0 && !another {
		t.Table = dialect.Table{Start: start, Left: t.Left, Width: width, Header: true, HeaderRows: rows, Names: names}
	}
	return first
}
