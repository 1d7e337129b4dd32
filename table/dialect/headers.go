package dialect

import (
	"bytes"
	"slices"
	"strings"

	"github.com/agnes-data/da/table/infer"
)

// maxHeaderRows limits the number of records in a header.
const maxHeaderRows = 4

// headerRows counts the records that together name the columns: after the first,
// those with text above columns of numbers and dates, such as units and the
// second line of a grouped header.
func headerRows(rows []record, n int) int {
	for k := min(maxHeaderRows, len(rows)-2); k > 1; k-- {
		typed := typedColumns(rows[k:], n)
		ok := len(rows[0].cells) == n && (count(typed) > 1 || k == 2 && onlyUnits(rows[1], typed))
		for i, rec := range rows[1:k] {
			ok = ok && namesToo(rec, typed) && !same(rows[i], rec) && !(allNamed(rows[0], typed) && saysMore(rec, typed))
		}
		if ok {
			return k
		}
	}
	return 1
}

// typedColumns returns which columns have numbers, dates or booleans.
func typedColumns(data []record, n int) []bool {
	out := make([]bool, n)
	if len(data) > 200 {
		data = data[:200]
	}
	for j := range out {
		typed, text := 0, 0
		for _, c := range column(data, j, n) {
			switch infer.LookAt(c.text) {
			case infer.LooksNumber, infer.LooksDate, infer.LooksBool:
				typed++
			case infer.LooksText:
				text++
			}
		}
		out[j] = typed > 1 && text*10 < typed
	}
	return out
}

// namesToo reports whether a record below the first one still belongs to the
// header: it has no data, and more than half of the typed columns have text, or units do.
func namesToo(rec record, typed []bool) bool {
	if len(rec.cells) != len(typed) {
		return false
	}
	text, units := 0, true
	years := years(rec.cells)
	for j, c := range rec.cells {
		switch infer.LookAt(c.text) {
		case infer.LooksNumber:
			if !years {
				return false
			}
			text++
		case infer.LooksDate, infer.LooksBool:
			return false
		case infer.LooksText:
			if typed[j] {
				text++
			}
			units = units && typed[j] && infer.IsUnit(bytes.TrimSpace(c.text))
		}
	}
	return text*2 > count(typed) || text > 0 && units
}

// allNamed reports whether a record gives every column a unique name, so that
// there are no groups.
func allNamed(rec record, typed []bool) bool {
	seen := map[string]bool{}
	for _, c := range rec.cells {
		name := strings.ToLower(strings.TrimSpace(string(c.text)))
		if name == "" || seen[name] {
			return false
		}
		seen[name] = true
	}
	return len(rec.cells) == len(typed)
}

// saysMore reports whether a record of text below the names is more likely data:
// its texts are all the same, or it has text without brackets in a text column,
// or text that starts like a mistyped number or date.
func saysMore(rec record, typed []bool) bool {
	texts, units, different := 0, 0, map[string]bool{}
	for j, c := range rec.cells {
		text := bytes.TrimSpace(c.text)
		if len(text) == 0 {
			continue
		}
		texts++
		different[string(text)] = true
		if infer.IsUnit(text) {
			units++
		} else if !typed[j] && text[0] != '(' && text[0] != '[' || typed[j] && mistyped(text) {
			return true
		}
	}
	return texts > 2 && len(different) == 1 && units == 0
}

// mistyped reports whether a text may be meant as a number or date: it starts
// with a digit, and is not a unit such as 1000 t.
func mistyped(text []byte) bool { return text[0]-'0' <= 9 && bytes.IndexByte(text, ' ') < 0 }

// same reports whether two records say the same.
func same(a, b record) bool {
	return slices.EqualFunc(a.cells, b.cells, func(x, y cell) bool { return bytes.Equal(x.text, y.text) })
}

// onlyUnits reports whether a record says something in typed columns and nothing
// in any other.
func onlyUnits(rec record, typed []bool) bool {
	for j, c := range rec.cells {
		if j >= len(typed) || typed[j] == (len(bytes.TrimSpace(c.text)) == 0) {
			return false
		}
	}
	return count(typed) > 0
}

func count(set []bool) int {
	n := 0
	for _, ok := range set {
		if ok {
			n++
		}
	}
	return n
}

// joinNames joins the names of several header records, column by column. A
// group's name, which is written above its first column only, applies to all of
// its columns.
func joinNames(rows []record) []string {
	out := make([]string, len(rows[0].cells))
	for i, rec := range rows {
		group := ""
		grouped := i+1 < len(rows) && hasGroups(rec, rows[i+1])
		for j := range out {
			part := ""
			if j < len(rec.cells) {
				part = strings.TrimSpace(strings.TrimLeft(string(rec.cells[j].text), "\ufeff"))
			}
			if part != "" {
				group = part
			} else if grouped && j < len(rows[i+1].cells) && len(bytes.TrimSpace(rows[i+1].cells[j].text)) > 0 {
				part = group
			}
			if part != "" && out[j] != part {
				out[j] = strings.TrimSpace(out[j] + " " + part)
			}
		}
	}
	return out
}

// JoinNames joins the names in rows of a sheet's header, column by column from left on.
func JoinNames(rows [][]string, left, width int) []string {
	recs := make([]record, len(rows))
	for i, row := range rows {
		recs[i].cells = make([]cell, width)
		copy(recs[i].cells, cellsOf(row[min(left, len(row)):]))
	}
	return joinNames(recs)
}

// hasGroups reports whether a header line has names of groups: the names below it
// are not unique without them, or many of its own are missing.
func hasGroups(rec, below record) bool {
	seen := map[string]bool{}
	for _, c := range below.cells {
		name := strings.ToLower(strings.TrimSpace(string(c.text)))
		if name != "" && seen[name] {
			return true
		}
		seen[name] = true
	}
	return filled(rec)*2 < len(rec.cells)
}

// unlikeHead returns the records that don't say the same as head, unless those that say
// something are few: then head is a record like the others.
func unlikeHead(data []record, head record) []record {
	for i, rec := range data {
		if !same(rec, head) {
			continue
		}
		out := append([]record(nil), data[:i]...)
		for _, rec := range data[i:] {
			if !same(rec, head) {
				out = append(out, rec)
			}
		}
		if told(out)*2 < told(data) {
			return data
		}
		return out
	}
	return data
}

// told counts the records that are not empty.
func told(rows []record) (n int) {
	for _, rec := range rows {
		n += min(1, filled(rec))
	}
	return n
}

// repeats reports whether records that equal one of the first k can be dropped as
// repeated headers: they have no data, and are few.
func repeats(rows []record, k int) bool {
	data := rows[k:]
	for _, head := range rows[:k] {
		values := 0
		for _, c := range head.cells {
			switch infer.LookAt(c.text) {
			case infer.LooksNumber, infer.LooksDate, infer.LooksBool:
				values++
			}
		}
		if len(data) > 0 && len(unlikeHead(data, head))*2 < len(data) || values > 0 && !years(head.cells) {
			return false
		}
	}
	return true
}
