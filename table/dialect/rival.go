package dialect

import (
	"bytes"

	"github.com/agnes-data/da/table/infer"
)

// describingRows counts the records at the start that are as wide as the table but
// describe it, such as a title, a date and a version: the first records with such
// values, or with names that end in a colon, if the record behind them names columns of
// other kinds of values.
func describingRows(rows []record, n int) int {
	for k := 1; k <= maxHeaderRows && k+2 < len(rows); k++ {
		typed := typedColumns(rows[k+1:], n)
		if !canName(rows[k], typed) {
			continue
		}
		for _, rec := range rows[:k] {
			if !describes(rec, typed) {
				return 0
			}
		}
		return k
	}
	return 0
}

// canName reports whether a record has a name for each column, and one that cannot be
// a value of it for most of those with numbers and dates.
func canName(rec record, typed []bool) bool {
	if count(typed) == 0 || !allNamed(rec, typed) || !namesToo(rec, typed) {
		return false
	}
	for j, c := range rec.cells {
		if text := bytes.TrimSpace(c.text); infer.LookAt(text) != infer.LooksText || len(text) > maxName || typed[j] && mistyped(text) {
			return false
		}
	}
	return true
}

// describes reports whether a record has values, most of them texts, and one that
// cannot be a value of its column.
func describes(rec record, typed []bool) bool {
	texts, values, keys, misfit := 0, 0, 0, false
	for j, c := range rec.cells {
		text := bytes.TrimSpace(c.text)
		switch look := infer.LookAt(text); {
		case look == infer.LooksNumber, look == infer.LooksDate, look == infer.LooksText && mistyped(text): // such as 2024-05
			values++
		case look == infer.LooksText:
			texts++
			misfit = misfit || j < len(typed) && typed[j]
			if bytes.HasSuffix(text, []byte{':'}) {
				keys++
			}
		}
	}
	return misfit && texts >= values && values+keys > 0 && !years(rec.cells)
}

// titleOfTwo is titles for a table of two columns, whose names are in the record
// below a single text.
func titleOfTwo(rows []record) int {
	if len(rows) < 4 || len(rows[0].cells) != 2 || filled(rows[0]) != 1 || infer.LookAt(rows[0].cells[0].text) != infer.LooksText {
		return 0
	}
	if canName(rows[1], typedColumns(rows[2:], 2)) {
		return 1
	}
	return 0
}

// rivalHeader returns the line of the record below a header of one record if it could
// name the columns just as well; 0 if it could not.
func rivalHeader(rows []record, header, n int) int64 {
	if header != 1 || len(rows) < 4 {
		return 0
	}
	typed := typedColumns(rows[2:], n)
	if !canName(rows[0], typed) || !canName(rows[1], typed) || same(rows[0], rows[1]) {
		return 0
	}
	return rows[1].line
}
