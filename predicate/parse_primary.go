package predicate

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

func (p *parser) primary() (*node, error) {
	t := p.cur()
	switch t.kind {
	case tokNumber:
		p.at++
		return p.newNode(nNumber, t.at, t.text), nil
	case tokString, tokBytes:
		p.at++
		n := p.newNode(nString, t.at, t.text)
		if t.kind == tokBytes {
			n.kind = nBytes
		}
		n.flag = t.double
		return n, p.noAdjacent()
	case tokQuoted:
		return p.name()
	case tokWord:
		return p.word()
	}
	if t.op("(") {
		return p.parens()
	}
	if t.op("*") {
		return nil, wildcard(t.at)
	}
	return nil, p.unexpected("a column, a value or a function")
}

// noAdjacent refuses 'a' 'b', which engines read in different ways.
func (p *parser) noAdjacent() error {
	if k := p.cur().kind; k != tokString && k != tokBytes {
		return nil
	}
	return &fault{kind: api.KindSyntaxError, at: p.cur().at, found: "a second string", expected: "an operator",
		msg: "two strings in a row", hint: "Between values of a list put a comma; join texts with ||; a quote inside of text needs an escape."}
}

func (p *parser) parens() (*node, error) {
	at := p.cur().at
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
	inner.at, inner.end, inner.paren = at, p.prevEnd(), true
	if inner.kind == nNumber || inner.kind == nName {
		// -(5) is not a literal, and (a).b is a field of the column a.
		return &inner, nil
	}
	return &inner, nil
}

func rowsOfValues(kind string, t token) error {
	return &fault{kind: kind, at: t.at, found: t.text, expected: `")"`, msg: "rows of several values can't be compared",
		hint: "Compare the columns one by one: a = 1 AND b = 2 OR a = 3 AND b = 4."}
}

func (p *parser) word() (*node, error) {
	t := p.cur()
	w := asciiLower(t.text)
	next := p.ahead(1)
	switch w {
	case "null":
		p.at++
		return p.newNode(nNull, t.at, ""), nil
	case "true", "false":
		p.at++
		return p.newNode(nBool, t.at, w), nil
	case "case":
		return p.caseWhen()
	case "interval":
		if !next.op(".") && !next.op(")") && next.kind != tokEOF {
			return p.interval()
		}
	case "not":
		return nil, &fault{kind: api.KindSyntaxError, at: t.at, found: "NOT", expected: "a value",
			msg: "NOT is not allowed here", hint: "Put the negated condition in parentheses: (NOT a)."}
	case "select", "with", "values", "table", "from", "exists":
		if w == "select" || next.op("(") || next.kind == tokWord || next.kind == tokQuoted {
			return nil, nestedSelect(*t)
		}
	}
	if next.kind == tokString {
		if n, err := p.typedLiteral(w); n != nil || err != nil {
			return n, err
		}
	}
	if ddlWords.Has(w) && next.kind == tokWord && (!operatorWords.Has(asciiLower(next.text)) || w == "delete" && next.word("from")) {
		return nil, &fault{kind: api.KindDDLInPredicate, at: t.at, found: strings.ToUpper(w), expected: "a condition",
			msg: strings.ToUpper(w) + " is a statement, not a condition", hint: "A predicate only says which rows to read."}
	}
	if next.op("(") {
		return p.call(w)
	}
	if p.d.reserved[w] {
		if p.d.clockWords[w] {
			p.at++
			return p.newNode(nCall, t.at, w), nil
		}
		return nil, p.reserved(*t)
	}
	return p.name()
}

func nestedSelect(t token) error {
	return &fault{kind: api.KindNestedSelect, at: t.at, found: strings.ToUpper(t.text), expected: "a condition on the columns of this table",
		msg:  "a query inside of a predicate is not allowed",
		hint: "Fetch the other table on its own, and join the two in a query over the snapshots."}
}

func (p *parser) reserved(t token) error {
	if trailingWords.Has(asciiLower(t.text)) && p.at > 0 {
		return p.unexpected("a value")
	}
	if t.word("where") {
		return &fault{kind: api.KindSyntaxError, at: t.at, found: t.text, expected: "a condition", msg: "a predicate is the text after WHERE, without that word", hint: "Leave WHERE out."}
	}
	f := &fault{kind: api.KindSyntaxError, at: t.at, found: t.text, expected: "a column, a value or a function",
		msg:  fmt.Sprintf("%s is a reserved word", strings.ToUpper(clip(t.text))),
		hint: fmt.Sprintf("A column of that name is written %s.", p.d.quoteIdent(clip(t.text)))}
	if t.word("array") && p.ahead(1).op("[") {
		f.hint = noLists
	}
	return f
}

