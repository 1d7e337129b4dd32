package sheet

import (
	"fmt"
	"strconv"
	"strings"
)

// expr is a formula, or a part of one.
type expr interface{}

type (
	// literal is a value that is written in the formula.
	literal struct{ value Value }
	// binary joins two values by an operator.
	binary struct {
		op          string
		left, right expr
	}
	// unary is a sign before a value, or % behind it.
	unary struct {
		op string
		of expr
	}
	// call is a function with its arguments; nil is one that is left out.
	call struct {
		name string
		args []expr
	}
	// reference is a range on a sheet, or on several in a row: both are numbers of sheets.
	reference struct {
		first, last int
		area        area
	}
)

// uncalculated says why a formula is not calculated.
type uncalculated struct{ why string }

func (u uncalculated) Error() string { return u.why }

func cannot(format string, args ...any) error { return uncalculated{fmt.Sprintf(format, args...)} }

// deepest bounds how deep a formula may nest.
const deepest = 64

// parser reads one formula. place is the cell that it is in.
type parser struct {
	text  string
	model *model
	sheet int
	place cell
	depth int
}

// parseFormula reads a formula with references, names and columns of tables resolved.
func (m *model) parseFormula(text string, sheet int, place cell, depth int) (e expr, err error) {
	p := &parser{text: text, model: m, sheet: sheet, place: place, depth: depth}
	if e, err = p.compare(); err != nil {
		return nil, err
	}
	if p.skipSpace(); p.text != "" {
		return nil, cannot("%q in the formula", begins(p.text))
	}
	return e, nil
}

// begins is the beginning of a text.
func begins(s string) string { return string([]rune(s)[:min(len([]rune(s)), 12)]) }

func (p *parser) skipSpace() { p.text = strings.TrimLeft(p.text, " \t\r\n") }

// take takes the first of the tokens with which the text goes on; "" if it is none.
func (p *parser) take(tokens ...string) string {
	p.skipSpace()
	for _, t := range tokens {
		if strings.HasPrefix(p.text, t) {
			p.text = p.text[len(t):]
			return t
		}
	}
	return ""
}

// chain reads operands of one rank, which bind from left to right.
func (p *parser) chain(next func() (expr, error), ops ...string) (expr, error) {
	left, err := next()
	for err == nil {
		op := p.take(ops...)
		if op == "" {
			return left, nil
		}
		var right expr
		right, err = next()
		left = binary{op, left, right}
	}
	return nil, err
}

func (p *parser) compare() (expr, error) { return p.chain(p.join, "<>", "<=", ">=", "=", "<", ">") }
func (p *parser) join() (expr, error)    { return p.chain(p.sum, "&") }
func (p *parser) sum() (expr, error)     { return p.chain(p.product, "+", "-") }
func (p *parser) product() (expr, error) { return p.chain(p.power, "*", "/") }
func (p *parser) power() (expr, error)   { return p.chain(p.sign, "^") }

// sign reads signs, which bind closer than all other operators: -2^2 is 4.
func (p *parser) sign() (expr, error) {
	if p.depth++; p.depth > deepest {
		return nil, cannot("a formula that nests deeper than %d", deepest)
	}
	defer func() { p.depth-- }()
	if op := p.take("-", "+"); op != "" {
		of, err := p.sign()
		return unary{op, of}, err
	}
	e, err := p.operand()
	for err == nil && p.take("%") != "" {
		e = unary{"%", e}
	}
	return e, err
}

func (p *parser) operand() (expr, error) {
	p.skipSpace()
	switch {
	case p.text == "":
		return nil, cannot("a formula that ends early")
	case p.text[0] == '(':
		p.text = p.text[1:]
		e, err := p.compare()
		if err == nil && p.take(")") == "" {
			err = cannot("ranges that are joined")
		}
		return e, err
	case p.text[0] == '"':
		n := quotedLength(p.text, '"')
		text := strings.ReplaceAll(p.text[1:max(n-1, 1)], `""`, `"`)
		p.text = p.text[n:]
		return literal{textValue(text)}, nil
	case p.text[0] == '#':
		for _, name := range errorValues() {
			if p.take(name) != "" {
				return literal{errorValue(name)}, nil
			}
		}
	case p.text[0] >= '0' && p.text[0] <= '9' || p.text[0] == '.':
		if e := p.number(); e != nil {
			return e, nil
		}
	}
	return p.word()
}

