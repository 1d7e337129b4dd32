package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Table is a table of a page as its places tell it.
type Table struct {
	Rows [][]string
	// Ruled says that lines on the page divide its cells; else they were guessed from
	// the places of words.
	Ruled bool
	// Spans counts the cells that lie across several columns; their text stands in the
	// first. Lone counts the rows with text in one cell alone, which can belong to the
	// row before or after. Filled counts the cells over several rows whose text is in
	// each of them, Tall those whose text is in the first.
	Spans, Lone, Filled, Tall int

	top float64
}

// tablesOf finds the tables among the words and rules of a page, from the top.
func tablesOf(words []word, rules []rule) []Table {
	var found []Table
	for _, g := range grids(rules) {
		t, rest, ok := g.table(words)
		if ok {
			found, words = append(found, t), rest
		}
	}
	for _, g := range banded(rules, words) {
		t, rest, ok := g.table(words)
		if ok {
			found, words = append(found, t), rest
		}
	}
	found = append(found, aligned(words)...)
	for i, t := range found {
		for _, cells := range t.Rows {
			if filled(cells) == 1 {
				found[i].Lone++
			}
		}
	}
	slices.SortStableFunc(found, func(a, b Table) int { return cmp.Compare(a.top, b.top) })
	return found
}

// row is the words of one line, from the left.
type row struct {
	words []word
	base  float64
}

// rowsOf groups words that stand on one line.
func rowsOf(words []word) (rows []row) {
	words = slices.Clone(words)
	slices.SortStableFunc(words, func(a, b word) int { return cmp.Compare(a.base, b.base) })
	for _, w := range words {
		if n := len(rows); n > 0 && w.base-rows[n-1].base < max(near, 0.3*(w.bottom-w.top)) {
			rows[n-1].words = append(rows[n-1].words, w)
			continue
		}
		rows = append(rows, row{words: []word{w}, base: w.base})
	}
	for _, r := range rows {
		slices.SortStableFunc(r.words, func(a, b word) int { return cmp.Compare(a.left, b.left) })
	}
	return rows
}

// size is the height of most of the text.
func size(rows []row) float64 {
	var heights []float64
	for _, r := range rows {
		top, bottom := math.Inf(1), math.Inf(-1)
		for _, w := range r.words {
			top, bottom = min(top, w.top), max(bottom, w.bottom)
		}
		heights = append(heights, bottom-top)
	}
	return middle(heights)
}

