package googlesql

import "strings"

// pivots reports whether PIVOT or UNPIVOT comes, which are also names.
func (p *parser) pivots() bool {
	next := p.ahead(1)
	return p.words("PIVOT") && isSign(next, "(") ||
		p.words("UNPIVOT") && (isSign(next, "(") || isWord(next, "INCLUDE") || isWord(next, "EXCLUDE"))
}

// pivot reads the aggregates, the column and its values; each aggregate is a
// column for each value.
func (p *parser) pivot(r *relation) {
	var made []*expr
	p.needSign("(")
	p.listOf(func() {
		made = append(made, p.expr())
		p.alias()
	})
	p.need("FOR")
	r.joined = append(r.joined, p.operandOf())
	p.need("IN")
	p.needSign("(")
	p.listOf(func() {
		r.made = append(append(r.made, p.expr()), made...)
		p.alias()
	})
	p.needSign(")")
	p.needSign(")")
}

// unpivot reads the new columns and the columns that they are made of.
func (p *parser) unpivot(r *relation) {
	if p.eatOne("INCLUDE", "EXCLUDE") != "" {
		p.need("NULLS")
	}
	p.needSign("(")
	p.columns(r)
	p.need("FOR")
	r.columns = append(r.columns, strings.ToLower(p.name()))
	p.need("IN")
	p.needSign("(")
	p.listOf(func() {
		p.columns(&relation{})
		if p.eat("AS") {
			p.expr()
		}
	})
	p.needSign(")")
	p.needSign(")")
}

// columns reads a name, or several in parentheses.
func (p *parser) columns(r *relation) {
	read := func() { r.columns = append(r.columns, strings.ToLower(p.name())) }
	if !p.eatSign("(") {
		read()
		return
	}
	p.listOf(read)
	p.needSign(")")
}
