package predicate

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
)

// parser is a recursive-descent parser over the tokens. It knows neither names
// nor types. What is not an expression of the language is rejected with a kind.
type parser struct {
	d     *traits
	src   string
	toks  []token
	at    int
	depth int

	// Nodes and their lists of operands are allocated in larger slices, because
	// single allocations are a considerable part of the parsing time.
	nodes []node
	args  []*node
	room  *room
}

// newParser reads the tokens. The caller calls release when nothing needs the
// tokens and nodes any more.
func newParser(d *traits, text string) (*parser, error) {
	r := rooms.Get().(*room)
	toks, err := lexInto(d, text, r.toks[:0])
	p := &parser{d: d, src: text, toks: toks, nodes: r.nodes[:], args: r.args[:0], room: r}
	if err != nil {
		p.release()
		return nil, err
	}
	return p, nil
}

// predicate parses the whole text as one expression.
func (p *parser) predicate() (*node, error) {
	if p.cur().kind == tokEOF {
		return nil, &fault{kind: api.KindSyntaxError, at: 0, msg: "the predicate is empty", expected: "a condition",
			hint: "Leave the predicate out to read all rows."}
	}
	n, err := p.expr()
	if err != nil {
		return nil, err
	}
	if p.cur().kind != tokEOF {
		return nil, p.unexpected("AND, OR or the end of the predicate")
	}
	return n, nil
}

func (p *parser) cur() *token { return &p.toks[p.at] }

func (p *parser) ahead(n int) *token {
	if p.at+n < len(p.toks) {
		return &p.toks[p.at+n]
	}
	return &p.toks[len(p.toks)-1]
}

func (p *parser) prevEnd() int {
	if p.at == 0 {
		return 0
	}
	return p.toks[p.at-1].end
}

func (t *token) op(text string) bool { return t.kind == tokOp && t.text == text }

func (t *token) word(text string) bool {
	return t.kind == tokWord && len(t.text) == len(text) && strings.EqualFold(t.text, text)
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

// enter counts a level of nesting; the caller defers leave.
func (p *parser) enter() error {
	p.depth++
	if p.depth > maxDepth+1 { // the whole predicate does not count as a level
		return tooDeep(p.cur().at)
	}
	return nil
}

func (p *parser) leave() { p.depth-- }

func tooDeep(at int) error {
	return &fault{kind: api.KindTooDeep, at: at, msg: fmt.Sprintf("the predicate is nested more than %d levels deep", maxDepth),
		expected: fmt.Sprint("at most ", maxDepth, " levels"), hint: "Use IN (…) in place of long chains, and fewer parentheses."}
}

func (p *parser) expr() (*node, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	return p.or()
}

func (p *parser) or() (*node, error) {
	return p.chain("or", nOr, p.and)
}

func (p *parser) and() (*node, error) {
	return p.chain("and", nAnd, p.not)
}

// chain reads terms joined by a word into one flat node.
func (p *parser) chain(word string, kind nodeKind, term func() (*node, error)) (*node, error) {
	first, err := term()
	if err != nil || !p.isWord(word) {
		return first, err
	}
	var few [8]*node // newNode makes a copy
	terms := append(few[:0], first)
	for p.eatWord(word) {
		t, err := term()
		if err != nil {
			return nil, err
		}
		terms = append(terms, t)
	}
	return p.newNode(kind, first.at, "", terms...), nil
}

func (p *parser) not() (*node, error) {
	if !p.isWord("not") {
		return p.comparison()
	}
	at := p.cur().at
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	x, err := p.not()
	if err != nil {
		return nil, err
	}
	return p.newNode(nNot, at, "", x), nil
}

// compareOps maps the spellings of comparisons to one each.
var compareOps = map[string]string{"=": "=", "==": "=", "<>": "<>", "!=": "<>", "<": "<", "<=": "<=", ">": ">", ">=": ">="}

// comparison reads one comparison; they don't chain.
func (p *parser) comparison() (*node, error) {
	left, err := p.matching()
	if err != nil {
		return nil, err
	}
	t := p.cur()
	op, ok := "", false
	if t.kind == tokOp {
		op, ok = compareOps[t.text]
	}
	if ok && (t.text != "==" || p.d.doubleEquals) {
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
			return nil, &fault{kind: api.KindSyntaxError, at: right.at, msg: "comparisons don't chain", hint: "Put parentheses around the inner condition."}
		}
		left = p.newNode(nCompare, left.at, op, left, right)
		if p.d.flatTests {
			return left, nil
		}
	}
	return p.is(left)
}