// number reads a number, nil if it is the first row of a reference such as 2:5.
func (p *parser) number() expr {
	n := 0
	for n < len(p.text) && (p.text[n] >= '0' && p.text[n] <= '9' || p.text[n] == '.' ||
		(p.text[n] == 'E' || p.text[n] == 'e') && n+1 < len(p.text) && strings.ContainsRune("+-0123456789", rune(p.text[n+1])) ||
		(p.text[n] == '+' || p.text[n] == '-') && n > 0 && (p.text[n-1] == 'E' || p.text[n-1] == 'e')) {
		n++
	}
	f, err := strconv.ParseFloat(p.text[:n], 64)
	if err != nil || n < len(p.text) && (p.text[n] == ':' || wordByte(p.text[n])) {
		return nil
	}
	p.text = p.text[n:]
	return literal{numberValue(f)}
}

// word reads a function, a reference, a name or columns of a table.
func (p *parser) word() (expr, error) {
	sheets := ""
	if p.text[0] == '\'' {
		n := quotedLength(p.text, '\'')
		if n >= len(p.text) || p.text[n] != '!' {
			return nil, cannot("%q in the formula", begins(p.text))
		}
		sheets, p.text = strings.ReplaceAll(p.text[1:n-1], "''", "'"), p.text[n+1:]
	}
	n := wordLength(p.text)
	name := p.text[:n]
	p.text = p.text[n:]
	if sheets == "" && strings.HasPrefix(p.text, ":") { // Jan:Mar!A1
		if m := wordLength(p.text[1:]); strings.HasPrefix(p.text[1+m:], "!") {
			name, p.text = name+p.text[:1+m], p.text[1+m:]
		}
	}
	if sheets == "" && strings.HasPrefix(p.text, "!") {
		sheets, p.text = name, p.text[1:]
		n := wordLength(p.text)
		name, p.text = p.text[:n], p.text[n:]
	}
	if _, isCell := parseCell(name); !isCell && name != "" {
		p.skipSpace() // between a function and its arguments
	}
	switch {
	case strings.Contains(sheets, "["):
		return nil, cannot("a reference to another workbook")
	case strings.HasPrefix(p.text, "("):
		p.text = p.text[1:]
		return p.arguments(plainName(name))
	case strings.HasPrefix(p.text, "["):
		n := bracketLength(p.text)
		columns := p.text[:n]
		p.text = p.text[n:]
		return p.model.columns(name, columns, p.sheet, p.place)
	case name == "":
		return nil, cannot("%q in the formula", begins(p.text))
	}
	if strings.HasPrefix(p.text, ":") {
		m := wordLength(p.text[1:])
		name, p.text = name+p.text[:1+m], p.text[1+m:]
	}
	if strings.HasPrefix(p.text, "#") || strings.HasPrefix(p.text, ":") || strings.HasPrefix(p.text, "!") {
		return nil, cannot("%q in the formula", name+begins(p.text))
	}
	return p.resolve(sheets, name)
}

// resolve finds the cells of a reference or a name.
func (p *parser) resolve(sheets, name string) (expr, error) {
	first, last, err := p.model.span(sheets, p.sheet)
	if err != nil {
		return nil, err
	}
	if a, ok := parseArea(name); ok && strings.Trim(name, "0123456789") != "" || ok && strings.Contains(name, ":") {
		return reference{first, last, a}, nil
	}
	switch strings.ToUpper(name) {
	case "TRUE":
		return literal{boolValue(true)}, nil
	case "FALSE":
		return literal{boolValue(false)}, nil
	}
	text, ok := p.model.nameOf(name, first)
	if !ok {
		return nil, cannot("the name %s", begins(name))
	}
	for _, piece := range p.model.relative(text) {
		if piece {
			return nil, cannot("the name %s, whose cells depend on the place", begins(name))
		}
	}
	return p.model.parseFormula(text, first, p.place, p.depth+1)
}

func (p *parser) arguments(name string) (expr, error) {
	out := call{name: name}
	if p.take(")") != "" {
		return out, nil
	}
	for {
		var arg expr
		p.skipSpace()
		if !strings.HasPrefix(p.text, ",") && !strings.HasPrefix(p.text, ")") {
			var err error
			if arg, err = p.compare(); err != nil {
				return nil, err
			}
		}
		out.args = append(out.args, arg)
		switch p.take(",", ")") {
		case ")":
			return out, nil
		case "":
			return nil, cannot("%q in the formula", begins(p.text))
		}
	}
}
