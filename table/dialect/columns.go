package dialect

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/infer"
)

const (
	manyLines = 10 // enough that their words are not aligned by chance
	maxLone   = 5  // lines above or below a table, without gaps, to look past
)

// starts are where columns start.
type starts struct {
	at           []int // in characters; nil: no columns were found
	guessed      bool  // words that are aligned by chance would look the same
	padded       bool  // words of different lengths are aligned, or gaps are wide
	above, below int   // lines that are not of the table
}

// columnStarts looks for positions that are blank in every line, but for lines of
// text above and below. A line of dashes is more reliable.
func columnStarts(lines [][]byte) starts {
	if len(lines) < 3 {
		return starts{}
	}
	trimmed := make([][]byte, len(lines))
	for i, line := range lines {
		trimmed[i] = bytes.TrimRight(line, "\r ")
		if i < 3 && delimited.IsRuler(trimmed[i], "") && !bytes.ContainsAny(trimmed[i], "|+") {
			if at := runs(inkOf(nil, trimmed[i])); len(at) > 1 {
				return starts{at: at}
			}
		}
	}
	most, least := lone(trimmed)
	best := columnsOf(trimmed)
	for k := 1; k <= most+least; k++ {
		for a := max(0, k-least); a <= min(k, most); a++ {
			s := columnsOf(trimmed[a : len(trimmed)-k+a])
			if s.above, s.below = a, k-a; s.padded && len(s.at) > len(best.at) {
				best = s
			}
		}
	}
	return best
}

// lone counts the lines at the start and end that have no gaps. Three lines are left.
func lone(lines [][]byte) (above, below int) {
	most := min(maxLone, len(lines)-3)
	for above < most && !delimited.HasGap(lines[above]) {
		above++
	}
	for below < most-above && !delimited.HasGap(lines[len(lines)-1-below]) {
		below++
	}
	return above, below
}

// columnsOf finds the starts of columns in lines that are all of the table.
func columnsOf(lines [][]byte) starts {
	var ink []bool
	for _, line := range lines {
		ink = inkOf(ink, line)
	}
	all := runs(ink)
	if len(all) < 2 {
		return starts{}
	}
	t := align(lines)
	all = append(all, len(ink))
	out := starts{at: all[:1:1]}
	for i, at := range all[1 : len(all)-1] {
		g := t.gap(at, all[i+2])
		if ink[at-2] && g == chance {
			continue
		}
		out.padded = out.padded || !ink[at-2] || g == padded
		out.guessed = out.guessed || ink[at-2] && g == unclear && len(lines) < manyLines
		out.at = append(out.at, at)
		t.begin()
	}
	if !out.padded && len(lines) < manyLines {
		return starts{}
	}
	return out
}

// The kinds of gaps of one blank.
const (
	unclear = iota // before it, all words have the same length
	typed          // there are numbers or dates on a side of it
	padded         // words of different lengths around it are aligned
	chance         // few lines have words on both sides of it, or only the first one differs: they are words of one column
)

// longestValue is the length up to which a cell may be a number or a date.
const longestValue = 64

// aligning are the lines of a table. It goes through them from the left to the right
// once, because a line can have a million words.
type aligning struct {
	lines []alignedLine // those that reach to where it is
	at    int
}

// alignedLine is a line, and the place of its cell in the column that began last,
// without blanks around it.
type alignedLine struct {
	first    bool // of the table
	text     []rune
	from, to int
}

func align(lines [][]byte) aligning {
	t := aligning{lines: make([]alignedLine, len(lines))}
	for i, line := range lines {
		t.lines[i] = alignedLine{first: i == 0, text: []rune(string(line))}
	}
	return t
}

// begin starts a column at the last gap.
func (t *aligning) begin() {
	for i := range t.lines {
		t.lines[i].from, t.lines[i].to = 0, 0
	}
}

// until adds what comes before a position to the cells.
func (t *aligning) until(at int) {
	reach := t.lines[:0]
	for _, l := range t.lines {
		for i := t.at; i < min(at, len(l.text)); i++ {
			if unicode.IsSpace(l.text[i]) {
				continue
			}
			if l.from == l.to {
				l.from = i
			}
			l.to = i + 1
		}
		if len(l.text) > at {
			reach = append(reach, l)
		}
	}
	t.lines, t.at = reach, at
}

// gap looks at the words between the start of the column and at, and between at and to.
func (t *aligning) gap(at, to int) int {
	t.until(at)
	lengths := map[int]bool{}
	both, values, first, rest, ragged := 0, 0, false, false, false
	for _, l := range t.lines {
		right := bytes.TrimSpace([]byte(string(l.text[at:min(to, len(l.text))])))
		if l.first {
			first = len(right) > 0
		} else {
			rest = rest || len(right) > 0
		}
		if l.from == l.to || len(right) == 0 {
			continue
		}
		both++
		if l.first {
			continue
		}
		ragged = ragged || l.text[at] == ' ' || l.text[at-2] == ' '
		lengths[l.to-l.from] = true
		if l.to-l.from <= longestValue && infer.LookAt([]byte(string(l.text[l.from:l.to]))) != infer.LooksText ||
			infer.LookAt(right) != infer.LooksText {
			values++
		}
	}
	switch {
	case first != rest:
		return chance
	case len(lengths) > 1, ragged:
		return padded
	case values > 0 && values >= both-1:
		return typed
	case both < 3:
		return chance
	}
	return unclear
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

// runs returns where runs of ink start.
func runs(ink []bool) (at []int) {
	for i, on := range ink {
		if on && (i == 0 || !ink[i-1]) {
			at = append(at, i)
		}
	}
	return at
}
