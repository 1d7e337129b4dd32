package warehouse

import (
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// statement parses the whole text.
func (p *parser) statement() {
	if !p.queryBegins() {
		if p.cur().Kind == syntax.TokenEnd {
			p.refuse(0, api.KindEmpty, "the statement is empty", "")
		} else {
			p.refuse(p.cur().At, api.KindNotSelect, "the statement is not a SELECT", p.of.begins())
		}
		return
	}
	p.query()
	if p.err == nil && p.cur().Kind != syntax.TokenEnd {
		p.unexpected("the end of the statement")
	}
}

// tables returns the names that are read and not defined. Bind will define them
// in the outermost WITH, where each name can be defined only once.
func (p *parser) tables() []string {
	var out []string
	for _, m := range p.mentions {
		if p.outermost[strings.ToLower(m.name)] && p.of.google {
			p.refuse(m.at, api.KindUnsupported, "WITH defines a name that the statement also reads as a table of the catalog",
				"Give what WITH defines another name.")
		}
	}
	seen := map[string]bool{}
	for _, m := range p.mentions {
		if !seen[m.name] {
			seen[m.name] = true
			out = append(out, m.name)
		}
	}
	return out
}

func (p *parser) queryBegins() bool {
	return p.words("SELECT") || p.words("WITH") || p.words("FROM") && p.of.google || p.sign("(")
}

// query reads a query with all that belongs to it.
func (p *parser) query() {
	defer p.leave()
	if !p.enter() {
		return
	}
	rows, scope := p.rows, p.scope
	defer func() { p.rows, p.scope = rows, scope }()
	if p.words("WITH") {
		p.with()
	}
	p.operand()
	p.body()
}

// with reads the names that a query defines.
func (p *parser) with() {
	outermost := p.at == 0
	p.need("WITH")
	recursive := p.of.google && p.eat("RECURSIVE")
	if outermost {
		p.list, p.recursive = p.cur().At, recursive
	}
	before := len(p.mentions)
	names := map[string]bool{}
	p.listOf(func() {
		at, token := p.cur().At, p.at
		name := p.fold(p.name())
		p.plays(token, role{kind: roleDefined, name: name, aliased: true})
		if recursive {
			for _, m := range p.mentions[before:] {
				if strings.ToLower(m.name) == name {
					p.refuse(m.at, api.KindUnsupported, "WITH RECURSIVE uses a name before it defines it",
						"Define each name before the queries that use it.")
				}
			}
		}
		defined := &scope{name: name, outer: p.scope}
		if recursive {
			p.scope = defined
		}
		p.need("AS")
		p.needSign("(")
		reads := p.reads
		p.query()
		defined.reads, p.reads, defined.gives = p.reads-reads, reads, p.last
		p.needSign(")")
		p.scope = defined
		if names[name] {
			p.refuse(at, api.KindSyntaxError, "WITH defines a name twice", "Give each query a name of its own.")
		}
		names[name] = true
	})
	if outermost {
		p.outermost = names
	}
}

// operand reads a SELECT, a FROM, or a query in parentheses.
func (p *parser) operand() {
	switch {
	case p.eatSign("("):
		p.query()
		p.needSign(")")
	case p.words("FROM") && p.of.google:
		p.from()
	default:
		p.selects()
	}
}

// body parses what follows the first operand: set operations, an order, a limit
// and pipe steps after |>.
func (p *parser) body() {
	for p.setOperator() {
		before := p.last
		p.operand()
		p.last = united(before, p.last)
	}
	p.ordered()
	if p.of.google {
		p.steps()
	}
}

// setOperator takes UNION and the like.
func (p *parser) setOperator() bool {
	if p.eatOne("UNION", "INTERSECT", "EXCEPT") == "" {
		return false
	}
	if p.eatOne("ALL", "DISTINCT") == "" && p.of.google {
		p.unexpected("ALL or DISTINCT")
	}
	_ = p.of.google && p.eat("BY", "NAME")
	return true
}

func (p *parser) orderBy() {
	if p.eat("ORDER", "BY") {
		p.listOf(func() {
			p.term()
			p.orderTerm()
		})
	}
}

// term reads what rows are ordered or grouped by.
func (p *parser) term() {
	if p.cur().Kind == syntax.TokenNumber {
		p.use(ordinal)
	}
	p.expr()
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

func (p *parser) limit() {
	if p.eat("LIMIT") {
		p.expr()
		if p.eat("OFFSET") {
			p.expr()
		}
	}
}
