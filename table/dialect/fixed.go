package dialect

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"github.com/agnes-data/da/table/delimited"
)

// fixed reads the sample as columns of fixed width, unless best is a good
// reading already, and returns the better of the two.
func fixed(sample []byte, best *reading) *reading {
	if best.n > 1 && best.d.Delimiter != " " && best.d.Delimiter != ":" && best.d.Delimiter != "/" && best.d.Delimiter != "=" || bytes.IndexByte(sample, '\t') >= 0 {
		return best
	}
	skip, lines := paragraph(sample)
	cuts := columnStarts(lines)
	if len(cuts) < 2 || best.n > len(cuts) && best.even() && best.dataInAll() {
		return best
	}
	d := delimited.Dialect{Delimiter: delimited.FieldMark, Cuts: cuts, Skip: max(skip, best.d.Skip), Rulers: true}
	r := read(sample, d)
	r.rate(1)
	if r.n == len(cuts) && r.score > best.score && r.dataInAll() {
		return r
	}
	return best
}

// dataInAll reports whether every column has something below its name: an
// indented name is not a column of its own.
func (r *reading) dataInAll() bool {
	has := make([]bool, r.n)
	for _, rec := range r.rows[1:] {
		for j, c := range rec.cells[:min(r.n, len(rec.cells))] {
			has[j] = has[j] || len(c.text) > 0
		}
	}
	return count(has) == r.n
}

// paragraph finds the longest run of lines that are not blank, and how many
// lines come before it.
func paragraph(sample []byte) (skip int, lines [][]byte) {
	all := bytes.Split(bytes.TrimRight(sample, "\r\n"), []byte{'\n'})
	from := 0
	for i := 0; i <= len(all); i++ {
		if i < len(all) && len(bytes.TrimSpace(all[i])) > 0 {
			continue
		}
		if i-from > len(lines) {
			skip, lines = from, all[from:i]
		}
		from = i + 1
	}
	return skip, lines
}

// columnStarts returns the start of each column, in characters: after positions
// that are blank in every line. A line of dashes is more reliable.
func columnStarts(lines [][]byte) []int {
	if len(lines) < 3 {
		return nil
	}
	var ink []bool
	for i, line := range lines {
		line = bytes.TrimRight(line, "\r ")
		if i < 3 && delimited.IsRuler(line, "") && bytes.IndexByte(line, '|') < 0 && bytes.IndexByte(line, '+') < 0 {
			if starts, _ := runs(inkOf(nil, line)); len(starts) > 1 {
				return starts
			}
		}
		ink = inkOf(ink, line)
	}
	starts, gap := runs(ink)
	if gap < 2 && len(lines) < 10 {
		return nil // words of prose can be aligned by chance
	}
	return named(starts, ink, lines)
}

// named drops columns after a single blank that only the first line has, or that
// the first line lacks: there, words of one column are separated by chance.
func named(starts []int, ink []bool, lines [][]byte) []int {
	var rest []bool
	for _, line := range lines[1:] {
		rest = inkOf(rest, bytes.TrimRight(line, "\r "))
	}
	has := func(ink []bool, from, to int) bool {
		return slices.Contains(ink[min(from, len(ink)):min(to, len(ink))], true)
	}
	first := inkOf(nil, lines[0])
	out := starts[:0:0]
	for i, from := range starts {
		to := len(ink)
		if i+1 < len(starts) {
			to = starts[i+1]
		}
		if i == 0 || !ink[from-2] || has(first, from, to) && has(rest, from, to) {
			out = append(out, from)
		}
	}
	return out
}

// inkOf marks the characters of a line that are not blanks.
func inkOf(ink []bool, line []byte) []bool {
	for i := 0; len(line) > 0; i++ {
		r, size := utf8.DecodeRune(line)
		line = line[size:]
		if i == len(ink) {
			ink = append(ink, false)
		}
		ink[i] = ink[i] || r != ' '
	}
	return ink
}

// runs returns where runs of ink start, and the width of the widest gap between
// two of them.
func runs(ink []bool) (starts []int, gap int) {
	last := -1
	for i, on := range ink {
		if !on {
			continue
		}
		if last < 0 || i > last+1 {
			if last >= 0 {
				gap = max(gap, i-last-1)
			}
			starts = append(starts, i)
		}
		last = i
	}
	return starts, gap
}
