package syntax

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// parser is a recursive-descent parser over the tokens. It knows neither names
// nor types. What is not an expression of the language is rejected with a kind.
type parser struct {
	d   *Dialect
	src string
	// instead says how the dialect does what a function does that it does not have;
	// "" if it has the function, or if nothing is known.
	instead func(function string) string
	toks    []Token
	at      int
	depth   int

	// Nodes and their lists of operands are allocated in larger slices, because
	// single allocations are a considerable part of the parsing time.
	nodes []Node
	args  []*Node
	room  *room
}

// Parse reads a predicate and gives its tree to use, which must keep no node of
// it. How the dialect does what a function does that it lacks, instead says.
func Parse(d *Dialect, text string, instead func(function string) string, use func(*Node) error) error {
	return parsing(d, text, func(p *parser) error {
		p.instead = instead
		n, err := p.predicate()
		if err != nil {
			return err
		}
		return use(n)
	})
}

// parsing runs use with a parser of the text, whose memory is then used again.
func parsing(d *Dialect, text string, use func(*parser) error) error {
	r := rooms.Get().(*room)
	toks, err := lexInto(d, text, r.toks[:0])
	p := &parser{d: d, src: text, toks: toks, nodes: r.nodes[:], args: r.args[:0], room: r}
	defer p.release()
	if err != nil {
		return err
	}
	return use(p)
}

// predicate parses the whole text as one expression.
func (p *parser) predicate() (*Node, error) {
	if p.cur().Kind == TokenEnd {
		return nil, &Fault{Kind: api.KindSyntaxError, At: 0, Msg: "the predicate is empty", Expected: "a condition",
			Hint: "Leave the predicate out to read all rows."}
	}
	n, err := p.expr()
	if err != nil {
		return nil, err
	}
	return n, p.needEnd("AND, OR or the end of the predicate")
}

func (p *parser) cur() *Token { return &p.toks[p.at] }

func (p *parser) ahead(n int) *Token {
	if p.at+n < len(p.toks) {
		return &p.toks[p.at+n]
	}
	return &p.toks[len(p.toks)-1]
}

func (p *parser) prevEnd() int {
	if p.at == 0 {
		return 0
	}
	return p.toks[p.at-1].End
}

func (t *Token) op(text string) bool { return t.Kind == TokenSign && t.Text == text }

func (t *Token) word(text string) bool {
	return t.Kind == TokenWord && len(t.Text) == len(text) && strings.EqualFold(t.Text, text)
}

func (p *parser) isOp(text string) bool   { return p.cur().op(text) }
func (p *parser) isWord(text string) bool { return p.cur().word(text) }

func (p *parser) eatOp(text string) bool {
	if p.isOp(text) {
		p.at++
		return true
	}
	return false
}

func (p *parser) eatWord(text string) bool {
	if p.isWord(text) {
		p.at++
		return true
	}
	return false
}

// eatWords consumes several words, or none of them.
func (p *parser) eatWords(words ...string) bool {
	for i, w := range words {
		if !p.ahead(i).word(w) {
			return false
		}
	}
	p.at += len(words)
	return true
}

func (p *parser) needOp(text string) error {
	if p.eatOp(text) {
		return nil
	}
	return p.unexpected(fmt.Sprintf("%q", text))
}

func (p *parser) needWord(text string) error {
	if p.eatWord(text) {
		return nil
	}
	return p.unexpected(strings.ToUpper(text))
}

func (p *parser) needEnd(expected string) error {
	if p.cur().Kind == TokenEnd {
		return nil
	}
	return p.unexpected(expected)
}