// isMatching reports whether a node is an IN, LIKE or BETWEEN without
// parentheses.
func isMatching(n *node) bool {
	return (n.kind == nIn || n.kind == nLike || n.kind == nBetween || n.kind == nIsNull || n.kind == nIsTruth) && !n.paren
}

// quantified parses the rest of x = ANY (list).
func (p *parser) quantified(left *node, op string) (*node, bool, error) {
	word := asciiLower(p.cur().text)
	if p.cur().kind != tokWord || word != "any" && word != "some" && word != "all" || !p.ahead(1).op("(") {
		return nil, false, nil
	}
	if !p.d.anyList || op != "=" || word == "all" {
		return nil, true, &fault{kind: api.KindSyntaxError, at: p.cur().at, found: p.cur().text,
			msg: "this comparison with ANY or ALL is not allowed", hint: "Use IN (…) or NOT IN (…)."}
	}
	p.at += 2
	list, err := p.expr()
	if err != nil {
		return nil, true, err
	}
	if err := p.needOp(")"); err != nil {
		return nil, true, err
	}
	n, err := p.is(p.newNode(nCall, left.at, "= any", left, list))
	return n, true, err
}

// is reads the IS tests behind an operand.
func (p *parser) is(x *node) (*node, error) {
	for steps := 0; ; steps++ {
		if steps > maxDepth {
			return nil, tooDeep(p.cur().at)
		}
		switch {
		case p.d.postfixNull && (p.isWord("isnull") || p.isWord("notnull")):
			negated := p.isWord("notnull")
			p.at++
			x = p.newNode(nIsNull, x.at, "", x)
			x.negated = negated
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

func (p *parser) isTest(x *node, negated bool) (*node, error) {
	switch {
	case p.eatWord("null"), p.d.isUnknown && p.eatWord("unknown"):
		n := p.newNode(nIsNull, x.at, asciiLower(p.toks[p.at-1].text), x)
		n.negated = negated
		return n, nil
	case p.isWord("true") || p.isWord("false"):
		p.at++
		n := p.newNode(nIsTruth, x.at, asciiLower(p.toks[p.at-1].text), x)
		n.negated = negated
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
		return p.newNode(nCompare, x.at, op, x, right), nil
	}
	return nil, p.unexpected("NULL, TRUE, FALSE or DISTINCT FROM")
}

// matching reads IN, LIKE, BETWEEN and the regular expression operators.
func (p *parser) matching() (*node, error) {
	x, err := p.concat()
	if err != nil {
		return nil, err
	}
	at := p.at
	negated := p.eatWord("not")
	var n *node
	switch {
	case p.eatWord("in"):
		n, err = p.in(x)
	case p.eatWord("between"):
		n, err = p.between(x)
	case p.eatWord("like"):
		n, err = p.like(x, false, negated)
	case p.d.ilike && p.eatWord("ilike"):
		n, err = p.like(x, true, negated)
	case !negated && p.cur().kind == tokOp && hasWord(p.d.regexpOperators, p.cur().text):
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
	n.negated = n.negated != negated
	return n, nil
}

func (p *parser) in(x *node) (*node, error) {
	if p.d.inUnnest && p.isWord("unnest") {
		return nil, &fault{kind: api.KindUnknownFunction, at: p.cur().at, function: "UNNEST", found: "UNNEST",
			msg: "UNNEST is not allowed in a predicate", hint: "List the values: x IN (1, 2), or test one element: arr[SAFE_OFFSET(0)] = 1."}
	}
	if !p.isOp("(") {
		return nil, p.unexpected(`a list in parentheses, as in IN ('a', 'b')`)
	}
	p.at++
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer p.leave()
	var few [8]*node // newNode makes a copy
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
		return p.newNode(nIn, x.at, "", args...), nil
	}
}

func (p *parser) between(x *node) (*node, error) {
	if p.d.betweenSymmetric && (p.isWord("symmetric") || p.isWord("asymmetric")) {
		return nil, &fault{kind: api.KindSyntaxError, at: p.cur().at, found: p.cur().text,
			msg: "BETWEEN SYMMETRIC is not allowed", hint: "Write the lower bound first."}
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
	return p.newNode(nBetween, x.at, "", x, low, high), nil
}
