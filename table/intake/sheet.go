package intake

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/table/delimited"
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
		p.Totals = rows.totals
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
	in.Table = dialect.FindTable(in.rows, in.numbers, o.NoHeader, o.HeaderLine > 0)
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
