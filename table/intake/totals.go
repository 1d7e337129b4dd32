package intake

import (
	"bytes"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/table/delimited"
)

// Sums are the rows of totals among the data.
type Sums struct {
	N    int64
	Line int64 // of the first
	Word string
	// Above says that the only one is the first row, which sums all others; with Groups, that
	// each sums the rows below it, up to the next.
	Above, Groups bool
}

// maxAdded is how many records are added up to find the rows of totals: files with
// such rows are made for people.
const maxAdded = 100_000

// totals finds rows of totals. Names and brands contain words for sums, so the word must
// also stand alone in the first column, stand beside empty labels that other rows fill, or
// stand before figures that are the sums of the rows above.
type totals struct {
	seen    int64     // records that were added up
	filled  []int64   // cells with content, by column
	numbers []int64   // those of them that are numbers
	sums    []float64 // by column
	last    mark      // at the last row of totals
	first   []float64 // the figures of the first record behind its first text, by column
	above   Sums      // the first record, as a row of totals
	headed  []headed  // by column
	labels  map[label]*labelled
	order   []label
}

// label is a word for a sum in a column.
type label struct {
	column int
	word   string
	exact  bool // the cell has nothing else
}

// labelled are the rows with a label.
type labelled struct {
	rows, proven int64
	strong       bool // one of them is surely a total
	first        Sums
	last         mark
}

// mark is what was added up before some row.
type mark struct {
	seen int64
	sums []float64
}

// add takes the next record.
func (t *totals) add(b *delimited.Batch, i int) {
	rec := b.Record(i)
	if len(rec) < 2 {
		return
	}
	for len(t.filled) < len(rec) {
		t.filled, t.numbers, t.sums = append(t.filled, 0), append(t.numbers, 0), append(t.sums, 0)
		t.headed = append(t.headed, headed{})
	}
	for j, f := range rec {
		cell := b.Bytes(f)
		if len(cell) < 2 || len(cell) >= 40 || cell[0] <= '9' && cell[0] > ' ' {
			continue
		}
		if word, exact := sumWord(cell); word != "" {
			if t.take(b, i, label{j, word, exact}) {
				return
			}
			break
		}
	}
	if t.seen == maxAdded {
		return
	}
	t.seen++
	for j, f := range rec {
		if f.Empty() {
			continue
		}
		t.filled[j]++
		v, ok := amount(b.Bytes(f))
		if ok {
			t.numbers[j]++
			t.sums[j] += v
			t.headed[j].add(v, func() Sums { return headOf(b, i) })
		}
		if t.seen == 1 && ok && t.above.N > 0 {
			t.first[j] = v
		} else if t.seen == 1 && !ok && t.above.N == 0 {
			t.first, t.above = make([]float64, len(rec)), Sums{N: 1, Line: b.Line(i), Word: strings.TrimSpace(string(b.Bytes(f))), Above: true}
		}
	}
}

// sumsAll reports whether all figures of the first record are the sums of those of all others,
// which are so many and so large that they are not by chance.
func (t *totals) sumsAll() bool {
	figures, large := 0, false
	for j, v := range t.first {
		if v == 0 {
			continue
		}
		large = large || math.Abs(v) >= 100
		if figures++; math.Abs(v) < 10 || math.Abs(t.sums[j]-2*v) > max(1e-6*math.Abs(v), 0.005) {
			return false
		}
	}
	word, _ := sumWord([]byte(t.above.Word))
	return figures > 0 && t.seen > 2 && t.seen < maxAdded && (word != "" || t.seen > 3 && (figures > 1 || large))
}

// take notes a record that has a label, and reports whether it is a row of totals.
func (t *totals) take(b *delimited.Batch, i int, at label) bool {
	if t.labels == nil {
		t.labels = map[label]*labelled{}
	}
	l := t.labels[at]
	if l == nil {
		cell := strings.TrimSpace(string(b.Bytes(b.Record(i)[at.column])))
		l = &labelled{first: Sums{Line: b.Line(i), Word: cell}}
		t.labels[at], t.order = l, append(t.order, at)
	}
	l.rows++
	leading := !slices.ContainsFunc(t.filled[:at.column], func(n int64) bool { return n > 0 })
	lone := leading && at.exact
	terms := max(t.equals(b, i, at, l.last), t.equals(b, i, at, t.last), t.equals(b, i, at, mark{}))
	strong := terms > 1 || lone || t.emptied(b, i, at, leading)
	if !strong && terms == 0 {
		return false
	}
	l.proven++
	l.strong = l.strong || strong
	l.last = mark{t.seen, slices.Clone(t.sums)}
	t.last = l.last
	return true
}

// equals returns how many rows since a mark add up to the figures after the label; 0: they
// do not. Numbers before a label are years and keys.
func (t *totals) equals(b *delimited.Batch, i int, at label, since mark) (terms int64) {
	figures, equal := 0, 0
	for j, f := range b.Record(i) {
		v, ok := amount(b.Bytes(f))
		ok = ok && j > at.column
		if !ok {
			continue
		}
		figures++
		sum := t.sums[j]
		if j < len(since.sums) {
			sum -= since.sums[j]
		}
		if size := math.Abs(v); v != 0 && math.Abs(sum-v) <= max(1e-6*size, 0.005*min(size, 1)) {
			equal++
		}
	}
	if equal == 0 || equal*2 < figures || t.seen == maxAdded {
		return 0
	}
	return t.seen - since.seen
}

