package warehouse

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/wordset"
	"github.com/agnes-data/da/predicate/syntax"
)

// primary reads an operand without its prefix and suffix operators, and reports
// whether it is a query in parentheses.
func (p *parser) primary() (query bool) {
	t, next := p.cur(), p.ahead(1)
	switch {
	case t.Kind == syntax.TokenNumber, t.Kind == syntax.TokenString, t.Kind == syntax.TokenBytes:
		p.at++
	case p.sign("("):
		return p.parenthesized()
	case p.sign("["):
		p.elements()
	case t.Kind == syntax.TokenQuoted:
		p.column()
	case t.Kind != syntax.TokenWord:
		p.unexpected("an expression")
	case p.special():
	case next.Kind == syntax.TokenString && p.of.typed.Has(strings.ToUpper(t.Text)):
		p.at++
		p.textLiteral()
	case p.of.clocks.Has(strings.ToUpper(t.Text)) && !isSign(next, "("):
		p.at++
	case isSign(next, "("), p.of.google && isSign(next, ".") && spaces.Has(strings.ToUpper(t.Text)) && isSign(p.ahead(3), "("):
		p.call()
	default:
		p.column()
	}
	return false
}

// special reads what begins with a word that has a syntax of its own. If it returns
// false, it has consumed nothing.
func (p *parser) special() bool {
	t, word := p.cur(), strings.ToUpper(p.cur().Text)
	if !p.of.google && googleOnly.Has(word) || word == "ARRAY" && !p.of.google && !isSign(p.ahead(1), "[") {
		return false
	}
	switch word {
	case "NULL", "TRUE", "FALSE":
		p.at++
	case "CASE":
		p.cases()
	case "CAST", "SAFE_CAST", "TRY_CAST":
		p.cast()
	case "EXTRACT":
		p.extract()
	case "EXISTS":
		p.at++
		p.needSign("(")
		p.subquery()
	case "ARRAY":
		p.array()
	case "STRUCT":
		p.structure()
	case "INTERVAL":
		p.interval()
	case "RANGE":
		if !isSign(p.ahead(1), "<") { // the function RANGE(…)
			return false
		}
		p.typeName()
		p.textLiteral()
	case "CURRENT_USER", "SESSION_USER":
		p.refuseCall(t.At, "the statement asks who the server is")
	default:
		return false
	}
	return true
}

// googleOnly are words that have a syntax of their own in BigQuery alone.
var googleOnly = wordset.New("SAFE_CAST STRUCT RANGE CURRENT_USER SESSION_USER")

// bareFunctions are names that engines take for functions where they find no such column.
var bareFunctions = wordset.New("USER SESSION_USER SYSTEM_USER DATABASE SCHEMA CATALOG GROUPING__ID")

// column reads the name of a column, or of a row.
func (p *parser) column() {
	t := p.cur()
	name := p.name()
	p.use(name)
	p.qualifies(name, t.At)
	switch word := strings.ToUpper(t.Text); {
	case t.Kind == syntax.TokenQuoted && p.sign("("):
		p.refuseCall(t.At, "a function is named in backticks")
	case !p.of.google && !p.sign(".") && (strings.HasPrefix(word, "CURRENT") || bareFunctions.Has(word)):
		p.refuse(t.At, api.KindForbiddenFunction, "to an engine this name is a function that tells who is asking, also in quotes",
			"For a column of that name write the name of its table and a dot before it.")
	}
}

func (p *parser) refuseCall(at int, message string) {
	p.refuse(at, api.KindForbiddenFunction, message+", which is not run for others", "Call the functions that "+p.of.title+" brings along.")
}

// textLiteral parses a string literal.
func (p *parser) textLiteral() {
	if p.cur().Kind != syntax.TokenString {
		p.unexpected("a text in quotes")
		return
	}
	p.at++
}

// cases reads CASE.
func (p *parser) cases() {
	p.need("CASE")
	if !p.words("WHEN") {
		p.expr()
	}
	for p.eat("WHEN") {
		p.expr()
		p.need("THEN")
		p.expr()
	}
	if p.eat("ELSE") {
		p.expr()
	}
	p.need("END")
}

// cast reads CAST and SAFE_CAST.
func (p *parser) cast() {
	p.at++
	p.needSign("(")
	p.expr()
	p.need("AS")
	p.typeName()
	if p.eat("FORMAT") {
		p.expr()
		p.atTimeZone()
	}
	p.needSign(")")
}

func (p *parser) atTimeZone() {
	if p.eat("AT", "TIME", "ZONE") {
		p.expr()
	}
}

// extract reads EXTRACT(part FROM value).
func (p *parser) extract() {
	p.at++
	p.needSign("(")
	p.datePart()
	p.need("FROM")
	p.expr()
	p.atTimeZone()
	p.needSign(")")
}

// datePart reads a part of a date, as MONTH or WEEK(MONDAY).
func (p *parser) datePart() {
	p.unit()
	if p.of.google && p.eatSign("(") {
		p.name()
		p.needSign(")")
	}
}

// array reads ARRAY(query), and ARRAY<type>[…].
func (p *parser) array() {
	if isSign(p.ahead(1), "(") {
		p.at += 2
		p.subquery()
		return
	}
	if isSign(p.ahead(1), "<") {
		p.typeName()
	} else {
		p.at++
	}
	p.elements()
}

func (p *parser) elements() {
	p.needSign("[")
	if !p.sign("]") {
		p.listOf(func() { p.expr() })
	}
	p.needSign("]")
}

// structure reads STRUCT(…) and STRUCT<type>(…).
func (p *parser) structure() {
	if isSign(p.ahead(1), "<") {
		p.typeName()
	} else {
		p.at++
	}
	p.needSign("(")
	if !p.sign(")") {
		p.listOf(func() {
			p.expr()
			if p.eat("AS") {
				p.name()
			}
		})
	}
	p.needSign(")")
}

// interval reads INTERVAL value PART [TO PART]. INTERVAL is not a name.
func (p *parser) interval() {
	p.at++
	p.operandOf()
	p.unit()
	if p.eat("TO") {
		p.unit()
	}
}

// unit reads the name of a part of a date.
func (p *parser) unit() {
	if p.of.google {
		p.name()
	} else if p.eatOne(units...) == "" {
		p.unexpected("a unit such as DAY")
	}
}

func isUnit(t syntax.Token) bool {
	return t.Kind == syntax.TokenWord && slices.Contains(units, strings.ToUpper(t.Text))
}

var units = strings.Fields("YEAR QUARTER MONTH WEEK DAY DAY_OF_WEEK DAY_OF_YEAR DAYOFWEEK DOW DOY HOUR MINUTE SECOND MILLISECOND MICROSECOND")
