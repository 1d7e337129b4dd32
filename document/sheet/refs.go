package sheet

import (
	"strconv"
	"strings"

	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/table/xlsx"
)

// cell is a place in a sheet; both count from 1.
type cell struct{ row, col int }

// area is a range of cells, its corners included.
type area struct{ from, to cell }

func (a area) contains(c cell) bool {
	return c.row >= a.from.row && c.row <= a.to.row && c.col >= a.from.col && c.col <= a.to.col
}

func (a area) overlaps(b area) bool {
	return a.from.row <= b.to.row && b.from.row <= a.to.row && a.from.col <= b.to.col && b.from.col <= a.to.col
}

// extended is the area grown to a cell.
func (a area) extended(c cell) area {
	if a.from == (cell{}) {
		return area{c, c}
	}
	return area{cell{min(a.from.row, c.row), min(a.from.col, c.col)}, cell{max(a.to.row, c.row), max(a.to.col, c.col)}}
}

func (a area) rows() int    { return a.to.row - a.from.row + 1 }
func (a area) columns() int { return a.to.col - a.from.col + 1 }

func (c cell) String() string { return letters(c.col) + strconv.Itoa(c.row) }

func (a area) String() string {
	if a.from == a.to {
		return a.from.String()
	}
	return a.from.String() + ":" + a.to.String()
}

// CellName is the name of a cell, such as B7. Columns and rows count from 1.
func CellName(column, row int) string { return letters(column) + strconv.Itoa(row) }

// letters names a column.
func letters(col int) string {
	var b [4]byte
	i := len(b)
	for ; col > 0 && i > 0; col = (col - 1) / 26 {
		i--
		b[i] = byte('A' + (col-1)%26)
	}
	return string(b[i:])
}

// parseCell reads a name such as B7 or $B$7.
func parseCell(s string) (cell, bool) {
	c, rest := splitRef(strings.ReplaceAll(strings.TrimSpace(s), "$", ""))
	return c, rest == "" && c.row > 0 && c.col > 0
}

// splitRef reads a column and a row, each 0 if it is missing, and returns the
// rest of the text.
func splitRef(s string) (cell, string) {
	var c cell
	for s != "" && c.col <= xlsx.MaxColumns {
		l := s[0] | 0x20
		if l < 'a' || l > 'z' {
			break
		}
		c.col = c.col*26 + int(l-'a') + 1
		s = s[1:]
	}
	for s != "" && s[0] >= '0' && s[0] <= '9' && c.row <= xlsx.MaxRows {
		c.row = c.row*10 + int(s[0]-'0')
		s = s[1:]
	}
	if c.col > xlsx.MaxColumns || c.row > xlsx.MaxRows {
		return cell{}, s + " "
	}
	return c, s
}

// parseArea reads a range: A1:D50, B7, A:C or 2:5.
func parseArea(s string) (area, bool) {
	first, second, two := strings.Cut(strings.ReplaceAll(strings.TrimSpace(s), "$", ""), ":")
	from, rest := splitRef(first)
	if rest != "" {
		return area{}, false
	}
	to := from
	if two {
		if to, rest = splitRef(second); rest != "" {
			return area{}, false
		}
	}
	if (from.row == 0) != (to.row == 0) || (from.col == 0) != (to.col == 0) || from == (cell{}) || !two && (from.row == 0 || from.col == 0) {
		return area{}, false
	}
	if from.row == 0 {
		from.row, to.row = 1, xlsx.MaxRows
	}
	if from.col == 0 {
		from.col, to.col = 1, xlsx.MaxColumns
	}
	return area{cell{min(from.row, to.row), min(from.col, to.col)}, cell{max(from.row, to.row), max(from.col, to.col)}}, true
}

const rangeHint = "Ranges are written as A1:D50, B7, A:C or 2:5."

func areaOf(s string) (area, error) {
	a, ok := parseArea(s)
	if !ok {
		return a, ooxml.Invalid(rangeHint, "%q is not a range of cells", s)
	}
	return a, nil
}

func cellOf(s string) (cell, error) {
	c, ok := parseCell(s)
	if !ok {
		return c, ooxml.Invalid("A cell is written as B7.", "%q is not a cell", s)
	}
	return c, nil
}