// enter counts a level of nesting; the caller defers leave.
func (p *parser) enter() error {
	p.depth++
	if p.depth > maxDepth+1 { // the whole predicate does not count as a level
		return tooDeep(p.cur().At)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func tooDeep(at int) error {
	return &Fault{Kind: api.KindTooDeep, At: at, Msg: fmt.Sprintf("the predicate is nested more than %d levels deep", maxDepth),
		Expected: fmt.Sprint("at most ", maxDepth, " levels"), Hint: "Use IN (…) in place of long chains, and fewer parentheses."}
}

func (p *parser) expr() (*Node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	return p.or()
}

func (p *parser) or() (*Node, error) {
	return p.chain("or", Or, p.and)
}

func (p *parser) and() (*Node, error) {
	return p.chain("and", And, p.not)
}

// chain reads terms joined by a word into one flat node.
func (p *parser) chain(word string, kind NodeKind, term func() (*Node, error)) (*Node, error) {
	first, err := term()
	if err != nil || !p.isWord(word) {
		return first, err
	}
	var few [8]*Node // newNode makes a copy
	terms := append(few[:0], first)
	for p.eatWord(word) {
		t, err := term()
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
	}
	return p.newNode(kind, first.At, "", terms...), nil
}

func (p *parser) not() (*Node, error) {
	if !p.isWord("not") {
		return p.comparison()
	}
	at := p.cur().At
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	x, err := p.not()
	if err != nil {
		return nil, err
	}
	return p.newNode(Not, at, "", x), nil
}

// compareOps maps the spellings of comparisons to one each.
var compareOps = map[string]string{"=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

// comparison reads one comparison; they don't chain.
func (p *parser) comparison() (*Node, error) {
	left, err := p.matching()
	if err != nil {
		return nil, err
	}
	t := p.cur()
	op, ok := "", false
	if t.Kind == TokenSign {
		op, ok = compareOps[t.Text]
	}
	if ok && (t.Text != "==" || p.d.doubleEquals) {
		if p.d.flatTests && isMatching(left) {
			return nil, p.unexpected("AND, OR or the end of the condition")
		}
		p.at++
		if n, done, err := p.quantified(left, op); done || err != nil {
			return n, err
		}
		right, err := p.matching()
		if err != nil {
			return nil, err
		}
		if p.d.flatTests && isMatching(right) {
			return nil, &Fault{Kind: api.KindSyntaxError, At: right.At, Msg: "comparisons don't chain",
				Hint: "Put parentheses around the inner condition."}
		}
		left = p.newNode(Compare, left.At, op, left, right)
		if p.d.flatTests {
			return left, nil
		}
	}
	return p.is(left)
}

// isMatching reports whether a node is an IN, LIKE or BETWEEN without
// parentheses.
func isMatching(n *Node) bool {
	return (n.Kind == In || n.Kind == Like || n.Kind == Between || n.Kind == IsNull || n.Kind == IsTruth) && !n.Paren
}

// quantified parses the rest of x = ANY (list).
func (p *parser) quantified(left *Node, op string) (*Node, bool, error) {
	word := Lower(p.cur().Text)
	if p.cur().Kind != TokenWord || word != "any" && word != "some" && word != "all" || !p.ahead(1).op("(") {
		return nil, false, nil
	}
	if !p.d.anyList || op != "=" || word == "all" {
		return nil, true, &Fault{Kind: api.KindSyntaxError, At: p.cur().At, Found: p.cur().Text,
			Msg: "this comparison with ANY or ALL is not allowed", Hint: "Use IN (…) or NOT IN (…)."}
	}
	p.at += 2
	list, err := p.expr()
	if err != nil {
		return nil, true, err
	}
	if err := p.needOp(")"); err != nil {
		return nil, true, err
	}
	n, err := p.is(p.newNode(Call, left.At, "= any", left, list))
	return n, true, err
}

// is reads the IS tests behind an operand.
func (p *parser) is(x *Node) (*Node, error) {
	for steps := 0; ; steps++ {
		if steps > maxDepth {
			return nil, tooDeep(p.cur().At)
		}
		switch {
		case p.d.postfixNull && (p.isWord("isnull") || p.isWord("notnull")):
			negated := p.isWord("notnull")
			p.at++
			x = p.newNode(IsNull, x.At, "", x)
			x.Negated = negated
		case p.isWord("is"):
			if p.d.flatTests && isMatching(x) {
				return nil, p.unexpected("AND, OR or the end of the condition")
			}
			p.at++
			n, err := p.isTest(x, p.eatWord("not"))
			if err != nil {
				return nil, err
			}
			x = n
			if p.d.flatTests {
				return x, nil
			}
		default:
			return x, nil
		}
	}
}

func (p *parser) isTest(x *Node, negated bool) (*Node, error) {
	switch {
	case p.eatWord("null"), p.d.isUnknown && p.eatWord("unknown"):
		n := p.newNode(IsNull, x.At, Lower(p.toks[p.at-1].Text), x)
		n.Negated = negated
		return n, nil
	case p.isWord("true") || p.isWord("false"):
		p.at++
		n := p.newNode(IsTruth, x.At, Lower(p.toks[p.at-1].Text), x)
		n.Negated = negated
		return n, nil
	case p.eatWords("distinct", "from"):
		right, err := p.matching()
		if err != nil {
			return nil, err
		}
		op := "distinct"
		if negated {
			op = "not distinct"
		}
		return p.newNode(Compare, x.At, op, x, right), nil
	}
	return nil, p.unexpected("NULL, TRUE, FALSE or DISTINCT FROM")
}

// matching reads IN, LIKE, BETWEEN and the regular expression operators.
func (p *parser) matching() (*Node, error) {
	x, err := p.concat()
	if err != nil {
		return nil, err
	}
	at := p.at
	negated := p.eatWord("not")
	var n *Node
	switch {
	case p.eatWord("in"):
		n, err = p.in(x)
	case p.eatWord("between"):
		n, err = p.between(x)
	case p.eatWord("like"):
		n, err = p.like(x, false, negated)
	case p.d.ilike && p.eatWord("ilike"):
		n, err = p.like(x, true, negated)
	case !negated && p.cur().Kind == TokenSign && HasWord(p.d.regexpOperators, p.cur().Text):
		n, err = p.regexpOp(x)
	default:
		p.at = at
		if negated {
			return nil, p.unexpected("AND, OR or the end of the condition")
		}
		return x, nil
	}
	if err != nil {
		return nil, err
	}
	n.Negated = n.Negated != negated
	return n, nil
}

func (p *parser) in(x *Node) (*Node, error) {
	if p.d.inUnnest && p.isWord("unnest") {
		return nil, &Fault{Kind: api.KindUnknownFunction, At: p.cur().At, Function: "UNNEST", Found: "UNNEST",
			Msg: "UNNEST is not allowed in a predicate", Hint: "List the values: x IN (1, 2), or test one element: arr[SAFE_OFFSET(0)] = 1."}
	}
	if !p.isOp("(") {
		return nil, p.unexpected(`a list in parentheses, as in IN ('a', 'b')`)
	}
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	var few [8]*Node // newNode makes a copy
	args := append(few[:0], x)
	for {
		item, err := p.or()
		if err != nil {
			return nil, err
		}
		args = append(args, item)
		if p.eatOp(",") {
			continue
		}
		if err := p.needOp(")"); err != nil {
			return nil, err
		}
		return p.newNode(In, x.At, "", args...), nil
	}
}