func middle(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// piece is a run of words of a line without a wide gap.
type piece struct {
	text        string
	left, right float64
	words       int
}

// pieces takes a line apart at its gaps of at least so much.
func (r row) pieces(gap float64) (all []piece) {
	for _, w := range r.words {
		if n := len(all); n > 0 && w.left-all[n-1].right < gap {
			p := &all[n-1]
			p.text, p.right, p.words = p.text+" "+w.text, max(p.right, w.right), p.words+1
			continue
		}
		all = append(all, piece{w.text, w.left, w.right, 1})
	}
	return all
}

// Gaps in heights of the text: between the columns of a table, and the least of them
// where other lines show that there are columns.
const (
	wideGap   = 0.9
	narrowGap = 0.55
)

// aligned finds tables without rules: lines one below the other, whose words stand in
// columns.
func aligned(words []word) (found []Table) {
	rows := rowsOf(words)
	em := size(rows)
	var now []row
	end := func() {
		for len(now) > 0 && len(now[len(now)-1].pieces(wideGap*em)) < 2 {
			now = now[:len(now)-1]
		}
		if t, ok := columnar(now, em); ok {
			found = append(found, t)
		}
		now = nil
	}
	single := 0
	for i, r := range rows {
		if len(now) > 0 && r.base-rows[i-1].base > 3.2*em {
			end()
		}
		if len(r.pieces(wideGap*em)) > 1 {
			now, single = append(now, r), 0
		} else if len(now) > 0 {
			if now, single = append(now, r), single+1; single > 2 {
				end()
			}
		}
	}
	end()
	return found
}

// columnar makes a table of lines, if they have columns.
func columnar(rows []row, em float64) (t Table, ok bool) {
	full, blank := 0, space(rows, em)
	for _, r := range rows {
		if len(r.pieces(max(narrowGap*em, 1.35*blank))) > 1 {
			full++
		}
	}
	if full < 3 {
		return t, false
	}
	bounds := rivers(rows, em)
	if len(bounds) < 1 {
		return t, false
	}
	t.top = rows[0].base
	hard := tight(rows, bounds, 1.35*blank)
	var bases []float64
	for _, r := range rows {
		cells, spans := r.cells(bounds, hard, 1.35*blank)
		t.Rows, t.Spans, bases = append(t.Rows, cells), t.Spans+spans, append(bases, r.base)
	}
	t.unwrap(bases)
	var wordy []float64
	for _, cells := range t.Rows {
		for _, text := range cells {
			if text != "" {
				wordy = append(wordy, float64(len(strings.Fields(text))))
			}
		}
	}
	return t, middle(wordy) < 4 // a text in columns is not a table
}

// cells are the texts of a line in each column. Words that go on over a bound after no
// more than a blank stay in the column in which they begin, unless the bound is hard or
// all columns then have words.
func (r row) cells(bounds []float64, hard []bool, blank float64) (cells []string, spans int) {
	apart := make([]string, len(bounds)+1)
	cells = make([]string, len(bounds)+1)
	at := 0
	for i, w := range r.words {
		own := columnOf(bounds, (w.left+w.right)/2)
		apart[own] = joined(apart[own], w.text)
		switch {
		case i == 0 || own == at:
			at = own
		case w.left-r.words[i-1].right < blank && !slices.Contains(hard[at:own], true):
			spans++
		default:
			at = own
		}
		cells[at] = joined(cells[at], w.text)
	}
	if filled(apart) == len(apart) {
		return apart, 0
	}
	return cells, spans
}

// tight says which bounds divide words that often stand as close as in one text.
func tight(rows []row, bounds []float64, blank float64) []bool {
	hard := make([]bool, len(bounds))
	for i, b := range bounds {
		near, all := 0, 0
		for _, r := range rows {
			if gap := r.gapAt(b); gap > 0 {
				if all++; gap < blank {
					near++
				}
			}
		}
		hard[i] = near*5 > all
	}
	return hard
}

// space is the width of a blank between two words.
func space(rows []row, em float64) float64 {
	if w := typewritten(rows); w > 0 {
		return 1.15 * w
	}
	var gaps []float64
	for _, r := range rows {
		for i := 1; i < len(r.words); i++ {
			if gap := r.words[i].left - r.words[i-1].right; gap > 0 && gap < wideGap*em {
				gaps = append(gaps, gap)
			}
		}
	}
	if len(gaps) == 0 {
		return em / 4
	}
	slices.Sort(gaps)
	return gaps[len(gaps)/3] // most gaps within a text are alike, and those between columns larger
}

// typewritten is the width of a letter if all have the same; else 0.
func typewritten(rows []row) float64 {
	var widths []float64
	for _, r := range rows {
		for _, w := range r.words {
			if n := utf8.RuneCountInString(w.text); n > 2 {
				widths = append(widths, (w.right-w.left)/float64(n))
			}
		}
	}
	usual := middle(widths) // sorts them
	if n := len(widths); n < 4 || widths[n-1-n/10]-widths[n/10] > 0.12*usual {
		return 0
	}
	return usual
}

// rivers are the middles of the spaces between columns. No line that has nearly as many
// pieces as any has a word there, and in some line with words on both sides they stand
// farther apart than those of one text.
func rivers(rows []row, em float64) (bounds []float64) {
	most, blank := 0, space(rows, em)
	gap := max(narrowGap*em, 1.35*blank)
	for _, r := range rows {
		most = max(most, len(r.pieces(gap)))
	}
	var covered []word
	var wide []row
	for _, r := range rows {
		if n := len(r.pieces(gap)); n*4 >= most*3 && n > 1 {
			covered, wide = append(covered, r.words...), append(wide, r)
		}
	}
	slices.SortFunc(covered, func(a, b word) int { return cmp.Compare(a.left, b.left) })
	for i, end := 1, 0.0; i < len(covered); i++ {
		if end = max(end, covered[i-1].right); covered[i].left-end >= em/7 {
			bounds = append(bounds, (covered[i].left+end)/2)
		}
	}
	apart := max(narrowGap*em, 1.9*blank)
	for i := 0; i < len(bounds); i++ {
		if !divides(wide, bounds, i, apart) {
			bounds = slices.Delete(bounds, i, i+1)
			i = -1 // the columns beside it have changed
		}
	}
	return bounds
}

// divides reports whether a bound is a real one: in some line there is a gap between the
// words on both sides of it.
func divides(rows []row, bounds []float64, i int, apart float64) bool {
	return slices.ContainsFunc(rows, func(r row) bool {
		left, right := false, false
		for _, w := range r.words {
			at := columnOf(bounds, (w.left+w.right)/2)
			left, right = left || at == i, right || at == i+1
		}
		return left && right && r.gapAt(bounds[i]) >= apart
	})
}

// gapAt is the gap between the words on both sides of a place; 0 if a side has no words.
func (r row) gapAt(x float64) float64 {
	for i := 1; i < len(r.words); i++ {
		if r.words[i-1].right <= x && r.words[i].left >= x {
			return r.words[i].left - r.words[i-1].right
		}
	}
	return 0
}

func columnOf(bounds []float64, x float64) int {
	i, _ := slices.BinarySearch(bounds, x)
	return i
}

func joined(before, text string) string {
	if strings.HasSuffix(before, "-") && !strings.HasSuffix(before, " -") {
		return before + text
	}
	return strings.TrimSpace(before + " " + text)
}

// unwrap joins lines that go on in one cell of the row above, which they do if they
// stand closer to it than rows do.
func (t *Table) unwrap(bases []float64) {
	var gaps []float64
	for i := 1; i < len(bases); i++ {
		if filled(t.Rows[i]) > 1 && filled(t.Rows[i-1]) > 1 {
			gaps = append(gaps, bases[i]-bases[i-1])
		}
	}
	usual := middle(gaps)
	for i := len(bases) - 1; i > 0; i-- {
		at := slices.IndexFunc(t.Rows[i], func(s string) bool { return s != "" })
		if filled(t.Rows[i]) == 1 && at > 0 && t.Rows[i-1][at] != "" && bases[i]-bases[i-1] < 0.85*usual {
			t.Rows[i-1][at] = joined(t.Rows[i-1][at], t.Rows[i][at])
			t.Rows = slices.Delete(t.Rows, i, i+1)
		}
	}
}

func filled(cells []string) (n int) {
	for _, c := range cells {
		if c != "" {
			n++
		}
	}
	return n
}
