package googlesql

import (
	"strings"

	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/predicate/syntax"
)

// binary are the operators between two operands. AND is also that of BETWEEN.
var binary = wordset.New("+ - * / || & | ^ << >> = != <> < > <= >= AND OR BETWEEN LIKE IN")

// expr parses an expression. It ignores the precedence of operators, because that
// does not affect what is read and called.
func (p *parser) expr() *expr {
	defer p.leave()
	if !p.enter() {
		return &expr{}
	}
	first := p.operandOf()
	e := &expr{at: first.at, kind: operators, parts: []*expr{first}}
	for p.err == nil {
		switch {
		case p.eat("IS"):
			p.is(e)
		case p.binaryOperator(e):
		default:
			if len(e.parts) == 1 && !e.stays {
				return first
			}
			return e
		}
	}
	return e
}

// is parses the rest after IS.
func (p *parser) is(e *expr) {
	e.stays = true
	p.eat("NOT")
	switch {
	case p.eat("DISTINCT", "FROM"):
		e.parts = append(e.parts, p.operandOf())
	case p.eatOne("NULL", "TRUE", "FALSE", "UNKNOWN") == "":
		p.unexpected("NULL, TRUE, FALSE or DISTINCT FROM")
	}
}

// binaryOperator reads an operator and its right operand.
func (p *parser) binaryOperator(e *expr) bool {
	not := p.words("NOT")
	t := p.cur()
	if not {
		t = p.ahead(1)
	}
	op := strings.ToUpper(t.Text)
	word := t.Kind == syntax.TokenWord
	if !word && t.Kind != syntax.TokenSign || !binary.Has(op) || not && op != "IN" && op != "LIKE" && op != "BETWEEN" {
		return false
	}
	if p.at++; not {
		p.at++
	}
	e.stays = e.stays || op != "||"
	e.grown = e.grown || op == "||"
	switch {
	case op == "LIKE":
		p.eatOne("ANY", "ALL", "SOME")
	case op == "IN" && p.eat("UNNEST"):
		p.needSign("(")
		e.parts = append(e.parts, p.expr())
		p.needSign(")")
		return true
	}
	e.parts = append(e.parts, p.operandOf())
	return true
}

// operandOf reads an operand with the signs before it and the paths behind it.
func (p *parser) operandOf() *expr {
	prefix := false
	at := p.cur().At
	for p.eat("NOT") || p.eatSign("-") || p.eatSign("+") || p.eatSign("~") {
		prefix = true
	}
	e := p.postfix(p.primary())
	if prefix {
		return &expr{at: at, kind: operators, stays: true, parts: []*expr{e}}
	}
	return e
}

// postfix reads fields and elements.
func (p *parser) postfix(e *expr) *expr {
	for p.err == nil {
		switch {
		case p.sign(".") && !isSign(p.ahead(1), "*"):
			p.at++
			if name := p.field(); e.kind == column {
				e.path = append(e.path, strings.ToLower(name))
			}
			if p.sign("(") {
				p.refuseCall(e.at, "a function is named with a dataset")
			}
		case p.eatSign("["):
			e = &expr{at: e.at, kind: operators, grown: true, parts: []*expr{e, p.expr()}}
			p.needSign("]")
		default:
			return e
		}
	}
	return e
}

// parenthesized reads an expression, several, or a query.
func (p *parser) parenthesized() *expr {
	at := p.cur().At
	p.needSign("(")
	if p.words("SELECT") || p.words("WITH") && !isSign(p.ahead(1), "(") || p.words("FROM") {
		return p.subquery(at)
	}
	e := p.expr()
	if e.kind == subquery && p.queryGoesOn() {
		e = &expr{at: at, kind: subquery, sub: p.body(e.sub)}
	}
	if p.sign(",") {
		e = &expr{at: at, kind: operators, grown: true, parts: []*expr{e}}
		for p.eatSign(",") {
			e.parts = append(e.parts, p.expr())
		}
	}
	p.needSign(")")
	return e
}

// subquery reads a query up to the parenthesis that ends it.
func (p *parser) subquery(at int) *expr {
	e := &expr{at: at, kind: subquery, sub: p.query()}
	p.needSign(")")
	return e
}
