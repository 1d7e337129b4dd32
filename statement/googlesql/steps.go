package googlesql

import "strings"

// steps parses the pipe steps after |>. Each is a query over the steps before.
func (p *parser) steps(q *query) *query {
	for p.eatSign("|>") {
		p.rows = map[string]bool{}
		q = p.step(q)
	}
	return q
}

func (p *parser) step(input *query) *query {
	s := &selects{items: []item{{star: true}}, from: &relation{at: p.cur().At, parts: []*relation{{query: input}}}}
	q := &query{at: s.from.at, selects: s}
	switch {
	case p.eat("WHERE"):
		s.rest = append(s.rest, p.expr())
	case p.eat("SELECT"):
		p.eatOne("ALL", "DISTINCT")
		s.items = p.items()
	case p.eat("EXTEND"):
		s.items = append(s.items, p.items()...)
	case p.eat("SET"):
		p.listOf(func() {
			name := strings.ToLower(p.name())
			p.needSign("=")
			s.items = append(s.items, item{value: p.expr(), alias: name})
		})
	case p.eat("DROP"):
		p.listOf(func() { p.name() })
	case p.eat("RENAME"):
		p.listOf(func() {
			from := p.column()
			p.eat("AS")
			s.items = append(s.items, item{value: from, alias: strings.ToLower(p.name())})
		})
	case p.eat("AS"):
		s.from.parts[0].alias = strings.ToLower(p.name())
	case p.eat("DISTINCT"):
	case p.eat("AGGREGATE"):
		p.aggregate(s)
	case p.words("ORDER"), p.words("LIMIT"):
		q.rest = append(p.orderBy(), p.limit()...)
	case p.setOperator():
		q = &query{at: q.at, sides: []*query{input}}
		p.listOf(func() { q.sides = append(q.sides, p.operand()) })
	case p.words("TABLESAMPLE"), p.pivots():
		s.from = p.changes(s.from)
	default:
		if p.joins(s.from, nil); len(s.from.parts) == 1 {
			p.unexpected("a step such as WHERE, SELECT, EXTEND, AGGREGATE or JOIN")
		}
	}
	return q
}

// aggregate parses AGGREGATE and its GROUP BY, whose expressions can have names.
func (p *parser) aggregate(s *selects) {
	s.items, s.sets = nil, 1
	term := func() {
		s.items = append(s.items, p.item()...)
		p.orderTerm()
	}
	if !p.words("GROUP") {
		p.listOf(term)
	}
	groups := len(s.items)
	if !p.eat("GROUP", "AND", "ORDER", "BY") && !p.eat("GROUP", "BY") {
		return
	}
	p.listOf(term)
	for _, i := range s.items[groups:] {
		s.groups = append(s.groups, i.value)
	}
}
