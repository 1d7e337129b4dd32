package googlesql

import (
	"strings"

	"github.com/agnes-data/da/internal/guard/growth"
)

// selects reads a SELECT up to its WINDOW.
func (p *parser) selects() *query {
	q := &query{at: p.cur().At, selects: &selects{}}
	s := q.selects
	p.need("SELECT")
	p.eatOne("ALL", "DISTINCT")
	if p.eat("AS") {
		if s.row = p.eatOne("STRUCT", "VALUE") != ""; !s.row {
			p.unexpected("STRUCT or VALUE")
		}
	}
	s.items = p.items()
	if p.words("FROM") {
		p.from(s)
	}
	if p.eat("WHERE") {
		s.rest = append(s.rest, p.expr())
	}
	if p.eat("GROUP", "BY") {
		p.groupBy(s)
	}
	for p.eatOne("HAVING", "QUALIFY") != "" {
		s.rest = append(s.rest, p.expr())
	}
	if p.eat("WINDOW") {
		p.listOf(func() {
			p.name()
			p.need("AS")
			s.rest = append(s.rest, p.window()...)
		})
	}
	return q
}

// items parses the columns of a SELECT; a trailing comma is allowed.
func (p *parser) items() []item {
	out := []item{}
	for p.err == nil {
		out = append(out, p.item()...)
		if !p.eatSign(",") || p.itemsEnd() {
			break
		}
	}
	return out
}

func (p *parser) itemsEnd() bool {
	return p.words("FROM") || p.sign(")") || p.sign("|>") || p.cur().At == len(p.sql)
}

// item parses a column, or a star with replacements for some of its columns.
func (p *parser) item() []item {
	if p.eatSign("*") {
		return append([]item{{star: true}}, p.starChanges()...)
	}
	e := p.expr()
	if p.sign(".") && isSign(p.ahead(1), "*") {
		p.at += 2
		return append([]item{{star: true, value: e}}, p.starChanges()...)
	}
	i := item{value: e, alias: strings.ToLower(p.alias())}
	if i.alias == "" && e.kind == column {
		i.alias = strings.ToLower(e.path[len(e.path)-1])
	}
	return []item{i}
}

// starChanges reads EXCEPT and REPLACE behind a star.
func (p *parser) starChanges() []item {
	if p.words("EXCEPT") && isSign(p.ahead(1), "(") {
		p.at += 2
		p.listOf(func() { p.name() })
		p.needSign(")")
	}
	if !p.words("REPLACE") || !isSign(p.ahead(1), "(") {
		return nil
	}
	p.at += 2
	var out []item
	p.listOf(func() {
		e := p.expr()
		p.need("AS")
		out = append(out, item{value: e, alias: strings.ToLower(p.name())})
	})
	p.needSign(")")
	return out
}

// groupBy parses a GROUP BY, and counts its grouping sets.
func (p *parser) groupBy(s *selects) {
	s.sets = 1
	if p.eat("ALL") {
		return
	}
	p.listOf(func() { s.sets = growth.Product(s.sets, p.grouping(s)) })
}

func (p *parser) grouping(s *selects) int64 {
	kind := p.eatOne("ROLLUP", "CUBE")
	sets := kind == "" && p.words("GROUPING", "SETS")
	switch {
	case sets:
		p.at += 2
	case kind == "" && p.sign("(") && isSign(p.ahead(1), ")"): // no column at all
		p.at += 2
		return 1
	case kind == "":
		s.groups = append(s.groups, p.expr())
		return 1
	}
	count, each := int64(1), int64(0)
	p.needSign("(")
	p.listOf(func() {
		inner := p.grouping(s)
		each = growth.Sum(each, inner)
		count = growth.Product(count, 2)
	})
	p.needSign(")")
	switch kind {
	case "CUBE":
		return count
	case "ROLLUP":
		return each + 1
	}
	return each
}

// window reads a window: its name, or its definition.
func (p *parser) window() []*expr {
	if !p.eatSign("(") {
		p.name()
		return nil
	}
	var out []*expr
	if isName(p.cur()) {
		p.name()
	}
	if p.eat("PARTITION", "BY") {
		p.listOf(func() { out = append(out, p.expr()) })
	}
	out = append(out, p.orderBy()...)
	if p.eatOne("ROWS", "RANGE") != "" {
		if p.eat("BETWEEN") {
			out = append(out, p.frame()...)
			p.need("AND")
		}
		out = append(out, p.frame()...)
	}
	p.needSign(")")
	return out
}

// frame parses one end of a window frame.
func (p *parser) frame() []*expr {
	if p.eat("CURRENT", "ROW") {
		return nil
	}
	var out []*expr
	if !p.eat("UNBOUNDED") {
		out = append(out, p.expr())
	}
	if p.eatOne("PRECEDING", "FOLLOWING") == "" {
		p.unexpected("PRECEDING or FOLLOWING")
	}
	return out
}
