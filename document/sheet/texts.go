package sheet

import (
	"slices"
	"time"

	"github.com/agnes-data/da/table/xlsx"
)

// EachText calls f with each cell that contains a text, sheet by sheet and row by
// row.
func (b *Book) EachText(f func(sheet, cell, text string)) error {
	for _, s := range b.sheets {
		if s.chart {
			continue
		}
		err := b.eachFilledRow(s, func(number int, values []any, _ []xlsx.Formula) bool {
			for i, v := range values {
				if text, ok := v.(string); ok && text != "" {
					f(s.name, cellAt(number, i+1), text)
				}
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func cellAt(row, col int) string { return cell{row, col}.String() }

// Shifted is the name of the cell so many rows below and columns right of one.
func Shifted(ref string, rows, columns int) (string, error) {
	c, err := cellOf(ref)
	return cellAt(c.row+rows, c.col+columns), err
}

// IsDate reports whether a text can be written as a date or time.
func IsDate(text string) bool {
	return slices.ContainsFunc(layouts(), func(layout string) bool {
		t, err := time.Parse(layout, text)
		return err == nil && (t.Year() == 0 || t.Year() >= 1904 && t.Year() <= 9999)
	})
}
