package sheet

import (
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/words/lcs"
	"github.com/agnes-data/da/table/xlsx"
)

// sheets is a sheet before and after; one of them may be nil.
type sheets struct {
	was, now *grid
	// rows[i] is where row i+1 has gone, and 0 if it is gone.
	rows []int
	// moved are the rows, by their number now, that were elsewhere before.
	moved map[int]bool
}

// pair finds the sheets that belong together: by name, then, for those that were
// renamed, by the number that programs give them.
func (c *comparison) pair() {
	var left []*grid
	for _, now := range c.sides[1].grids {
		p := &sheets{now: now}
		if i := slices.IndexFunc(c.sides[0].grids, func(g *grid) bool { return g.name == now.name }); i >= 0 {
			p.was = c.sides[0].grids[i]
		} else {
			left = append(left, now)
		}
		c.pairs = append(c.pairs, p)
	}
	for i, was := range c.sides[0].grids {
		if slices.ContainsFunc(c.pairs, func(p *sheets) bool { return p.was == was }) {
			continue
		}
		found := slices.IndexFunc(c.pairs, func(p *sheets) bool {
			return p.was == nil && slices.Contains(left, p.now) && p.now.sheet.node.Attr("sheetId") == was.sheet.node.Attr("sheetId")
		})
		if found >= 0 {
			c.pairs[found].was = was
			continue
		}
		c.pairs = slices.Insert(c.pairs, min(i, len(c.pairs)), &sheets{was: was})
	}
	for _, p := range c.pairs {
		p.align()
	}
}

// align finds where each row has gone.
func (p *sheets) align() {
	if p.was == nil || p.now == nil {
		return
	}
	keys := func(g *grid) (out []uint64) {
		for _, r := range g.rows {
			out = append(out, r.key)
		}
		return out
	}
	p.rows, p.moved = make([]int, len(p.was.rows)), map[int]bool{}
	taken := make([]bool, len(p.now.rows))
	at, shift := 0, 0
	same := func(to int) {
		for ; at < to; at++ {
			p.rows[at] = at + shift + 1
			taken[at+shift] = true
		}
	}
	for _, r := range lcs.Runs(keys(p.was), keys(p.now)) {
		same(r.A)
		for i := range min(r.AEnd-r.A, r.BEnd-r.B) {
			p.rows[r.A+i] = r.B + i + 1
			taken[r.B+i] = true
		}
		at, shift = r.AEnd, r.BEnd-r.AEnd
	}
	same(len(p.was.rows))
	// What is gone from one place and new at another has moved.
	gone := map[uint64]int{}
	for i, to := range p.rows {
		if key := p.was.rows[i].key; to == 0 && key != 0 {
			gone[key] = i
		}
	}
	for j, r := range p.now.rows {
		if i, ok := gone[r.key]; ok && !taken[j] {
			p.rows[i], taken[j], p.moved[j+1] = j+1, true, true
			delete(gone, r.key)
		}
	}
}

// row is where a row that a formula names has gone; end says that it is the last
// one of a range.
func (p *sheets) row(r int, end bool) int {
	if r > len(p.rows) {
		return r + len(p.now.rows) - len(p.rows)
	}
	if to := p.rows[r-1]; to > 0 {
		return to
	}
	for step := 1; r > 0 && r <= len(p.rows); {
		if to := p.rows[r-1]; to > 0 {
			return to
		}
		if end {
			step = -1
		}
		r += step
	}
	return r
}

// followed is a formula of a sheet as it reads now if it only followed the rows.
func (c *comparison) followed(home *sheets, formula string) string {
	return mapFormula(formula, func(sheet, ref string) string {
		p := home
		if sheet != "" {
			i := slices.IndexFunc(c.pairs, func(p *sheets) bool { return p.was != nil && strings.EqualFold(p.was.name, sheet) })
			if i < 0 {
				return ref
			}
			p = c.pairs[i]
		}
		if p.was == nil || p.now == nil {
			return ref
		}
		return p.follow(ref)
	})
}

// follow is a reference to the rows where they are now.
func (p *sheets) follow(ref string) string {
	parts := strings.Split(ref, ":")
	for i, part := range parts {
		k, ok := cornerOf(part)
		if !ok || k.row == 0 || k.row == xlsx.MaxRows || i == 0 && strings.HasSuffix(ref, strconv.Itoa(xlsx.MaxRows)) {
			continue
		}
		k.row = p.row(k.row, i > 0)
		parts[i] = k.String()
	}
	return strings.Join(parts, ":")
}
