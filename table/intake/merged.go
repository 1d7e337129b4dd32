package intake

import (
	"bytes"
	"slices"

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
