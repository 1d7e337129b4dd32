package warehouse

import (
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/predicate/syntax"
)

// binary are the operators between two operands. AND is also that of BETWEEN.
var binary = wordset.New("+ - * / || & | ^ << >> = != <> < > <= >= AND OR BETWEEN LIKE IN")

// others are those that BigQuery has not.
var others = wordset.New("% == ILIKE")

// expr parses an expression, and reports whether it is a query in parentheses and
// nothing else. It ignores the precedence of operators, because that does not affect
// what is read and called.
func (p *parser) expr() (query bool) {
	defer p.leave()
	if !p.enter() {
		return false
	}
	query = p.operandOf()
	for p.err == nil {
		switch {
		case p.eat("IS"):
			p.is()
		case p.binaryOperator():
		default:
			return query
		}
		query = false
	}
	return false
}

// is parses the rest after IS.
func (p *parser) is() {
	p.eat("NOT")
	switch {
	case p.eat("DISTINCT", "FROM"):
		p.operandOf()
	case p.eatOne("NULL", "TRUE", "FALSE", "UNKNOWN") == "":
		p.unexpected("NULL, TRUE, FALSE or DISTINCT FROM")
	}
}

// binaryOperator reads an operator and its right operand.
func (p *parser) binaryOperator() bool {
	not := p.words("NOT")
	t := p.cur()
	if not {
		t = p.ahead(1)
	}
	op := strings.ToUpper(t.Text)
	word := t.Kind == syntax.TokenWord
	if !word && t.Kind != syntax.TokenSign || !binary.Has(op) && (p.of.google || !others.Has(op)) ||
		not && op != "IN" && op != "LIKE" && op != "ILIKE" && op != "BETWEEN" {
		return false
	}
	if p.at++; not {
		p.at++
	}
	switch {
	case op == "LIKE" || op == "ILIKE":
		p.eatOne("ANY", "ALL", "SOME")
		if p.of.patterned != nil {
			p.likes()
		}
	case op == "IN" && !p.of.google:
		p.values()
		return true
	case op == "IN" && p.eat("UNNEST"):
		p.needSign("(")
		p.expr()
		p.needSign(")")
		return true
	}
	p.operandOf()
	return true
}

// operandOf reads an operand with the signs before it and the paths behind it. It
// reports whether it is a query in parentheses.
func (p *parser) operandOf() (query bool) {
	prefix := false
	for p.eat("NOT") || p.eatSign("-") || p.eatSign("+") || p.eatSign("~") {
		prefix = true
	}
	at := p.cur().At
	query = p.primary()
	return !p.postfix(at) && query && !prefix
}

// postfix reads fields and elements behind an operand, and reports whether there were
// any.
func (p *parser) postfix(at int) (some bool) {
	for ; p.err == nil; some = true {
		switch {
		case p.sign(".") && !isSign(p.ahead(1), "*"):
			p.at++
			p.field()
			if p.sign("(") {
				p.refuseCall(at, "a function is named with a dataset")
			}
		case !p.of.google && p.eatSign("::"):
			p.typeName()
		case p.eatSign("["):
			p.expr()
			p.needSign("]")
		default:
			return some
		}
	}
	return some
}

// parenthesized reads an expression, several, or a query, and reports which.
func (p *parser) parenthesized() (query bool) {
	p.needSign("(")
	if p.words("SELECT") || p.words("WITH") && !isSign(p.ahead(1), "(") || p.words("FROM") && p.of.google {
		p.subquery()
		return true
	}
	if query = p.expr(); query && p.queryGoesOn() {
		p.body()
	}
	for p.eatSign(",") {
		p.expr()
		query = false
	}
	p.needSign(")")
	return query
}

// subquery reads a query up to the parenthesis that ends it.
func (p *parser) subquery() {
	p.query()
	p.needSign(")")
}

// values reads what follows IN: a query, or values in parentheses. A name is no value:
// to some engines it is a table.
func (p *parser) values() {
	at, from := p.cur().At, p.at
	if !p.sign("(") {
		p.unexpected("a list in parentheses")
		return
	}
	if p.parenthesized() {
		return
	}
	for ; from < p.at; from++ {
		if _, named := p.roles[from]; named {
			p.refuse(at, api.KindUnsupported, "IN is followed by something other than values or a query", "Compare with = and OR.")
		}
	}
}
