package warehouse

import (
	"fmt"

	"github.com/agnes-data/da/api"
)

// selects reads a SELECT up to its WINDOW.
func (p *parser) selects() {
	defer p.selecting()()
	p.need("SELECT")
	p.eatOne("ALL", "DISTINCT")
	if p.of.google && p.eat("AS") && p.eatOne("STRUCT", "VALUE") == "" {
		p.unexpected("STRUCT or VALUE")
	}
	p.items()
	if p.words("FROM") {
		p.from()
	}
	if p.eat("WHERE") {
		p.expr()
	}
	if p.eat("GROUP", "BY") && !p.eat("ALL") {
		p.groupings()
	}
	for p.eatOne("HAVING", "QUALIFY") != "" {
		p.expr()
	}
	if p.eat("WINDOW") {
		p.listOf(func() {
			name := p.fold(p.name())
			p.need("AS")
			p.windowNamed(name)
		})
	}
}

// items parses the columns of a SELECT; a trailing comma is allowed.
func (p *parser) items() {
	for p.err == nil {
		if p.item(); !p.eatSign(",") || p.itemsEnd() {
			return
		}
	}
}

func (p *parser) itemsEnd() bool {
	return p.words("FROM") || p.sign(")") || p.sign("|>") || p.cur().At == len(p.sql)
}

// item parses a column, or a star with replacements for some of its columns.
func (p *parser) item() {
	if p.eatSign("*") {
		p.noteStar()
		p.starChanges()
		return
	}
	from := p.at
	p.expr()
	if p.sign(".") && isSign(p.ahead(1), "*") {
		p.at += 2
		p.noteStar()
		p.starChanges()
		return
	}
	to := p.at
	p.noteItem(from, to, p.alias())
}

// starChanges reads EXCEPT and REPLACE behind a star.
func (p *parser) starChanges() {
	if !p.of.google {
		return
	}
	if p.words("EXCEPT") && isSign(p.ahead(1), "(") {
		p.at += 2
		p.listOf(func() { p.name() })
		p.needSign(")")
	}
	if !p.words("REPLACE") || !isSign(p.ahead(1), "(") {
		return
	}
	p.at += 2
	p.listOf(func() {
		p.expr()
		p.need("AS")
		p.name()
	})
	p.needSign(")")
}

// groupings reads what follows GROUP BY. Each set is an aggregation of its own.
func (p *parser) groupings() {
	at, sets := p.cur().At, 1
	p.listOf(func() { sets = min(sets*p.grouping(), maxSets+1) })
	if sets > maxSets && !p.of.google {
		p.refuse(at, api.KindTooDeep, fmt.Sprintf("the statement groups by more than %d sets of columns", maxSets), "Group by fewer columns at a time.")
	}
}

// grouping parses an item of GROUP BY: a column, or sets of them. It returns how many sets
// there are.
func (p *parser) grouping() (n int) {
	kind := p.eatOne("ROLLUP", "CUBE")
	sets := kind == "" && p.words("GROUPING", "SETS")
	switch {
	case sets:
		p.at += 2
	case kind == "" && p.sign("(") && isSign(p.ahead(1), ")"): // no column at all
		p.at += 2
		return 1
	case kind == "":
		p.term()
		return 1
	}
	columns := 0
	p.needSign("(")
	p.listOf(func() {
		columns++
		n = min(n+p.grouping(), maxSets+1)
	})
	p.needSign(")")
	switch kind {
	case "ROLLUP":
		n = columns + 1
	case "CUBE":
		n = 1 << min(columns, 20)
	}
	return n
}

// window reads a window: its name, or its definition.
func (p *parser) window() {
	if !p.eatSign("(") {
		p.use(p.name())
		return
	}
	if p.isName(p.cur()) {
		p.use(p.name())
	}
	if p.eat("PARTITION", "BY") {
		p.listOf(func() { p.expr() })
	}
	p.orderBy()
	if p.eatOne("ROWS", "RANGE") != "" {
		if p.eat("BETWEEN") {
			p.frame()
			p.need("AND")
		}
		p.frame()
	}
	p.needSign(")")
}

// frame parses one end of a window frame.
func (p *parser) frame() {
	if p.eat("CURRENT", "ROW") {
		return
	}
	if !p.eat("UNBOUNDED") {
		p.expr()
	}
	if p.eatOne("PRECEDING", "FOLLOWING") == "" {
		p.unexpected("PRECEDING or FOLLOWING")
	}
}
