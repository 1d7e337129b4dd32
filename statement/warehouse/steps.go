package warehouse

// steps parses the pipe steps after |>. Each is a query over the steps before.
func (p *parser) steps() {
	for p.eatSign("|>") {
		p.rows = map[string]bool{}
		p.step()
	}
}

func (p *parser) step() {
	switch {
	case p.eat("WHERE"):
		p.expr()
	case p.eat("SELECT"):
		p.eatOne("ALL", "DISTINCT")
		p.items()
	case p.eat("EXTEND"):
		p.items()
	case p.eat("SET"):
		p.listOf(func() {
			p.name()
			p.needSign("=")
			p.expr()
		})
	case p.eat("DROP"):
		p.listOf(func() { p.name() })
	case p.eat("RENAME"):
		p.listOf(func() {
			p.column()
			p.eat("AS")
			p.name()
		})
	case p.eat("AS"):
		p.name()
	case p.eat("DISTINCT"):
	case p.eat("AGGREGATE"):
		p.aggregate()
	case p.words("ORDER"), p.words("LIMIT"):
		p.orderBy()
		p.limit()
	case p.setOperator():
		p.listOf(p.operand)
	case p.words("TABLESAMPLE"), p.pivots():
		p.changes(item{})
	case !p.joins():
		p.unexpected("a step such as WHERE, SELECT, EXTEND, AGGREGATE or JOIN")
	}
}

// aggregate parses AGGREGATE and its GROUP BY, whose expressions can have names.
func (p *parser) aggregate() {
	term := func() {
		p.item()
		p.orderTerm()
	}
	if !p.words("GROUP") {
		p.listOf(term)
	}
	if p.eat("GROUP", "AND", "ORDER", "BY") || p.eat("GROUP", "BY") {
		p.listOf(term)
	}
}
