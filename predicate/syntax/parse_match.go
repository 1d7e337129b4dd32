package syntax

import (
	"fmt"

	"github.com/agnes-data/da/api"
)

func (p *parser) between(x *Node) (*Node, error) {
	if p.d.betweenSymmetric && (p.isWord("symmetric") || p.isWord("asymmetric")) {
		return nil, &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: p.cur().Text,
			Msg: "BETWEEN SYMMETRIC is not allowed", Hint: "Write the lower bound first."}
	}
	low, err := p.concat()
	if err != nil {
		return nil, err
	}
	if err := p.needWord("and"); err != nil {
		return nil, err
	}
	high, err := p.concat()
	if err != nil {
		return nil, err
	}
	return p.newNode(Between, x.At, "", x, low, high), nil
}

// like parses the rest after LIKE or ILIKE.
func (p *parser) like(x *Node, ignoreCase, negated bool) (*Node, error) {
	word := Lower(p.cur().Text)
	if p.cur().Kind == TokenWord && (word == "any" || word == "some" || word == "all") && p.ahead(1).op("(") {
		return p.likeMany(x, word, ignoreCase, negated)
	}
	pattern, err := p.concat()
	if err != nil {
		return nil, err
	}
	n := p.newNode(Like, x.At, "", x, pattern)
	n.Flag = ignoreCase
	if p.isWord("escape") {
		if !p.d.EscapeClause {
			return nil, &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: "ESCAPE", Msg: p.d.Title + " has no ESCAPE",
				Hint: `The escape is the backslash, written twice in a string: LIKE '10\\%'.`}
		}
		p.at++
		esc := p.cur()
		if esc.Kind != TokenString || len([]rune(esc.Text)) > 1 {
			return nil, p.unexpected("one character in quotes")
		}
		p.at++
		n.End = esc.End
		n.Names = []Token{*esc}
	}
	return n, nil
}

// likeMany reads LIKE ANY (…) and LIKE ALL (…).
func (p *parser) likeMany(x *Node, word string, ignoreCase, negated bool) (*Node, error) {
	if !p.d.LikeAny {
		return nil, &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: p.cur().Text,
			Msg: "LIKE ANY and LIKE ALL are not allowed in this dialect", Hint: "Join several LIKE with OR or AND."}
	}
	if negated {
		return nil, &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: "NOT LIKE " + p.cur().Text,
			Msg: "NOT LIKE ANY and NOT LIKE ALL read in two ways", Hint: "Write NOT (x LIKE ANY (…)), or x NOT LIKE 'a' AND x NOT LIKE 'b'."}
	}
	p.at++
	list, err := p.in(x)
	if err != nil {
		return nil, err
	}
	list.Kind, list.Text, list.Flag = Like, "any", ignoreCase
	if word == "all" {
		list.Text = "all"
	}
	return list, nil
}

// regexpOp reads an operator that matches a pattern; those of LIKE have such
// names too.
func (p *parser) regexpOp(x *Node) (*Node, error) {
	op := p.cur().Text
	if hint, lacking := p.d.lackingOperators[op]; lacking {
		return nil, &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: op, Msg: fmt.Sprintf("%s has no operator %s", p.d.Title, op),
			Hint: hint}
	}
	p.at++
	right, err := p.concat()
	if err != nil {
		return nil, err
	}
	kind := Regexp
	switch op {
	case "~~", "!~~", "~~*", "!~~*":
		kind = Like
	}
	n := p.newNode(kind, x.At, "", x, right)
	n.Negated = op[0] == '!'
	n.Flag = op[len(op)-1] == '*'
	return n, nil
}