// name parses a column, possibly with a path after dots.
func (p *parser) name() (*node, error) {
	at := p.cur().at
	parts := p.toks[p.at : p.at+1 : p.at+1]
	p.at++
	for p.isOp(".") {
		next := p.ahead(1)
		if next.op("*") {
			return nil, wildcard(next.at)
		}
		if next.kind != tokWord && next.kind != tokQuoted {
			p.at++
			return nil, p.unexpected("a name after the dot")
		}
		p.at += 2
		parts = append(parts, *next)
		if len(parts) > maxDepth {
			return nil, tooDeep(next.at)
		}
	}
	if p.isOp("(") {
		return nil, p.oddCall(parts)
	}
	n := p.newNode(nName, at, parts[0].text)
	n.names = parts
	return n, nil
}

// oddCall refuses functions with a dot or in quotes.
func (p *parser) oddCall(parts []token) error {
	full := clip(p.src[parts[0].at:p.prevEnd()])
	f := &fault{kind: api.KindUnknownFunction, at: parts[0].at, function: full, found: full}
	last := asciiLower(parts[len(parts)-1].text)
	switch {
	case externalFunctions.Has(last):
		f.kind = api.KindExternalQuery
		f.msg = fmt.Sprintf("%s reads other data, which a predicate can't", full)
	case len(parts) == 1:
		f.msg = fmt.Sprintf("functions can't be quoted: %s", full)
		f.hint = "Write the function's name without quotes, or remove the parenthesis after a column."
	case parts[0].word("safe"):
		f.msg = "the prefix SAFE. is not allowed"
		f.hint = "Use SAFE_CAST, or test the argument first."
	default:
		f.msg = fmt.Sprintf("functions with a dot in their name are not allowed: %s", full)
		f.hint = "Only the built-in functions listed in docs/predicates.md can be used."
	}
	return f
}

// typedLiteral reads DATE '2026-01-01' and its kin; nil if w is not such a word.
func (p *parser) typedLiteral(w string) (*node, error) {
	if _, ok := p.d.typedLiterals[w]; !ok {
		return nil, nil
	}
	at := p.cur().at
	p.at++
	value, err := p.primary()
	if err != nil {
		return nil, err
	}
	return p.newNode(nTyped, at, w, value), nil
}

// interval reads an interval in the forms of the dialect.
func (p *parser) interval() (*node, error) {
	at := p.cur().at
	p.at++
	var x *node
	var err error
	switch {
	case p.d.intervalCount == countExpression:
		x, err = p.expr()
	case p.cur().kind == tokString:
		x, err = p.primary()
	case p.d.intervalCount == countOperand && (p.cur().kind == tokNumber || p.isOp("(") || p.isOp("-")):
		x, err = p.unary()
	default:
		return nil, p.unexpected("a string, as in INTERVAL '30 days'")
	}
	if err != nil {
		return nil, err
	}
	n := p.newNode(nInterval, at, "", x)
	if p.cur().kind != tokWord || !intervalUnits.Has(asciiLower(p.cur().text)) {
		if x.kind == nString && p.d.intervalText {
			return n, nil
		}
		return nil, p.unexpected("a unit such as DAY or MONTH")
	}
	n.text = asciiLower(p.cur().text)
	p.at++
	if p.isWord("to") {
		if !p.d.intervalRange {
			return nil, &fault{kind: api.KindSyntaxError, at: p.cur().at, found: "TO", msg: "intervals of several units are written as text here",
				hint: "Write INTERVAL '1 year 2 months'."}
		}
		p.at++
		n.text += " to " + asciiLower(p.cur().text)
		if p.cur().kind != tokWord || !intervalUnits.Has(asciiLower(p.cur().text)) {
			return nil, p.unexpected("a unit such as SECOND")
		}
		p.at++
	}
	n.end = p.prevEnd()
	return n, nil
}

func (p *parser) caseWhen() (*node, error) {
	at := p.cur().at
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	args := []*node{nil}
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
	return p.newNode(nCase, at, "", args...), nil
}
