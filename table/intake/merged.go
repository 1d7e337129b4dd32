package intake

import (
	"bytes"
	"slices"

	"github.com/agnes-data/da/table/dialect"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/xlsx"
)

// mostFills is how many merged ranges are filled; a sheet can have as many as cells.
const mostFills = 20_000

// fills gives each row of a merged range the range's text, or date: it names a group of
// rows. A number would be counted once for each row.
type fills struct {
	ranges []xlsx.Merged // that are still to come, by their first rows
	open   []openRange
	filled int64 // ranges whose text was read in more than one row
}

// Bounds on the merged ranges that name columns, and on the rows of such a header.
const (
	mostHeads    = 1000
	mostHeadRows = 8
)

// heads are merged ranges in the rows that name the columns. Only the first cell of each
// has the name, which is that of all its columns.
type heads struct {
	ranges []xlsx.Merged
	texts  [][]byte   // of the ranges that have begun
	rows   [][]string // of the sheet, with the names in all cells
}

// add keeps a row, and gives each of its cells in the ranges their names. The only text
// of a row is a title if it begins where the table does.
func (h *heads) add(row *xlsx.Row, given Range) {
	if len(h.ranges) == 0 {
		return
	}
	own := len(slices.DeleteFunc(rowStrings(row, given), func(text string) bool { return text == "" }))
	h.texts = slices.Grow(h.texts, len(h.ranges))[:len(h.ranges)]
	for i, m := range h.ranges {
		if m.FromRow == row.Number && (own > 1 || m.FromCol > max(given.FromCol, 1)) {
			if at := slices.IndexFunc(row.Cells, func(c xlsx.Cell) bool { return c.Column == m.FromCol }); at >= 0 {
				h.texts[i] = bytes.Clone(row.Bytes(row.Cells[at]))
			}
		}
		for column := m.FromCol; column <= m.ToCol && h.in(i, row.Number); column++ {
			row.Fill(column, h.texts[i])
		}
	}
	h.rows = append(h.rows, rowStrings(row, given))
}

// in reports whether a row has a name of a range.
func (h *heads) in(i, row int) bool {
	return row >= h.ranges[i].FromRow && row <= h.ranges[i].ToRow && len(h.texts[i]) > 0
}

// name makes the names of a table those that its merged ranges give: all rows of its
// header's ranges are of the header, and so are ranges of a part of the columns above it.
func (h *heads) name(t *sheetTable, o Options) {
	if len(h.ranges) == 0 || !t.Header {
		return
	}
	rows := h.rows[:len(t.rows)]
	first, end := t.Start, t.Start+t.HeaderRows
	if !o.header() {
		filled := dialect.FindTable(rows, t.numbers, false, false)
		if filled.Header && !filled.Doubt && (t.Doubt || filled.Start+filled.HeaderRows >= end) {
			t.Table = filled
			first, end = t.Start, t.Start+t.HeaderRows
		}
		for first > 0 && h.across(t.numbers[first-1]) {
			first--
		}
		for end < len(rows)-1 && end-first < mostHeadRows && !t.Doubt && h.goesOn(t.numbers[end]) {
			end++
		}
	}
	if first != t.Start || end-first != t.HeaderRows {
		t.Heads, t.Rival = 0, 0
	}
	t.Start, t.HeaderRows = first, end-first
	t.Names = dialect.JoinNames(rows[first:end], t.Left, t.Width)
}

// across reports whether a row has a name of several columns.
func (h *heads) across(row int) bool {
	for i, m := range h.ranges {
		if m.FromCol < m.ToCol && h.in(i, row) {
			return true
		}
	}
	return false
}

// goesOn reports whether a name of a row above goes on in this one.
func (h *heads) goesOn(row int) bool {
	for i, m := range h.ranges {
		if m.FromRow < row && h.in(i, row) {
			return true
		}
	}
	return false
}

// openRange is a range that the current row may be in.
type openRange struct {
	xlsx.Merged
	text []byte
	used bool
}

func newFills(ranges []xlsx.Merged) fills {
	ranges = slices.Clone(ranges)
	slices.SortFunc(ranges, func(a, b xlsx.Merged) int { return a.FromRow - b.FromRow })
	return fills{ranges: ranges}
}

// fill adds to a row what it shares with rows above it. A row that has nothing of its own
// stays empty.
func (f *fills) fill(row *xlsx.Row) {
	if len(f.ranges)+len(f.open) == 0 {
		return
	}
	f.open = slices.DeleteFunc(f.open, func(o openRange) bool { return o.ToRow < row.Number })
	own := slices.ContainsFunc(row.Cells, func(c xlsx.Cell) bool { return len(row.Bytes(c)) > 0 })
	for i := range f.open {
		if o := &f.open[i]; own && row.Fill(o.FromCol, o.text) && !o.used {
			o.used = true
			f.filled++
		}
	}
	for len(f.ranges) > 0 && f.ranges[0].FromRow <= row.Number {
		m := f.ranges[0]
		f.ranges = f.ranges[1:]
		at := slices.IndexFunc(row.Cells, func(c xlsx.Cell) bool { return c.Column == m.FromCol })
		if m.FromRow != row.Number || at < 0 {
			continue
		}
		c := row.Cells[at]
		if text := row.Bytes(c); len(text) > 0 && (c.Text || infer.LookAt(text) == infer.LooksDate) {
			f.open = append(f.open, openRange{m, bytes.Clone(text), false})
		}
	}
}
