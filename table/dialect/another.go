package dialect

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agnes-data/da/table/infer"
)

// maxAnother is how many rows are looked at to see that they begin another table: a
// title, the rows of a header, and one with values.
const maxAnother = maxHeaderRows + 2

// Another reports whether rows that a blank line parts from a table begin another one,
// and which of them has its names: there may be a title, then there are names where the
// table above has values, then values. valued are the columns of the table above that
// hold no text, head is its first row.
func Another(rows [][]string, head []string, valued []bool) (names int, ok bool) {
	rows, names = rows[:min(len(rows), maxAnother)], -1
	titled := false
	for k, row := range rows {
		texts, values, over := 0, 0, 0
		for j, c := range row {
			switch look := infer.LookAt([]byte(strings.TrimSpace(c))); {
			case look == infer.LooksText:
				texts++
				if j < len(valued) && valued[j] {
					over++
				}
			case look > infer.LooksMissing:
				values++
			}
		}
		switch {
		case k > 0 && names >= 0 && values > 0:
			return names, titled || !sameNames(rows[names], head)
		case values == 0 && texts > 1 && over > 0 && (titled || over*2 > count(valued)):
			if names < 0 {
				names = k
			}
		case k == 0 && values == 0 && texts == 1:
			titled = true
		case k < maxHeaderRows && texts == 0 && names < 0: // groups such as years
		default:
			return 0, false
		}
	}
	return 0, false
}

// sameNames reports whether a row has the names of head.
func sameNames(row, head []string) bool {
	return slices.EqualFunc(row, head, func(a, b string) bool { return strings.EqualFold(strings.TrimSpace(a), strings.TrimSpace(b)) })
}

// NamesAgain reports whether a row of another width than the table repeats its names, as
// the header of another table does: at least three, all of them there.
func NamesAgain(row, head []string) bool {
	if len(row) < 3 || len(row) == len(head) {
		return false
	}
	has := map[string]bool{}
	for _, c := range head {
		has[strings.ToLower(strings.TrimSpace(c))] = true
	}
	both := 0
	for _, c := range row {
		if infer.LookAt([]byte(c)) != infer.LooksText {
			return false
		}
		if has[strings.ToLower(strings.TrimSpace(c))] {
			both++
		}
	}
	return both >= min(len(row), len(head))
}

// ofOneTable returns the records up to where another table begins. Three of them at least
// are of the first one.
func ofOneTable(rows []record, n int) []record {
	head := rows[0].texts()
	for i := 3; i < len(rows); i++ {
		last := rows[i-1]
		lines := int64(1)
		for _, c := range last.cells {
			lines += int64(bytes.Count(c.text, []byte{'\n'}))
		}
		if len(rows[i].cells) != n && NamesAgain(rows[i].texts(), head) {
			return rows[:i]
		}
		if rows[i].line <= last.line+lines {
			continue
		}
		var below [][]string
		for _, rec := range rows[i:min(len(rows), i+maxAnother)] {
			below = append(below, rec.texts())
		}
		valued := make([]bool, n)
		for j, c := range last.cells[:min(n, len(last.cells))] {
			look := infer.LookAt(c.text)
			valued[j] = look > infer.LooksMissing && look < infer.LooksText
		}
		if _, ok := Another(below, head, valued); ok {
			return rows[:i]
		}
	}
	return rows
}

func (rec record) texts() (out []string) {
	for _, c := range rec.cells {
		out = append(out, string(c.text))
	}
	return out
}
