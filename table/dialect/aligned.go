package dialect

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/infer"
)

// aligned reads the sample as columns that are aligned with blanks, unless best is a
// good reading already, and returns the better of the two.
func aligned(sample []byte, best *reading) *reading {
	if bytes.IndexByte(sample, '\t') >= 0 {
		return best
	}
	skip, lines, starts := block(sample)
	if best.n > 1 && !strings.Contains(" :/=", best.d.Delimiter) && (best.d.Delimiter == "|" || best.even() || !hasGaps(lines)) {
		return best
	}
	skip = max(skip, best.d.Skip)
	if before, all := len(linesBefore(sample, int64(skip)+1, best.d.Skip)), len(linesBefore(sample, math.MaxInt64, 0)); before > maxTitles &&
		before*2 > all {
		return best // most of the text is something else
	}
	gaps := withGaps(sample, lines, skip)
	if len(starts.at) < 2 || best.n > len(starts.at) && best.evenIn(skip, len(lines)) && best.dataInAll() {
		return better(best, gaps)
	}
	r := read(sample, delimited.Dialect{Delimiter: delimited.FieldMark, Cuts: starts.at, Skip: skip, Rulers: true})
	r.rate(1)
	r.guessed = starts.guessed
	switch joined := r.holdsGaps(); {
	case r.n != len(starts.at) || !r.dataInAll() || r.holdsDelimiter(best.d.Delimiter):
		return better(best, gaps)
	case joined && gaps != nil:
		return better(best, gaps)
	case joined:
		r.guessed = true
	}
	return better(best, r)
}

// holdsDelimiter reports whether many cells end in a delimiter: the text is aligned,
// but its columns have their own.
func (r *reading) holdsDelimiter(delim string) bool {
	n, all := 0, 0
	for _, rec := range r.rows {
		for _, c := range rec.cells[:min(len(rec.cells), r.n-1)] {
			if all++; strings.TrimSpace(delim) != "" && bytes.HasSuffix(c.text, []byte(delim)) {
				n++
			}
		}
	}
	return n*5 > all
}

// better returns the reading with the higher score. other may be nil.
func better(best, other *reading) *reading {
	if other != nil && other.score > best.score {
		return other
	}
	return best
}

// withGaps reads the sample as columns between which there are two or more blanks, or
// any number, wherever they start. It returns nil if the lines of the table have
// different numbers of columns then.
func withGaps(sample []byte, lines [][]byte, skip int) *reading {
	if len(lines) < 2 || !hasGaps(lines) {
		return nil
	}
	d := delimited.Dialect{Delimiter: delimited.FieldMark, Skip: skip, Rulers: true, Quote: quotedGaps(sample)}
	var even [3]*reading // by gap
	for d.Gap = 1; d.Gap < len(even); d.Gap++ {
		r := read(sample, d)
		r.rate(1)
		if r.n < 2 || len(r.rows) < 2 || !r.evenIn(skip, len(lines)) || !r.dataInAll() {
			continue
		}
		// Sentences can have two blanks behind them.
		if r.guessed = !anyTyped(r.rows[1:], r.n); !r.guessed || namesColumns(r.rows[0]) {
			even[d.Gap] = r
		}
	}
	switch one, two := even[1], even[2]; {
	case one != nil && !one.guessed && (two == nil || two.joinsColumns()):
		return one
	case two != nil:
		return two
	}
	return nil
}

// joinsColumns reports whether words of several columns are in one cell: a column has
// cells of different numbers of words, or of several numbers. Single blanks then part
// columns, too, if that gives as many in each line.
func (r *reading) joinsColumns() bool {
	for j := range r.n {
		var words []int
		for i, rec := range r.rows {
			if j >= len(rec.cells) {
				continue
			}
			parts := bytes.Fields(rec.cells[j].text)
			words = append(words, len(parts))
			numbers := len(parts) > 1 && i > 0
			for _, part := range parts {
				numbers = numbers && infer.LookAt(part) == infer.LooksNumber
			}
			if numbers || words[0] != len(parts) {
				return true
			}
		}
	}
	return false
}

// quotedGaps returns the quote character of an aligned text, or 0.
func quotedGaps(sample []byte) byte {
	if bytes.IndexByte(sample, '"') >= 0 {
		return '"'
	}
	return 0
}

