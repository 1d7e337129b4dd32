package warehouse

// pivots reports whether PIVOT or UNPIVOT comes, which are also names.
func (p *parser) pivots() bool {
	next := p.ahead(1)
	return p.of.google && (p.words("PIVOT") && isSign(next, "(") ||
		p.words("UNPIVOT") && (isSign(next, "(") || isWord(next, "INCLUDE") || isWord(next, "EXCLUDE")))
}

// pivot reads the aggregates, the column and its values.
func (p *parser) pivot() {
	value := func() {
		p.expr()
		p.alias()
	}
	p.needSign("(")
	p.listOf(value)
	p.need("FOR")
	p.operandOf()
	p.need("IN")
	p.needSign("(")
	p.listOf(value)
	p.needSign(")")
	p.needSign(")")
}

// unpivot reads the new columns and the columns that they are made of.
func (p *parser) unpivot() {
	if p.eatOne("INCLUDE", "EXCLUDE") != "" {
		p.need("NULLS")
	}
	p.needSign("(")
	p.columns()
	p.need("FOR")
	p.name()
	p.need("IN")
	p.needSign("(")
	p.listOf(func() {
		p.columns()
		if p.eat("AS") {
			p.expr()
		}
	})
	p.needSign(")")
	p.needSign(")")
}

// columns reads a name, or several in parentheses.
func (p *parser) columns() {
	if !p.eatSign("(") {
		p.name()
		return
	}
	p.listOf(func() { p.name() })
	p.needSign(")")
}
