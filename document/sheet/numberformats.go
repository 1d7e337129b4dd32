package sheet

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
)

// NumberFormat is how numbers and dates of some cells are shown. Range has all of them.
type NumberFormat struct {
	Format string `json:"number_format"`
	Cells  int    `json:"cells"`
	Range  string `json:"range"`
}

const (
	mostListed    = 20     // number formats, and merged ranges, of a sheet
	formattedRows = 10_000 // whose number formats are looked at
)

// numberFormats lists those of a sheet's cells that have content, the most used first.
func (b *Book) numberFormats(s *sheetPart) ([]NumberFormat, error) {
	if s.chart {
		return nil, nil
	}
	if part, err := b.pkg.Related(b.main, "styles"); err != nil || part == "" {
		return nil, err
	}
	all, err := b.styleTable()
	if err != nil {
		return nil, err
	}
	cells, areas := map[int]int{}, map[int]area{}
	err = b.eachRow(s, func(r row) (bool, error) {
		_, row, err := r.split(s.part)
		for _, c := range row {
			if style, err := strconv.Atoi(c.tag.Get("s")); err == nil && style > 0 && !c.tag.Empty() {
				cells[style]++
				areas[style] = areas[style].extended(cell{r.number, c.col})
			}
		}
		return r.number < formattedRows, err
	})
	byCode := map[string]NumberFormat{}
	whole := map[string]area{}
	for style, n := range cells {
		code := all.describe(style).Number
		if code == "" || code == "General" {
			continue
		}
		a := areas[style]
		whole[code] = whole[code].extended(a.from).extended(a.to)
		byCode[code] = NumberFormat{code, byCode[code].Cells + n, whole[code].String()}
	}
	out := slices.SortedFunc(maps.Values(byCode), func(x, y NumberFormat) int {
		return cmp.Or(cmp.Compare(y.Cells, x.Cells), cmp.Compare(x.Format, y.Format))
	})
	return out[:min(len(out), mostListed)], err
}
