package syntax

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

func (p *parser) primary() (*Node, error) {
	t := p.cur()
	switch t.Kind {
	case TokenNumber:
		p.at++
		return p.newNode(Number, t.At, t.Text), nil
	case TokenString, TokenBytes:
		p.at++
		n := p.newNode(String, t.At, t.Text)
		if t.Kind == TokenBytes {
			n.Kind = Bytes
		}
		n.Flag = t.double
		return n, p.noAdjacent()
	case TokenQuoted:
		return p.name()
	case TokenWord:
		return p.word()
	}
	if t.op("(") {
		return p.parens()
	}
	if t.op("*") {
		return nil, wildcard(t.At)
	}
	return nil, p.unexpected("a column, a value or a function")
}

// noAdjacent refuses 'a' 'b', which engines read in different ways.
func (p *parser) noAdjacent() error {
	if k := p.cur().Kind; k != TokenString && k != TokenBytes {
		return nil
	}
	return &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: "a second string", Expected: "an operator",
		Msg: "two strings in a row", Hint: "Between values of a list put a comma; join texts with ||; a quote inside of text needs an escape."}
}

func (p *parser) parens() (*Node, error) {
	at := p.cur().At
	p.at++
	x, err := p.expr()
	if err != nil {
		return nil, err
	}
	if p.isOp(",") {
		return nil, rowsOfValues(api.KindSyntaxError, *p.cur())
	}
	if err := p.needOp(")"); err != nil {
		return nil, err
	}
	inner := *x
	inner.At, inner.End, inner.Paren = at, p.prevEnd(), true
	if inner.Kind == Number || inner.Kind == Name {
		// -(5) is not a literal, and (a).b is a field of the column a.
		return &inner, nil
	}
	return &inner, nil
}

func rowsOfValues(kind string, t Token) error {
	return &Fault{Kind: kind, At: t.At, Found: t.Text, Expected: `")"`, Msg: "rows of several values can't be compared",
		Hint: "Compare the columns one by one: a = 1 AND b = 2 OR a = 3 AND b = 4."}
}

func (p *parser) word() (*Node, error) {
	t := p.cur()
	w := Lower(t.Text)
	next := p.ahead(1)
	switch w {
	case "null":
		p.at++
		return p.newNode(Null, t.At, ""), nil
	case "true", "false":
		p.at++
		return p.newNode(Bool, t.At, w), nil
	case "case":
		return p.caseWhen()
	case "interval":
		if !next.op(".") && !next.op(")") && next.Kind != TokenEnd {
			return p.interval()
		}
	case "not":
		return nil, &Fault{Kind: api.KindSyntaxError, At: t.At, Found: "NOT", Expected: "a value",
			Msg: "NOT is not allowed here", Hint: "Put the negated condition in parentheses: (NOT a)."}
	case "select", "with", "values", "table", "from", "exists":
		if w == "select" || next.op("(") || next.Kind == TokenWord || next.Kind == TokenQuoted {
			return nil, nestedSelect(*t)
		}
	}
	if next.Kind == TokenString {
		if n, err := p.typedLiteral(w); n != nil || err != nil {
			return n, err
		}
	}
	if ddlWords.Has(w) && next.Kind == TokenWord && (!operatorWords.Has(Lower(next.Text)) || w == "delete" && next.word("from")) {
		return nil, &Fault{Kind: api.KindDDLInPredicate, At: t.At, Found: strings.ToUpper(w), Expected: "a condition",
			Msg: strings.ToUpper(w) + " is a statement, not a condition", Hint: "A predicate only says which rows to read."}
	}
	if next.op("(") {
		return p.call(w)
	}
	if p.d.Reserved[w] {
		if p.d.ClockWords[w] {
			p.at++
			return p.newNode(Call, t.At, w), nil
		}
		return nil, p.reserved(*t)
	}
	return p.name()
}

func nestedSelect(t Token) error {
	return &Fault{Kind: api.KindNestedSelect, At: t.At, Found: strings.ToUpper(t.Text), Expected: "a condition on the columns of this table",
		Msg:  "a query inside of a predicate is not allowed",
		Hint: "Fetch the other table on its own, and join the two in a query over the snapshots."}
}

func (p *parser) reserved(t Token) error {
	if trailingWords.Has(Lower(t.Text)) && p.at > 0 {
		return p.unexpected("a value")
	}
	if t.word("where") {
		return &Fault{Kind: api.KindSyntaxError, At: t.At, Found: t.Text, Expected: "a condition",
			Msg: "a predicate is the text after WHERE, without that word", Hint: "Leave WHERE out."}
	}
	f := &Fault{Kind: api.KindSyntaxError, At: t.At, Found: t.Text, Expected: "a column, a value or a function",
		Msg:  fmt.Sprintf("%s is a reserved word", strings.ToUpper(Clip(t.Text))),
		Hint: fmt.Sprintf("A column of that name is written %s.", p.d.QuoteIdent(Clip(t.Text)))}
	if t.word("array") && p.ahead(1).op("[") {
		f.Hint = noLists
	}
	return f
}