// splitsAligned reports whether an aligned text was read by each single blank, or as
// lines of one column.
func (r *reading) splitsAligned(sample []byte) bool {
	all, longest := paragraphs(sample)
	return (r.n == 1 || r.d.Delimiter == " ") && len(all) > 0 && hasGaps(all[longest].lines)
}

// evenIn reports whether all records on the n lines after skip have the usual number
// of fields.
func (r *reading) evenIn(skip, n int) bool {
	for _, rec := range r.rows {
		if rec.line > int64(skip) && rec.line <= int64(skip+n) && len(rec.cells) != r.n {
			return false
		}
	}
	return true
}

// hasGaps reports whether at least half of the lines have two or more blanks between
// words.
func hasGaps(lines [][]byte) bool {
	n := 0
	for _, line := range lines {
		if delimited.HasGap(line) {
			n++
		}
	}
	return n*2 >= len(lines) && n > 0
}

// holdsGaps reports whether many records have a cell with two or more blanks inside,
// not counting the last column: then two columns were read as one.
func (r *reading) holdsGaps() bool {
	n := 0
	for _, rec := range r.rows {
		for _, c := range rec.cells[:min(len(rec.cells), r.n-1)] {
			if delimited.HasGap(c.text) {
				n++
				break
			}
		}
	}
	return n*10 > len(r.rows)
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

// paragraph is a run of lines that are not blank, and how many lines come before it.
type paragraph struct {
	skip  int
	lines [][]byte
}

// paragraphs splits the sample at blank lines, and returns also which is the longest.
func paragraphs(sample []byte) (all []paragraph, longest int) {
	lines := bytes.Split(bytes.TrimRight(sample, "\r\n"), []byte{'\n'})
	from := 0
	for i := 0; i <= len(lines); i++ {
		if i < len(lines) && len(bytes.TrimSpace(lines[i])) > 0 {
			continue
		}
		if i > from {
			all = append(all, paragraph{from, lines[from:i]})
			if i-from > len(all[longest].lines) {
				longest = len(all) - 1
			}
		}
		from = i + 1
	}
	return all, longest
}

// block returns the lines of the table, how many come before them, and where its
// columns start: the longest paragraph, and those around it that are aligned in the
// same way, because blank lines can part groups of rows.
func block(sample []byte) (skip int, lines [][]byte, s starts) {
	all, at := paragraphs(sample)
	if len(all) == 0 {
		return 0, nil, starts{}
	}
	p := all[at]
	s = columnStarts(p.lines)
	skip, lines = p.skip+s.above, p.lines[s.above:len(p.lines)-s.below]
	join := func(others []paragraph, lines [][]byte) bool {
		if len(s.at) < 2 || !hasGaps(others[0].lines) {
			return false
		}
		both := columnStarts(lines)
		if len(both.at) != len(s.at) || both.above+both.below > 0 {
			return false
		}
		s = both
		return true
	}
	// Twice as many each time: one after the other would take too long.
	own := lines
	for k := 1; s.above == 0 && k <= at && !namedBy(lines, s.at); k *= 2 {
		more := append(linesOf(all[at-k:at]), own...)
		if !join(all[at-k:at], more) {
			break
		}
		skip, lines = all[at-k].skip, more
	}
	own = lines
	behind := all[at+1:]
	if s.below > 0 || len(behind) == 0 {
		return skip, lines, s
	}
	if more := append(slices.Clone(own), linesOf(behind)...); join(behind, more) {
		return skip, more, s
	}
	for k := 1; k < len(behind); k *= 2 {
		more := append(slices.Clone(own), linesOf(behind[:k])...)
		if !join(behind[:k], more) {
			break
		}
		lines = more
	}
	return skip, lines, s
}

// linesOf are the lines of paragraphs.
func linesOf(paragraphs []paragraph) (lines [][]byte) {
	for _, p := range paragraphs {
		lines = append(lines, p.lines...)
	}
	return lines
}

// namedBy reports whether the first line names the columns.
func namedBy(lines [][]byte, cuts []int) bool {
	if len(cuts) < 2 {
		return false
	}
	r := read(bytes.Join(lines, []byte{'\n'}), delimited.Dialect{Delimiter: delimited.FieldMark, Cuts: cuts})
	return namesColumns(r.rows[0]) && anyTyped(r.rows[1:], len(cuts))
}
