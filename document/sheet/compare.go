package sheet

import (
	"fmt"
	"hash/maphash"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
)

// Compare compares two workbooks by what people see and what programs do with it:
// values, formulas as text, formats, sheets, names, and what is around the cells.
// Rows that were inserted, deleted or moved are recognised, and formulas that only
// followed them are no change. A workbook that is not there is nil.
func Compare(before, after *Book) (*ooxml.Comparison, error) {
	c := &comparison{seed: maphash.MakeSeed()}
	for i, b := range []*Book{before, after} {
		if err := c.sides[i].read(b, c.seed); err != nil {
			return nil, err
		}
	}
	c.pair()
	for _, p := range c.pairs {
		if err := c.sheet(p); err != nil {
			return nil, err
		}
	}
	c.names()
	c.tables()
	compared := func(part string) bool { return c.sides[0].parts[part] || c.sides[1].parts[part] }
	if err := c.Parts(before.packed(), after.packed(), compared); err != nil {
		return nil, err
	}
	c.reached()
	return &c.Comparison, nil
}

func (b *Book) packed() *ooxml.Package {
	if b == nil {
		return nil
	}
	return b.pkg
}

// comparison is one under way.
type comparison struct {
	ooxml.Comparison
	seed  maphash.Seed
	sides [2]side
	pairs []*sheets
	// reach and starts are what formulas that are new do.
	reach, starts []reach
}

// sheet compares a sheet before and after.
func (c *comparison) sheet(p *sheets) error {
	switch {
	case p.now == nil:
		c.Text(p.was.name, "sheet of "+p.was.size(), "")
		return nil
	case p.was == nil:
		c.Text(p.now.name, "", "new sheet of "+p.now.size())
		if p.now.sheet.chart {
			return nil
		}
		p.was = &grid{name: p.now.name}
		p.align()
	default:
		c.Text(p.now.name, p.was.name, p.now.name)
	}
	c.Other(p.now.name, visibility(p.was), visibility(p.now))
	if p.was.sheet != nil && p.was.sheet.chart || p.now.sheet.chart {
		return nil
	}
	c.cells(p)
	for _, at := range slices.Sorted(maps.Keys(union(p.was.notes, p.now.notes))) {
		c.Text("comment at "+p.now.name+"!"+at, p.was.notes[at], p.now.notes[at])
	}
	if p.was.cut || p.now.cut {
		c.Tell(api.Caveat{Kind: api.CaveatUnread, About: api.Subject{Sheet: p.now.name},
			Text: fmt.Sprintf("of the sheet %s only the first %d rows were compared: read the rest before you rely on it", p.now.name,
				len(p.now.rows))})
		if err := c.beyond(p); err != nil {
			return err
		}
	}
	if p.was.sheet != nil {
		c.around(p)
	}
	return nil
}

// origins returns for each row of now the number of the row of before that it comes
// from, 0 if it is new.
func (p *sheets) origins() []int {
	origin := make([]int, len(p.now.rows))
	for i, to := range p.rows {
		if to > 0 {
			origin[to-1] = i + 1
		}
	}
	return origin
}

// cells compares the cells of a sheet.
func (c *comparison) cells(p *sheets) {
	origin := p.origins()
	formats, order := map[[2]look][]string{}, [][2]look{}
	recalculated, shown, hidden := 0, []string{}, []string{}
	next := 0 // of the rows before: those above it have been told of
	gone := func(to int) {
		for ; next < to; next++ {
			if p.rows[next] == 0 {
				c.gone(p, next+1)
			}
		}
	}
	for j := range p.now.rows {
		row, from, old := &p.now.rows[j], origin[j], gridRow{}
		switch {
		case from == 0:
			c.Text(fmt.Sprintf("%s row %d, inserted", p.now.name, j+1), "", c.line(row))
		case p.moved[j+1]:
			c.Text(fmt.Sprintf("%s row %d, moved", p.now.name, j+1), fmt.Sprintf("row %d: %s", from, c.line(&p.was.rows[from-1])), c.line(row))
		default:
			gone(from - 1)
		}
		if from > 0 {
			old = p.was.rows[from-1]
			switch {
			case row.hidden && !old.hidden:
				hidden = append(hidden, strconv.Itoa(j+1))
			case old.hidden && !row.hidden:
				shown = append(shown, strconv.Itoa(j+1))
			}
		}
		for k := range max(len(row.cells), len(old.cells)) {
			var was, now gridCell
			if k < len(old.cells) {
				was = old.cells[k]
			}
			if k < len(row.cells) {
				now = row.cells[k]
			}
			name := CellName(k+1, j+1)
			followed := was.formula
			if followed != "" && followed != now.formula {
				followed = c.followed(p, followed)
			}
			switch {
			case followed != now.formula, now.formula == "" && !sameValue(was.value, now.value):
				c.formula(p.now.name+"!"+name, now.formula)
				if from > 0 {
					c.cell(p.now.name+"!"+name, was, now)
				}
			case now.formula != "" && !sameValue(was.value, now.value):
				recalculated++
			}
			if from == 0 {
				continue
			}
			if a, b := c.sides[0].lookOf(was.style), c.sides[1].lookOf(now.style); a.all != b.all {
				pair := [2]look{a, b}
				if formats[pair] == nil {
					order = append(order, pair)
				}
				formats[pair] = append(formats[pair], name)
			}
		}
	}
	gone(len(p.rows))
	for _, pair := range order {
		was, now := pair[0].words, pair[1].words
		if was == now {
			now += ", and what is not listed here has changed"
		}
		c.Other("format of "+p.now.name+"!"+some(formats[pair]), was, now)
	}
	for what, rows := range map[string][]string{"hidden": hidden, "shown": shown} {
		if len(rows) > 0 {
			c.Other("rows "+some(rows)+" of "+p.now.name, "", what)
		}
	}
	if recalculated > 0 {
		c.Text(p.now.name, "", plural(recalculated, "unchanged formula has a new result",
			"unchanged formulas have new results"))
	}
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// gone notes a row that was deleted.
func (c *comparison) gone(p *sheets, number int) {
	row := &p.was.rows[number-1]
	if text := c.line(row); text != "" {
		c.Text(fmt.Sprintf("%s row %d, deleted", p.now.name, number), text, "")
	}
}

// line is a row as one line.
func (c *comparison) line(r *gridRow) string {
	var out []string
	for _, g := range r.cells {
		out = append(out, g.shown())
	}
	return strings.TrimRight(strings.Join(out, " | "), " |")
}

// cell notes a change of a cell. A number that became the text of it, or the
// other way round, is told from what stayed as it is.
func (c *comparison) cell(place string, was, now gridCell) {
	a, b := was.shown(), now.shown()
	if a == b {
		a, b = fmt.Sprintf("%s (%s)", a, kindOfValue(was)), fmt.Sprintf("%s (%s)", b, kindOfValue(now))
	}
	c.Text(place, a, b)
}

// some names some cells or rows.
func some(names []string) string {
	if len(names) == 1 {
		return names[0]
	}
	return fmt.Sprintf("%s and %d more up to %s", names[0], len(names)-1, names[len(names)-1])
}
