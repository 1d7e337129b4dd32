package googlesql

import (
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/predicate/syntax"
)

// primary reads an operand without its prefix and suffix operators.
func (p *parser) primary() *expr {
	t := p.cur()
	switch {
	case t.Kind == syntax.TokenNumber, t.Kind == syntax.TokenString, t.Kind == syntax.TokenBytes:
		p.at++
		return &expr{at: t.At, kind: literal, text: t.Text}
	case p.sign("("):
		return p.parenthesized()
	case p.sign("["):
		return p.elements(t.At)
	case t.Kind == syntax.TokenQuoted:
		return p.column()
	case t.Kind != syntax.TokenWord:
		p.unexpected("an expression")
		return &expr{}
	}
	if read := special(strings.ToUpper(t.Text)); read != nil {
		if e := read(p, t.At); e != nil {
			return e
		}
	}
	next := p.ahead(1)
	switch {
	case next.Kind == syntax.TokenString && typed.Has(strings.ToUpper(t.Text)):
		p.at++
		return &expr{at: t.At, kind: literal, text: p.textLiteral()}
	case isSign(next, "("), isSign(next, ".") && spaces.Has(strings.ToUpper(t.Text)) && isSign(p.ahead(3), "("):
		return p.call()
	}
	return p.column()
}

// typed are the types before a literal.
var typed = wordset.New("DATE TIME DATETIME TIMESTAMP NUMERIC DECIMAL BIGNUMERIC BIGDECIMAL JSON")

// special returns the parser for a word with a syntax of its own, or nil. If that
// parser returns nil, it has consumed nothing and the word means something else.
func special(word string) func(*parser, int) *expr {
	switch word {
	case "NULL", "TRUE", "FALSE":
		return (*parser).constant
	case "CASE":
		return (*parser).cases
	case "CAST", "SAFE_CAST":
		return (*parser).cast
	case "EXTRACT":
		return (*parser).extract
	case "EXISTS":
		return (*parser).exists
	case "ARRAY":
		return (*parser).array
	case "STRUCT":
		return (*parser).structure
	case "INTERVAL":
		return (*parser).interval
	case "RANGE":
		return (*parser).rangeLiteral
	case "CURRENT_USER", "SESSION_USER":
		return (*parser).whoAmI
	}
	return nil
}

func (p *parser) constant(at int) *expr {
	text := strings.ToLower(p.cur().Text)
	p.at++
	return &expr{at: at, kind: literal, text: text}
}

// column reads the name of a column, or of a row.
func (p *parser) column() *expr {
	at := p.cur().At
	quoted := p.cur().Kind == syntax.TokenQuoted
	e := &expr{at: at, kind: column, path: []string{strings.ToLower(p.name())}}
	if quoted && p.sign("(") {
		p.refuseCall(at, "a function is named in backticks")
	}
	return e
}

func (p *parser) whoAmI(at int) *expr {
	p.refuseCall(at, "the statement asks who the server is")
	return nil
}

func (p *parser) refuseCall(at int, message string) {
	p.refuse(at, api.KindForbiddenFunction, message+", which is not run for others", "Call the functions that BigQuery brings along.")
}

// textLiteral parses a string literal.
func (p *parser) textLiteral() string {
	t := p.cur()
	if t.Kind != syntax.TokenString {
		p.unexpected("a text in quotes")
		return ""
	}
	p.at++
	return t.Text
}

// cases reads CASE.
func (p *parser) cases(at int) *expr {
	p.need("CASE")
	e := &expr{at: at, kind: branches}
	if !p.words("WHEN") {
		e.parts = append(e.parts, p.expr())
	}
	for p.eat("WHEN") {
		e.parts = append(e.parts, p.expr())
		p.need("THEN")
		e.parts = append(e.parts, p.expr())
	}
	if p.eat("ELSE") {
		e.parts = append(e.parts, p.expr())
	}
	p.need("END")
	return e
}

// cast reads CAST and SAFE_CAST.
func (p *parser) cast(at int) *expr {
	p.at++
	p.needSign("(")
	e := &expr{at: at, kind: call, text: "cast", parts: []*expr{p.expr()}}
	p.need("AS")
	p.typeName()
	if p.eat("FORMAT") {
		e.parts = append(e.parts, p.expr())
		p.atTimeZone(e)
	}
	p.needSign(")")
	return e
}

func (p *parser) atTimeZone(e *expr) {
	if p.eat("AT", "TIME", "ZONE") {
		e.parts = append(e.parts, p.expr())
	}
}

// extract reads EXTRACT(part FROM value).
func (p *parser) extract(at int) *expr {
	p.at++
	e := &expr{at: at, kind: call, text: "extract"}
	p.needSign("(")
	p.datePart()
	p.need("FROM")
	e.parts = append(e.parts, p.expr())
	p.atTimeZone(e)
	p.needSign(")")
	return e
}

// datePart reads a part of a date, as MONTH or WEEK(MONDAY).
func (p *parser) datePart() {
	p.name()
	if p.eatSign("(") {
		p.name()
		p.needSign(")")
	}
}

func (p *parser) exists(at int) *expr {
	p.at++
	p.needSign("(")
	return &expr{at: at, kind: operators, stays: true, parts: []*expr{p.subquery(at)}}
}

// array reads ARRAY(query), and ARRAY<type>[…].
func (p *parser) array(at int) *expr {
	if isSign(p.ahead(1), "(") {
		p.at += 2
		return p.subquery(at)
	}
	if isSign(p.ahead(1), "<") {
		p.typeName()
	} else {
		p.at++
	}
	return p.elements(at)
}

func (p *parser) elements(at int) *expr {
	e := &expr{at: at, kind: operators, grown: true}
	p.needSign("[")
	if !p.sign("]") {
		p.listOf(func() { e.parts = append(e.parts, p.expr()) })
	}
	p.needSign("]")
	return e
}

// structure reads STRUCT(…) and STRUCT<type>(…).
func (p *parser) structure(at int) *expr {
	e := &expr{at: at, kind: operators, grown: true}
	if isSign(p.ahead(1), "<") {
		p.typeName()
	} else {
		p.at++
	}
	p.needSign("(")
	if !p.sign(")") {
		p.listOf(func() {
			e.parts = append(e.parts, p.expr())
			if p.eat("AS") {
				p.name()
			}
		})
	}
	p.needSign(")")
	return e
}

// interval reads INTERVAL value PART [TO PART]. INTERVAL is not a name.
func (p *parser) interval(at int) *expr {
	p.at++
	e := &expr{at: at, kind: operators, stays: true, parts: []*expr{p.operandOf()}}
	p.name()
	if p.eat("TO") {
		p.name()
	}
	return e
}

// rangeLiteral reads RANGE<type> '[…)', and RANGE(…).
func (p *parser) rangeLiteral(at int) *expr {
	if !isSign(p.ahead(1), "<") {
		return nil
	}
	p.typeName()
	return &expr{at: at, kind: literal, text: p.textLiteral()}
}
