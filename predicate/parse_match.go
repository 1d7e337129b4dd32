package predicate

import (
	"fmt"

	"github.com/agnes-data/da/api"
)

// like parses the rest after LIKE or ILIKE.
func (p *parser) like(x *node, ignoreCase, negated bool) (*node, error) {
	word := asciiLower(p.cur().text)
	if p.cur().kind == tokWord && (word == "any" || word == "some" || word == "all") && p.ahead(1).op("(") {
		return p.likeMany(x, word, ignoreCase, negated)
	}
	pattern, err := p.concat()
	if err != nil {
		return nil, err
	}
	n := p.newNode(nLike, x.at, "", x, pattern)
	n.flag = ignoreCase
	if p.isWord("escape") {
		if !p.d.escapeClause {
			return nil, &fault{kind: api.KindSyntaxError, at: p.cur().at, found: "ESCAPE", msg: p.d.title + " has no ESCAPE",
				hint: `The escape is the backslash, written twice in a string: LIKE '10\\%'.`}
		}
		p.at++
		esc := p.cur()
		if esc.kind != tokString || len([]rune(esc.text)) > 1 {
			return nil, p.unexpected("one character in quotes")
		}
		p.at++
		n.end = esc.end
		n.names = []token{*esc}
	}
	return n, nil
}

// likeMany reads LIKE ANY (…) and LIKE ALL (…).
func (p *parser) likeMany(x *node, word string, ignoreCase, negated bool) (*node, error) {
	if !p.d.likeAny {
		return nil, &fault{kind: api.KindSyntaxError, at: p.cur().at, found: p.cur().text,
			msg: "LIKE ANY and LIKE ALL are not allowed in this dialect", hint: "Join several LIKE with OR or AND."}
	}
	if negated {
		return nil, &fault{kind: api.KindSyntaxError, at: p.cur().at, found: "NOT LIKE " + p.cur().text,
			msg: "NOT LIKE ANY and NOT LIKE ALL read in two ways", hint: "Write NOT (x LIKE ANY (…)), or x NOT LIKE 'a' AND x NOT LIKE 'b'."}
	}
	p.at++
	list, err := p.in(x)
	if err != nil {
		return nil, err
	}
	list.kind, list.text, list.flag = nLike, "any", ignoreCase
	if word == "all" {
		list.text = "all"
	}
	return list, nil
}

// regexpOp reads an operator that matches a pattern; those of LIKE have such
// names too.
func (p *parser) regexpOp(x *node) (*node, error) {
	op := p.cur().text
	if hint, lacking := p.d.lackingOperators[op]; lacking {
		return nil, &fault{kind: api.KindSyntaxError, at: p.cur().at, found: op, msg: fmt.Sprintf("%s has no operator %s", p.d.title, op), hint: hint}
	}
	p.at++
	right, err := p.concat()
	if err != nil {
		return nil, err
	}
	kind := nRegexp
	switch op {
	case "~~", "!~~", "~~*", "!~~*":
		kind = nLike
	}
	n := p.newNode(kind, x.at, "", x, right)
	n.negated = op[0] == '!'
	n.flag = op[len(op)-1] == '*'
	return n, nil
}

// binaryLevel parses a left-associative chain. Each operator counts as a level of
// nesting, because the resulting tree is that deep in every engine.
func (p *parser) binaryLevel(ops string, term func() (*node, error)) (*node, error) {
	x, err := term()
	if err != nil {
		return nil, err
	}
	entered := 0
	defer func() { p.depth -= entered }()
	for p.cur().kind == tokOp && hasWord(ops, p.cur().text) {
		op := p.cur().text
		entered++
		if err := p.enter(); err != nil {
			return nil, err
		}
		p.at++
		y, err := term()
		if err != nil {
			return nil, err
		}
		x = p.newNode(nBinary, x.at, op, x, y)
	}
	return x, nil
}

// hasWord looks an operator or a short word up in a blank-separated list.
func hasWord(list, word string) bool {
	if word == "" {
		return false
	}
	for i := 0; i+len(word) <= len(list); i++ {
		if list[i] == word[0] && list[i:i+len(word)] == word && (i == 0 || list[i-1] == ' ') && (i+len(word) == len(list) || list[i+len(word)] == ' ') {
			return true
		}
	}
	return false
}

