package pdf

import (
	"cmp"
	"math"
	"slices"
)

// stroke is a horizontal or vertical line: where it is, and from where to where.
type stroke struct{ at, from, to float64 }

// grid is the strokes that divide a part of a page into cells.
type grid struct {
	across, down []stroke  // horizontal ones, vertical ones
	xs, ys       []float64 // where they are
}

// Distances in points: between strokes that are one, and at which they touch.
const (
	oneStroke = 2.5
	touching  = 3.5
	shortest  = 4
)

// strokes are the horizontal and the vertical ones among rules.
func strokes(rules []rule) (across, down []stroke) {
	for _, r := range rules {
		w, h := math.Abs(r.x1-r.x2), math.Abs(r.y1-r.y2)
		switch {
		case h <= 1 && w >= shortest:
			across = append(across, stroke{(r.y1 + r.y2) / 2, min(r.x1, r.x2), max(r.x1, r.x2)})
		case w <= 1 && h >= shortest:
			down = append(down, stroke{(r.x1 + r.x2) / 2, min(r.y1, r.y2), max(r.y1, r.y2)})
		}
	}
	return merged(across), merged(down)
}

// grids finds the grids among the rules of a page.
func grids(rules []rule) (found []grid) {
	across, down := strokes(rules)
	group := make([]int, len(across)+len(down)) // a stroke's group, by the smallest of its strokes
	for i := range group {
		group[i] = i
	}
	for i, a := range across {
		for j, d := range down {
			if a.at >= d.from-touching && a.at <= d.to+touching && d.at >= a.from-touching && d.at <= a.to+touching {
				from, to := group[len(across)+j], group[i]
				for k := range group {
					if group[k] == from {
						group[k] = to
					}
				}
			}
		}
	}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(group))) {
		var g grid
		for i, of := range group {
			switch {
			case of != id:
			case i < len(across):
				g.across = append(g.across, across[i])
			default:
				g.down = append(g.down, down[i-len(across)])
			}
		}
		if g.xs, g.ys = edges(g.down, g.across), edges(g.across, g.down); len(g.xs) > 2 && len(g.ys) > 2 {
			found = append(found, g)
		}
	}
	return found
}

// banded are tables whose rows are divided by rules and whose columns are not: three
// horizontal strokes or more of one width.
func banded(rules []rule, words []word) (found []grid) {
	across, _ := strokes(rules)
	for len(across) > 0 {
		first := across[0]
		var same, others []stroke
		for _, s := range across {
			if math.Abs(s.from-first.from) <= touching && math.Abs(s.to-first.to) <= touching {
				same = append(same, s)
			} else {
				others = append(others, s)
			}
		}
		across = others
		if g, ok := between(same, words); ok {
			found = append(found, g)
		}
	}
	return found
}

// between makes a grid of strokes and the words between them, with a line above the
// first and one below the last that belong to them.
func between(same []stroke, words []word) (g grid, ok bool) {
	if len(same) < 3 {
		return g, false
	}
	left, right := same[0].from-touching, same[0].to+touching
	var beside []word
	for _, w := range words {
		if w.left >= left && w.right <= right {
			beside = append(beside, w)
		}
	}
	rows := rowsOf(beside)
	em := size(rows)
	top, bottom := same[0].at, same[len(same)-1].at
	first := slices.IndexFunc(rows, func(r row) bool { return r.base > top })
	last := first
	for last >= 0 && last < len(rows) && rows[last].words[0].top < bottom {
		last++
	}
	if first < 0 || last == first {
		return g, false
	}
	inColumns := func(i int) bool { return len(rows[i].pieces(wideGap*em)) > 1 }
	for begin := first; first > 0 && first > begin-3 && rows[first].base-rows[first-1].base < 2.2*em && inColumns(first-1); {
		first--
	}
	if last < len(rows) && rows[last].base-rows[last-1].base < 2.2*em && inColumns(last) {
		last++
	}
	near := rows[first:last]
	bounds := rivers(near, em)
	if len(bounds) == 0 {
		return g, false
	}
	g.across = same
	for _, r := range near {
		top, bottom = min(top, r.base-1.2*em), max(bottom, r.base+em/2)
	}
	g.xs = append(append([]float64{left}, bounds...), right)
	for _, x := range g.xs {
		g.down = append(g.down, stroke{x, top, bottom})
	}
	g.ys = edges(same, g.down)
	return g, true
}

// mostStrokes bounds the work of finding grids.
const mostStrokes = 2000

// merged joins strokes that lie on each other or go on.
func merged(all []stroke) (out []stroke) {
	slices.SortFunc(all, func(a, b stroke) int { return cmp.Compare(a.at, b.at) })
	for i := 0; i < len(all) && len(out) < mostStrokes; {
		j := i
		for j < len(all) && all[j].at-all[i].at <= oneStroke {
			j++
		}
		same := slices.Clone(all[i:j])
		slices.SortFunc(same, func(a, b stroke) int { return cmp.Compare(a.from, b.from) })
		first := len(out)
		for _, s := range same {
			if n := len(out); n > first && s.from <= out[n-1].to+touching {
				out[n-1].to = max(out[n-1].to, s.to)
				continue
			}
			out = append(out, stroke{all[i].at, s.from, s.to})
		}
		i = j
	}
	return out
}