// name parses a column, possibly with a path after dots.
func (p *parser) name() (*Node, error) {
	at := p.cur().At
	parts := p.toks[p.at : p.at+1 : p.at+1]
	p.at++
	for p.isOp(".") {
		next := p.ahead(1)
		if next.op("*") {
			return nil, wildcard(next.At)
		}
		if next.Kind != TokenWord && next.Kind != TokenQuoted {
			p.at++
			return nil, p.unexpected("a name after the dot")
		}
		p.at += 2
		parts = append(parts, *next)
		if len(parts) > maxDepth {
			return nil, tooDeep(next.At)
		}
	}
	if p.isOp("(") {
		return nil, p.oddCall(parts)
	}
	n := p.newNode(Name, at, parts[0].Text)
	n.Names = parts
	return n, nil
}

// oddCall refuses functions with a dot or in quotes.
func (p *parser) oddCall(parts []Token) error {
	full := Clip(p.src[parts[0].At:p.prevEnd()])
	f := &Fault{Kind: api.KindUnknownFunction, At: parts[0].At, Function: full, Found: full}
	last := Lower(parts[len(parts)-1].Text)
	switch {
	case externalFunctions.Has(last):
		f.Kind = api.KindExternalQuery
		f.Msg = fmt.Sprintf("%s reads other data, which a predicate can't", full)
	case len(parts) == 1:
		f.Msg = fmt.Sprintf("functions can't be quoted: %s", full)
		f.Hint = "Write the function's name without quotes, or remove the parenthesis after a column."
	case parts[0].word("safe"):
		f.Msg = "the prefix SAFE. is not allowed"
		f.Hint = "Use SAFE_CAST, or test the argument first."
	default:
		f.Msg = fmt.Sprintf("functions with a dot in their name are not allowed: %s", full)
		f.Hint = "Only the built-in functions listed in docs/predicates.md can be used."
	}
	return f
}

// typedLiteral reads DATE '2026-01-01' and its kin; nil if w is not such a word.
func (p *parser) typedLiteral(w string) (*Node, error) {
	if _, ok := p.d.TypedLiterals[w]; !ok {
		return nil, nil
	}
	at := p.cur().At
	p.at++
	value, err := p.primary()
	if err != nil {
		return nil, err
	}
	return p.newNode(Typed, at, w, value), nil
}

// interval reads an interval in the forms of the dialect.
func (p *parser) interval() (*Node, error) {
	at := p.cur().At
	p.at++
	var x *Node
	var err error
	switch {
	case p.d.intervalCount == countExpression:
		x, err = p.expr()
	case p.cur().Kind == TokenString:
		x, err = p.primary()
	case p.d.intervalCount == countOperand && (p.cur().Kind == TokenNumber || p.isOp("(") || p.isOp("-")):
		x, err = p.unary()
	default:
		return nil, p.unexpected("a string, as in INTERVAL '30 days'")
	}
	if err != nil {
		return nil, err
	}
	n := p.newNode(Interval, at, "", x)
	if p.cur().Kind != TokenWord || !intervalUnits.Has(Lower(p.cur().Text)) {
		if x.Kind == String && p.d.intervalText {
			return n, nil
		}
		return nil, p.unexpected("a unit such as DAY or MONTH")
	}
	n.Text = Lower(p.cur().Text)
	p.at++
	if p.isWord("to") {
		if !p.d.intervalRange {
			return nil, &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: "TO", Msg: "intervals of several units are written as text here",
				Hint: "Write INTERVAL '1 year 2 months'."}
		}
		p.at++
		n.Text += " to " + Lower(p.cur().Text)
		if p.cur().Kind != TokenWord || !intervalUnits.Has(Lower(p.cur().Text)) {
			return nil, p.unexpected("a unit such as SECOND")
		}
		p.at++
	}
	n.End = p.prevEnd()
	return n, nil
}

func (p *parser) caseWhen() (*Node, error) {
	at := p.cur().At
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	args := []*Node{nil}
	if !p.isWord("when") {
		operand, err := p.or()
		if err != nil {
			return nil, err
		}
		args[0] = operand
	}
	for p.eatWord("when") {
		when, err := p.or()
		if err != nil {
			return nil, err
		}
		if err := p.needWord("then"); err != nil {
			return nil, err
		}
		then, err := p.or()
		if err != nil {
			return nil, err
		}
		args = append(args, when, then)
	}
	if len(args) == 1 {
		return nil, p.unexpected("WHEN")
	}
	if p.eatWord("else") {
		other, err := p.or()
		if err != nil {
			return nil, err
		}
		args = append(args, other)
	}
	if err := p.needWord("end"); err != nil {
		return nil, err
	}
	return p.newNode(Case, at, "", args...), nil
}
