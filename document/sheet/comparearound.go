package sheet

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/document/ooxml"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// formula notes what a formula does that was not there before.
func (c *comparison) formula(at, formula string) {
	if formula == "" {
		return
	}
	if what := startsProgram(formula); what != "" {
		c.starts = note(c.starts, what, at)
	}
	for _, what := range reachesOut(formula) {
		c.reach = note(c.reach, what, at)
	}
}

// ReasonOld is that of the caveat about formulas whose values may be from before a change.
const ReasonOld = "old_values"

// reached tells what new formulas do.
func (c *comparison) reached() {
	for _, r := range c.starts {
		c.Tell(r.tells("a program that opens the workbook may start another program"))
	}
	for _, r := range c.reach {
		c.Tell(r.request())
	}
	now, was := c.sides[1].book, c.sides[0].book
	if now != nil && now.stale() && (was == nil || !was.stale()) && now.anyFormulas() {
		c.Tell(api.Caveat{Kind: api.CaveatUncalculated, Reason: ReasonOld,
			Text: "values of formulas may be from before this change: open the workbook in a program that calculates, and save it"})
	}
	for _, p := range c.pairs {
		if p.now == nil {
			c.left("sheet", p.was.name, func(formula string) bool { return refersTo(formula, p.was.name) })
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.sides[0].tables)) {
		if c.sides[1].tables[name] == "" {
			c.left("table", name, func(formula string) bool {
				return strings.Contains(strings.ToLower(formula), strings.ToLower(name)+"[")
			})
		}
	}
}

// tables compares the ranges with a name of their own.
func (c *comparison) tables() {
	was, now := c.sides[0].tables, c.sides[1].tables
	for _, name := range slices.Sorted(maps.Keys(union(was, now))) {
		if c.followed(&sheets{}, was[name]) != now[name] {
			c.Other("table "+name, was[name], now[name])
			c.sides[0].parts[c.sides[0].tableParts[name]] = true
			c.sides[1].parts[c.sides[1].tableParts[name]] = true
		}
	}
}

// left tells of formulas that refer to what was deleted.
func (c *comparison) left(what, name string, refers func(formula string) bool) {
	count, first := 0, ""
	for _, g := range c.sides[1].grids {
		for i, r := range g.rows {
			for k, cell := range r.cells {
				if cell.formula != "" && refers(cell.formula) {
					if count++; count == 1 {
						first = g.name + "!" + CellName(k+1, i+1)
					}
				}
			}
		}
	}
	if count > 0 {
		c.Tell(api.Caveat{Kind: api.CaveatUncalculated, Count: &api.Count{N: int64(count), Of: "cells"},
			Text: fmt.Sprintf("%s, the first in %s, to the deleted %s %q", plural(count, "formula refers", "formulas refer"), first, what, name)})
	}
}

// beyond looks at the formulas of the rows that are not compared.
func (c *comparison) beyond(p *sheets) error {
	b := c.sides[1].book
	return b.eachRow(p.now.sheet, func(r row) (bool, error) {
		if r.number <= len(p.now.rows) {
			return true, nil
		}
		_, cells, err := r.split(p.now.sheet.part)
		for _, raw := range cells {
			at := cell{r.number, raw.col}
			c.formula(p.now.name+"!"+at.String(), p.now.sheet.layout.formulaOf(at, raw))
		}
		return true, err
	})
}

// frame are the words for what is around the rows of a sheet. What is not named is
// of the screen or of the printer.
var frame = map[string]string{
	"s:cols": "columns", "s:mergeCells": "merged cells", "s:conditionalFormatting": "conditional formats",
	"s:dataValidations": "data validation",
	"s:hyperlinks":      "links", "s:autoFilter": "filter", "s:sheetProtection": "protection", "s:headerFooter": "header and footer",
	"s:drawing": "charts and pictures",
}

// around compares what is around the rows of a sheet.
func (c *comparison) around(p *sheets) {
	read := func(g *grid) (map[string]string, []string) {
		texts, names := map[string]string{}, []string{}
		for n := range g.sheet.layout.tree.Root.Elements() {
			if n.Name == "s:sheetData" || n.Name == "s:dimension" {
				continue
			}
			name := frame[n.Name]
			if name == "" {
				name = "other settings"
			}
			text := spelled(n)
			if texts[name] == "" {
				names = append(names, name)
			}
			texts[name] = strings.TrimSpace(texts[name] + " " + text)
		}
		return texts, names
	}
	was, names := read(p.was)
	now, more := read(p.now)
	for _, name := range more {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		followed := refs().ReplaceAllStringFunc(was[name], func(ref string) string {
			i := strings.Index(ref, "=") + 1
			var out []string
			for _, one := range strings.Fields(ref[i:]) {
				out = append(out, p.follow(one))
			}
			return ref[:i] + strings.Join(out, " ")
		})
		if followed == now[name] {
			continue
		}
		c.Other(name+" of "+p.now.name, was[name], now[name])
		c.formula(name+" of "+p.now.name, now[name])
	}
}

// refs are the attributes that name cells.
var refs = lazyregexp.New(`\b(?:ref|sqref)=[^;]*`)

// spelled is an element as text: names, attributes and texts.
func spelled(n *ooxml.Node) string {
	var out []string
	for e := range n.All(nil) {
		text := strings.TrimPrefix(e.Name, "s:")
		if attrs := e.Attributes(); attrs != "" {
			text += "(" + attrs + ")"
		}
		if own := e.Text(); own != "" {
			text += " " + own
		}
		out = append(out, text)
	}
	return strings.Join(out, " ")
}

// names compares the names of ranges and formulas.
func (c *comparison) names() {
	read := func(b *Book) map[string]string {
		out := map[string]string{}
		if b == nil {
			return out
		}
		for n := range b.root.Find("s:definedNames").Elements() {
			name := n.Attr("name")
			if local := n.Int("localSheetId", -1); local >= 0 && local < len(b.sheets) {
				name = b.sheets[local].name + "!" + name
			}
			out[name] = n.Text()
		}
		return out
	}
	was, now := read(c.sides[0].book), read(c.sides[1].book)
	for _, name := range slices.Sorted(maps.Keys(union(was, now))) {
		if c.followed(&sheets{}, was[name]) == now[name] {
			continue
		}
		c.Other("name "+name, was[name], now[name])
		c.formula("the name "+name, now[name])
	}
}

func union(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	if out == nil {
		out = map[string]string{}
	}
	maps.Copy(out, b)
	return out
}