// edges are the places of strokes, with the ends of those that cross them where there
// is no stroke at the side.
func edges(strokes, crossing []stroke) (at []float64) {
	for _, s := range strokes {
		at = append(at, s.at)
	}
	for _, c := range crossing {
		at = append(at, c.from, c.to)
	}
	slices.Sort(at)
	return slices.CompactFunc(at, func(a, b float64) bool { return math.Abs(b-a) <= touching })
}

// divided reports whether a stroke lies at a place and covers another.
func divided(strokes []stroke, at, across float64) bool {
	return slices.ContainsFunc(strokes, func(s stroke) bool {
		return math.Abs(s.at-at) <= touching && s.from <= across+1 && s.to >= across-1
	})
}

// table puts the words that lie within the grid into its cells, and returns the others.
// ok is false if fewer than two columns or rows have any.
func (g grid) table(words []word) (t Table, rest []word, ok bool) {
	columns, rows := len(g.xs)-1, len(g.ys)-1
	cells := make([][][]word, rows)
	for r := range cells {
		cells[r] = make([][]word, columns)
	}
	for _, w := range words {
		c, r := columnOf(g.xs, (w.left+w.right)/2)-1, columnOf(g.ys, (w.top+w.bottom)/2)-1
		if c < 0 || c >= columns || r < 0 || r >= rows {
			rest = append(rest, w)
			continue
		}
		for c > 0 && !divided(g.down, g.xs[c], (g.ys[r]+g.ys[r+1])/2) { // a cell across columns
			c--
		}
		for r > 0 && !divided(g.across, g.ys[r], (g.xs[c]+g.xs[c+1])/2) {
			r--
		}
		cells[r][c] = append(cells[r][c], w)
	}
	at := make([]int, rows) // the one row of a band; -1: it has several
	for r := range cells {
		for c := range columns - 1 {
			if len(cells[r][c]) > 0 && !divided(g.down, g.xs[c+1], (g.ys[r]+g.ys[r+1])/2) {
				t.Spans++
			}
		}
		band := band(cells[r])
		if at[r] = len(t.Rows); len(band) != 1 || filled(band[0]) == 0 {
			at[r] = -1
		}
		t.Rows = append(t.Rows, band...)
	}
	g.fill(&t, cells, at)
	t.Ruled, t.top = true, g.ys[0]
	t.trim()
	return t, rest, len(t.Rows) > 1 && len(t.Rows[0]) > 1
}

// fill writes the text of a cell over several rows into each of them, as it is read of a
// merged range of a sheet: text of one line, since lines can be rows that no rule divides.
func (g grid) fill(t *Table, cells [][][]word, at []int) {
	for r := range cells {
		for c, words := range cells[r] {
			over, line := false, len(rowsOf(words)) == 1
			for below := r + 1; below < len(cells) && len(words) > 0 && !divided(g.across, g.ys[below], (g.xs[c]+g.xs[c+1])/2); below++ {
				if at[r] < 0 || at[below] < 0 {
					continue
				}
				if over = true; line {
					t.Rows[at[below]][c] = t.Rows[at[r]][c]
				}
			}
			switch {
			case over && line:
				t.Filled++
			case over:
				t.Tall++
			}
		}
	}
}

// band is a row of cells as text; as several where its lines are rows that no rule
// divides: three or more, each with words in most columns.
func band(cells [][]word) (rows [][]string) {
	var all []word
	used := 0
	for _, words := range cells {
		all = append(all, words...)
		used += min(len(words), 1)
	}
	lines, full := rowsOf(all), 0
	split := make([][]string, len(lines))
	for i, line := range lines {
		split[i] = make([]string, len(cells))
		for c, words := range cells {
			for _, w := range line.words {
				if slices.Contains(words, w) {
					split[i][c] = joined(split[i][c], w.text)
				}
			}
		}
		if n := filled(split[i]); n > 1 && n*2 > used {
			full++
		}
	}
	if len(lines) > 2 && full*5 >= len(lines)*4 {
		return split
	}
	whole := make([]string, len(cells))
	for _, line := range split {
		for c, text := range line {
			whole[c] = joined(whole[c], text)
		}
	}
	return [][]string{whole}
}

// trim leaves rows and columns out that have no text.
func (t *Table) trim() {
	t.Rows = slices.DeleteFunc(t.Rows, func(cells []string) bool { return filled(cells) == 0 })
	for c := 0; len(t.Rows) > 0 && c < len(t.Rows[0]); {
		if slices.ContainsFunc(t.Rows, func(cells []string) bool { return cells[c] != "" }) {
			c++
			continue
		}
		for r := range t.Rows {
			t.Rows[r] = slices.Delete(t.Rows[r], c, c+1)
		}
	}
}