// binaryLevel parses a left-associative chain. Each operator counts as a level of
// nesting, because the resulting tree is that deep in every engine.
func (p *parser) binaryLevel(ops string, term func() (*Node, error)) (*Node, error) {
	x, err := term()
	if err != nil {
		return nil, err
	}
	entered := 0
	defer func() { p.depth -= entered }()
	for p.cur().Kind == TokenSign && HasWord(ops, p.cur().Text) {
		op := p.cur().Text
		entered++
		if err := p.enter(); err != nil {
			return nil, err
		}
		p.at++
		y, err := term()
		if err != nil {
			return nil, err
		}
		x = p.newNode(Binary, x.At, op, x, y)
	}
	return x, nil
}

// HasWord looks an operator or a short word up in a blank-separated list.
func HasWord(list, word string) bool {
	if word == "" {
		return false
	}
	for i := 0; i+len(word) <= len(list); i++ {
		if list[i] == word[0] && list[i:i+len(word)] == word && (i == 0 || list[i-1] == ' ') &&
			(i+len(word) == len(list) || list[i+len(word)] == ' ') {
			return true
		}
	}
	return false
}

// concat reads || where it binds looser than +.
func (p *parser) concat() (*Node, error) {
	if p.d.concatOperators == "" {
		return p.additive()
	}
	return p.binaryLevel(p.d.concatOperators, p.additive)
}

func (p *parser) additive() (*Node, error) {
	return p.binaryLevel("+ -", p.multiplicative)
}

func (p *parser) multiplicative() (*Node, error) {
	return p.binaryLevel(p.d.productOperators, p.zoned)
}

// zoned reads x AT TIME ZONE 'zone' and x COLLATE "C".
func (p *parser) zoned() (*Node, error) {
	x, err := p.unary()
	if err != nil || !p.d.atTimeZone && !p.d.CollateC {
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
		case p.d.CollateC && p.eatWord("collate"):
			if p.cur().Kind != TokenQuoted || p.cur().Text != "C" {
				return nil, &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: p.cur().Text, Expected: `"C"`,
					Msg: `the only collation that can be named here is "C"`}
			}
			p.at++
			x = p.newNode(Call, x.At, "collate c", x)
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
		x = p.newNode(Call, x.At, name, x, zone)
	}
}

func (p *parser) unary() (*Node, error) {
	t := p.cur()
	if t.Kind != TokenSign || t.Text != "-" && t.Text != "+" {
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
	return p.newNode(Unary, t.At, t.Text, x), nil
}

// postfix parses what follows an operand: .field, [index], ::type.
func (p *parser) postfix() (*Node, error) {
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
				return nil, wildcard(t.At)
			}
			if t.Kind != TokenWord && t.Kind != TokenQuoted {
				return nil, p.unexpected("the name of a field")
			}
			p.at++
			x = p.newNode(Field, x.At, t.Text, x)
			x.Flag = t.Kind == TokenQuoted
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
			x = p.newNode(Cast, x.At, "", x)
			x.Target = target
		default:
			return x, nil
		}
		entered++
		if err := p.enter(); err != nil {
			return nil, err
		}
	}
}

func (p *parser) index(x *Node) (*Node, error) {
	open := p.cur().At
	p.at++
	if p.isOp(":") || p.isOp("]") {
		return nil, p.d.BadSubscript(open, "a slice or nothing")
	}
	i, err := p.expr()
	if err != nil {
		return nil, err
	}
	if p.isOp(":") {
		return nil, p.d.BadSubscript(open, "a slice")
	}
	if err := p.needOp("]"); err != nil {
		return nil, err
	}
	return p.newNode(Index, x.At, "", x, i), nil
}

// BadSubscript refuses an element that is not picked by a number.
func (d *Dialect) BadSubscript(at int, found string) error {
	return &Fault{Kind: api.KindBadSubscript, At: at, Found: found, Expected: d.subscriptForm,
		Msg: "an element is picked by one whole number written out", Hint: d.subscriptHint}
}

func wildcard(at int) error {
	return &Fault{Kind: api.KindWildcardExpansion, At: at, Found: "*", Expected: "a column",
		Msg: "'*' means all columns and can't be part of a condition", Hint: "Name the columns."}
}
