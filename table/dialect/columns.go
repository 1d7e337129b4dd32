package dialect

import (
	"bytes"
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
	t := aligning{text: make([][]rune, len(lines))}
	var ink []bool
	for i, line := range lines {
		t.text[i] = []rune(string(line))
		ink = inkOf(ink, line)
	}
	all := runs(ink)
	if len(all) < 2 {
		return starts{}
	}
	all = append(all, len(ink))
	out := starts{at: all[:1:1]}
	for i, at := range all[1 : len(all)-1] {
		g := t.gap(out.at[len(out.at)-1], at, all[i+2])
		if ink[at-2] && g == chance {
			continue
		}
		out.padded = out.padded || !ink[at-2] || g == padded
		out.guessed = out.guessed || ink[at-2] && g == unclear && len(lines) < manyLines
		out.at = append(out.at, at)
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

// aligning are the lines of a table.
type aligning struct{ text [][]rune }

// part is what line i has between two positions, without blanks around it.
func (t aligning) part(i, from, to int) []byte {
	n := len(t.text[i])
	return bytes.TrimSpace([]byte(string(t.text[i][min(from, n):min(to, n)])))
}

// gap looks at the words between from and at, and between at and to.
func (t aligning) gap(from, at, to int) int {
	lengths := map[int]bool{}
	both, values, rest, ragged := 0, 0, false, false
	for i, text := range t.text {
		left, right := t.part(i, from, at), t.part(i, at, to)
		if i > 0 {
			rest = rest || len(right) > 0
		}
		if len(left) == 0 || len(right) == 0 {
			continue
		}
		both++
		if i == 0 {
			continue
		}
		ragged = ragged || text[at] == ' ' || text[at-2] == ' '
		lengths[utf8.RuneCount(left)] = true
		if infer.LookAt(left) != infer.LooksText || infer.LookAt(right) != infer.LooksText {
			values++
		}
	}
	first := len(t.part(0, at, to)) > 0
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