// concat reads || where it binds looser than +.
func (p *parser) concat() (*node, error) {
	if p.d.concatOperators == "" {
		return p.additive()
	}
	return p.binaryLevel(p.d.concatOperators, p.additive)
}

func (p *parser) additive() (*node, error) {
	return p.binaryLevel("+ -", p.multiplicative)
}

func (p *parser) multiplicative() (*node, error) {
	return p.binaryLevel(p.d.productOperators, p.zoned)
}

// zoned reads x AT TIME ZONE 'zone' and x COLLATE "C".
func (p *parser) zoned() (*node, error) {
	x, err := p.unary()
	if err != nil || !p.d.atTimeZone && !p.d.collateC {
		return x, err
	}
	entered := 0
	defer func() { p.depth -= entered }()
	for {
		var name string
		switch {
		case p.d.atTimeZone && p.isWord("at") && p.ahead(1).word("time") && p.ahead(2).word("zone"):
			p.at += 3
			name = "at time zone"
		case p.d.collateC && p.eatWord("collate"):
			if p.cur().kind != tokQuoted || p.cur().text != "C" {
				return nil, &fault{kind: api.KindSyntaxError, at: p.cur().at, found: p.cur().text, expected: `"C"`,
					msg: `the only collation that can be named here is "C"`}
			}
			p.at++
			x = p.newNode(nCall, x.at, "collate c", x)
			continue
		default:
			return x, nil
		}
		entered++
		if err := p.enter(); err != nil {
			return nil, err
		}
		zone, err := p.unary()
		if err != nil {
			return nil, err
		}
		x = p.newNode(nCall, x.at, name, x, zone)
	}
}

func (p *parser) unary() (*node, error) {
	t := p.cur()
	if t.kind != tokOp || t.text != "-" && t.text != "+" {
		return p.postfix()
	}
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	x, err := p.unary()
	if err != nil {
		return nil, err
	}
	return p.newNode(nUnary, t.at, t.text, x), nil
}

// postfix parses what follows an operand: .field, [index], ::type.
func (p *parser) postfix() (*node, error) {
	x, err := p.primary()
	if err != nil {
		return nil, err
	}
	entered := 0
	defer func() { p.depth -= entered }()
	for {
		switch {
		case p.isOp("."):
			p.at++
			t := p.cur()
			if t.op("*") {
				return nil, wildcard(t.at)
			}
			if t.kind != tokWord && t.kind != tokQuoted {
				return nil, p.unexpected("the name of a field")
			}
			p.at++
			x = p.newNode(nField, x.at, t.text, x)
			x.flag = t.kind == tokQuoted
		case p.isOp("["):
			if x, err = p.index(x); err != nil {
				return nil, err
			}
		case p.d.castOperator && p.isOp("::"):
			p.at++
			target, err := p.typeRef()
			if err != nil {
				return nil, err
			}
			x = p.newNode(nCast, x.at, "", x)
			x.target = target
		default:
			return x, nil
		}
		entered++
		if err := p.enter(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) index(x *node) (*node, error) {
	open := p.cur().at
	p.at++
	if p.isOp(":") || p.isOp("]") {
		return nil, badSubscript(p.d, open, "a slice or nothing")
	}
	i, err := p.expr()
	if err != nil {
		return nil, err
	}
	if p.isOp(":") {
		return nil, badSubscript(p.d, open, "a slice")
	}
	if err := p.needOp("]"); err != nil {
		return nil, err
	}
	return p.newNode(nIndex, x.at, "", x, i), nil
}

func badSubscript(d *traits, at int, found string) error {
	return &fault{kind: api.KindBadSubscript, at: at, found: found, expected: d.subscriptForm,
		msg: "an element is picked by one whole number written out", hint: d.subscriptHint}
}

func wildcard(at int) error {
	return &fault{kind: api.KindWildcardExpansion, at: at, found: "*", expected: "a column",
		msg: "'*' means all columns and can't be part of a condition", hint: "Name the columns."}
}
