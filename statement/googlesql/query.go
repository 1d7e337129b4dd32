package googlesql

import (
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// statement parses the whole text.
func (p *parser) statement() *query {
	if !p.queryBegins() {
		if p.cur().Kind == syntax.TokenEnd {
			p.refuse(0, api.KindEmpty, "the statement is empty", "")
		} else {
			p.refuse(p.cur().At, api.KindNotSelect, "the statement is not a SELECT", "Write one statement that begins with SELECT, WITH or FROM.")
		}
		return &query{}
	}
	q := p.query()
	if p.err == nil && p.cur().Kind != syntax.TokenEnd {
		p.unexpected("the end of the statement")
	}
	return q
}

// tables returns the names that are read and not defined. Bind will define them
// in the outermost WITH, where each name can be defined only once.
func (p *parser) tables(q *query) []string {
	var out []string
	seen := map[string]bool{}
	if p.list > 0 {
		for _, c := range q.with {
			seen[c.name] = true
		}
	}
	for _, m := range p.mentions {
		if seen[strings.ToLower(m.name)] {
			p.refuse(m.at, api.KindUnsupported, "WITH defines a name that the statement also reads as a table of the catalog",
				"Give what WITH defines another name.")
		}
	}
	seen = map[string]bool{}
	for _, m := range p.mentions {
		if !seen[m.name] {
			seen[m.name] = true
			out = append(out, m.name)
		}
	}
	return out
}

func (p *parser) queryBegins() bool {
	return p.words("SELECT") || p.words("WITH") || p.words("FROM") || p.sign("(")
}

// query reads a query with all that belongs to it.
func (p *parser) query() *query {
	defer p.leave()
	if !p.enter() {
		return &query{}
	}
	rows, scope := p.rows, p.scope
	defer func() { p.rows, p.scope = rows, scope }()
	q := &query{at: p.cur().At}
	if !p.words("WITH") {
		return p.body(p.operand())
	}
	p.with(q)
	inner := p.body(p.operand())
	if len(inner.with) > 0 { // for a query in parentheses with names of its own
		inner = &query{at: inner.at, sides: []*query{inner}}
	}
	inner.with, inner.recursive = q.with, q.recursive
	return inner
}

// with reads the names that a query defines.
func (p *parser) with(q *query) {
	p.need("WITH")
	q.recursive = p.eat("RECURSIVE")
	if q.at == p.tokens[0].At && p.list == 0 {
		p.list, p.recursive = p.cur().At, q.recursive
	}
	before := len(p.mentions)
	p.listOf(func() {
		at := p.cur().At
		name := strings.ToLower(p.name())
		if q.recursive {
			for _, m := range p.mentions[before:] {
				if strings.ToLower(m.name) == name {
					p.refuse(m.at, api.KindUnsupported, "WITH RECURSIVE uses a name before it defines it",
						"Define each name before the queries that use it.")
				}
			}
		}
		defined := &scope{name: name, outer: p.scope}
		if q.recursive {
			p.scope = defined
		}
		p.need("AS")
		p.needSign("(")
		body := p.query()
		p.needSign(")")
		p.scope = defined
		for _, c := range q.with {
			if c.name == name {
				p.refuse(at, api.KindSyntaxError, "WITH defines a name twice", "Give each query a name of its own.")
			}
		}
		q.with = append(q.with, cte{name, body})
	})
}

// operand reads a SELECT, a FROM, or a query in parentheses.
func (p *parser) operand() *query {
	switch {
	case p.eatSign("("):
		q := p.query()
		p.needSign(")")
		return q
	case p.words("FROM"):
		at := p.cur().At
		s := &selects{items: []item{{star: true}}}
		p.from(s)
		return &query{at: at, selects: s}
	}
	return p.selects()
}

// body parses what follows the first operand: set operations, an order, a limit
// and pipe steps after |>.
func (p *parser) body(first *query) *query {
	q := p.setOperations(first)
	if rest := append(p.orderBy(), p.limit()...); len(rest) > 0 {
		if len(q.with) > 0 || len(q.rest) > 0 { // a query in parentheses
			q = &query{at: q.at, sides: []*query{q}}
		}
		q.rest = rest
	}
	return p.steps(q)
}

func (p *parser) setOperations(first *query) *query {
	q := first
	for p.setOperator() {
		q = &query{at: q.at, sides: []*query{q, p.operand()}}
	}
	return q
}

// setOperator takes UNION and the like.
func (p *parser) setOperator() bool {
	if p.eatOne("UNION", "INTERSECT", "EXCEPT") == "" {
		return false
	}
	if p.eatOne("ALL", "DISTINCT") == "" {
		p.unexpected("ALL or DISTINCT")
	}
	p.eat("BY", "NAME")
	return true
}

func (p *parser) orderBy() []*expr {
	if !p.eat("ORDER", "BY") {
		return nil
	}
	var out []*expr
	p.listOf(func() {
		out = append(out, p.expr())
		p.orderTerm()
	})
	return out
}

// orderTerm parses what follows an expression in ORDER BY.
func (p *parser) orderTerm() {
	if p.eat("COLLATE") {
		p.textLiteral()
	}
	p.eatOne("ASC", "DESC")
	if p.eat("NULLS") && p.eatOne("FIRST", "LAST") == "" {
		p.unexpected("FIRST or LAST")
	}
}

func (p *parser) limit() []*expr {
	var out []*expr
	if p.eat("LIMIT") {
		out = append(out, p.expr())
		if p.eat("OFFSET") {
			out = append(out, p.expr())
		}
	}
	return out
}