// emptied reports whether a row with figures has empty labels: the one before a cell with
// the word alone, or all others.
func (t *totals) emptied(b *delimited.Batch, i int, at label, leading bool) bool {
	lacking, others := 0, 0
	for j, f := range b.Record(i) {
		cell := b.Bytes(f)
		if j == at.column || t.filled[j] == 0 {
			continue
		}
		empty := len(bytes.TrimSpace(cell)) == 0
		usual := t.seen > 1 && t.filled[j]*10 >= t.seen*9
		if empty && usual && j < at.column && at.exact {
			return figured(b, i)
		}
		if t.numbers[j]*2 >= t.filled[j] {
			continue
		}
		if others++; empty && usual {
			lacking++
		}
	}
	return lacking > 0 && lacking == others && (at.exact || leading) && figured(b, i)
}

// figured reports whether a record has a number.
func figured(b *delimited.Batch, i int) bool {
	return slices.ContainsFunc(b.Record(i), func(f delimited.Field) bool { _, ok := amount(b.Bytes(f)); return ok })
}

// told counts rows with labels that mark a total in at least half of their rows.
func (t *totals) told() (all Sums) {
	for _, at := range t.order {
		l := t.labels[at]
		each := at.column == 0 && l.proven > 1 && l.proven == l.rows // one row may equal the row above it by chance
		if !l.strong && !each || l.proven*2 < l.rows {
			continue
		}
		if all.N == 0 || l.first.Line < all.Line {
			all.Line, all.Word = l.first.Line, l.first.Word
		}
		all.N += l.rows
	}
	if all.N == 0 && t.sumsAll() {
		return t.above
	}
	for j := range t.headed {
		if of := t.headed[j].told(); all.N == 0 && t.seen < maxAdded {
			all = of
		}
	}
	return all
}

// headOf describes a record as a row that sums the group below it, by its first text.
func headOf(b *delimited.Batch, i int) Sums {
	head := Sums{Line: b.Line(i), Groups: true}
	for _, f := range b.Record(i) {
		if _, ok := amount(b.Bytes(f)); !ok && !f.Empty() {
			head.Word = strings.TrimSpace(string(b.Bytes(f)))
			break
		}
	}
	return head
}

// sumWord returns the word for a sum with which a cell begins or ends, as in "Total Q1"
// or as pivot tables write it, "North Total"; exact says that it has nothing else.
func sumWord(cell []byte) (word string, exact bool) {
	cell = bytes.TrimRight(bytes.TrimSpace(cell), ": ")
	if word = asSum(cell); word != "" {
		return word, true
	}
	if i := bytes.IndexFunc(cell, isBlankOrColon); i > 0 {
		if word = asSum(cell[:i]); word != "" {
			return word + " …", false
		}
	}
	if word = asSum(lastWord(cell)); word != "" {
		return "… " + word, false
	}
	return "", false
}

// asSum returns a text in lower case if it is a word for a sum.
func asSum(text []byte) string {
	if len(text) > 24 || !mayBeSum(text) {
		return ""
	}
	if word := strings.ToLower(string(text)); slices.Contains(sumWords, word) {
		return word
	}
	return ""
}

// lastWord returns the text after the last blank or colon.
func lastWord(cell []byte) []byte {
	for i := len(cell) - 1; i >= 0; i-- {
		if c := cell[i]; c == ' ' || c == ':' || c == '\t' || c == 0xa0 && i > 0 && cell[i-1] == 0xc2 { // U+00A0
			return cell[i+1:]
		}
	}
	return cell
}

// seconds holds, for each letter with which a word for a sum begins, the bits of the
// letters that come second.
var seconds = func() (of [256]uint32) {
	for _, w := range sumWords {
		of[w[0]] |= letterBit(w[1])
	}
	return of
}()

// letterBit is a bit for an ASCII letter, and one for all else.
func letterBit(b byte) uint32 { return 1 << min((b|0x20)-'a', 26) }

// mayBeSum is a quick look at whether a text begins as a word for a sum does: each cell
// with text is asked.
func mayBeSum(text []byte) bool {
	if len(text) < 2 {
		return false
	}
	if text[0] < utf8.RuneSelf {
		return seconds[text[0]|0x20]&letterBit(text[1]) != 0
	}
	return true
}

// amount reads a number as people write it, with marks of groups and of currencies.
func amount(b []byte) (v float64, ok bool) {
	if len(b) == 0 || len(b) > 32 || (b[0]|0x20)-'a' < 26 {
		return 0, false
	}
	if c := b[0]; c-'0' > 9 && c != '-' {
		negative := c == '(' && b[len(b)-1] == ')'
		if b = bytes.Trim(b, " $€£¥()\u00a0"); negative {
			v, ok = amount(b)
			return -v, ok
		}
	} else if c := b[len(b)-1]; c-'0' > 9 {
		b = bytes.TrimRight(b, " $€£¥\u00a0")
	}
	digits, fraction, marks, last, kinds := 0, 0, 0, byte(0), 0
	for i, c := range b {
		switch {
		case c-'0' <= 9:
			v = v*10 + float64(c-'0')
			digits++
			fraction++
		case c == '.' || c == ',':
			if c != last {
				kinds, marks = kinds+1, 0
			}
			last, fraction = c, 0
			marks++
		case c == '-' && i == 0:
		default:
			return 0, false
		}
	}
	if last != 0 && marks == 1 && (kinds == 2 || last == '.' || fraction != 3) {
		v /= math.Pow10(fraction)
	}
	if len(b) > 0 && b[0] == '-' {
		v = -v
	}
	return v, digits > 0 && kinds < 3
}
