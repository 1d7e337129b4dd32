package predicate

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/agnes-data/da/api"
)

// checker turns the syntax tree into operations: it resolves names in the schema
// and functions in the catalogue, and checks types.
type checker struct {
	d   *traits
	s   *Schema
	src string
	// trying says that a signature that does not fit is skipped, so no error
	// message is needed.
	trying bool
	// texts has upper bounds, in bytes, for calls that can return long texts.
	texts map[Expr]int64
}

func (c *checker) snippet(n *node) string { return clip(c.src[n.at:n.end]) }

// condition checks a node that must be boolean; what names its position for
// errors.
func (c *checker) condition(n *node, what string) (Expr, error) {
	e, err := c.expr(n)
	if err != nil {
		return nil, err
	}
	if k := e.Type().Kind; k != KindBool && (k != KindNull || what == "") {
		kind := api.KindTypeMismatch
		hint := ""
		if what == "" {
			kind, what = api.KindNotBoolean, "the predicate"
			hint = "A predicate is a condition, such as a comparison: column = value."
		}
		return nil, &fault{kind: kind, at: n.at, found: e.Type().String(), expected: "boolean", hint: hint,
			msg: fmt.Sprintf("%s must be true or false, but %s is %s", what, c.snippet(n), e.Type().describe())}
	}
	return e, nil
}

// expr dispatches by node. Depth was limited by the parser.
func (c *checker) expr(n *node) (Expr, error) {
	switch n.kind {
	case nName, nField, nIndex:
		return c.path(n)
	case nNumber:
		return c.number(n, false)
	case nString:
		return &Literal{Value: n.text, T: Type{Kind: KindString}}, c.noNUL(n)
	case nBytes:
		return &Literal{Value: []byte(n.text), T: Type{Kind: KindBytes}}, nil
	case nNull:
		return &Literal{T: Type{Kind: KindNull}}, nil
	case nBool:
		return &Literal{Value: n.text == "true", T: Type{Kind: KindBool}}, nil
	case nTyped:
		return c.typedLiteral(n)
	case nInterval:
		return c.interval(n)
	case nUnary:
		return c.unary(n)
	case nBinary:
		return c.call(n, n.text, n.args)
	case nCall:
		return c.call(n, n.text, n.args)
	case nCast:
		return c.cast(n)
	case nCase:
		return c.caseWhen(n)
	case nAnd, nOr:
		return c.logic(n)
	case nNot:
		if err := c.bareNull(n.args[0]); err != nil {
			return nil, err
		}
		x, err := c.condition(n.args[0], "what NOT negates")
		if err != nil {
			return nil, err
		}
		return &Not{X: x}, nil
	}
	return c.test(n)
}

func (c *checker) noNUL(n *node) error {
	if !c.d.nulText && strings.IndexByte(n.text, 0) >= 0 {
		return &fault{kind: api.KindBadLiteral, at: n.at, msg: "text can't hold a NUL character"}
	}
	return nil
}

func (c *checker) logic(n *node) (Expr, error) {
	op, part := OpAnd, "what AND joins"
	if n.kind == nOr {
		op, part = OpOr, "what OR joins"
	}
	terms := make([]Expr, 0, len(n.args))
	for _, a := range n.args {
		t, err := c.condition(a, part)
		if err != nil {
			return nil, err
		}
		// a AND (b AND c) is one chain.
		if l, ok := t.(*Logic); ok && l.Op == op {
			terms = append(terms, l.Terms...)
			continue
		}
		terms = append(terms, t)
	}
	return &Logic{Op: op, Terms: terms}, nil
}

// unary folds the sign into a number, as -9223372036854775808 needs.
func (c *checker) unary(n *node) (Expr, error) {
	arg := n.args[0]
	if arg.kind == nNumber && !arg.paren {
		return c.number(arg, n.text == "-")
	}
	x, err := c.expr(arg)
	if err != nil {
		return nil, err
	}
	if n.text == "-" {
		if l, ok := x.(*Literal); ok && l.T.numeric() {
			return c.negated(n, l)
		}
		return c.callWith(n, "neg", n.args, []Expr{x})
	}
	if !x.Type().numeric() {
		return nil, c.mismatch(arg, x.Type(), "a number")
	}
	return x, nil
}

// negated is the opposite of a constant.
func (c *checker) negated(n *node, l *Literal) (Expr, error) {
	switch v := l.Value.(type) {
	case float64:
		return &Literal{Value: -v, T: l.T}, nil
	case *big.Rat:
		return &Literal{Value: new(big.Rat).Neg(v), T: l.T}, nil
	case *big.Int:
		return c.integer(n, new(big.Int).Neg(v), false)
	case int64:
		return c.integer(n, new(big.Int).Neg(big.NewInt(v)), false)
	}
	return l, nil
}

// mismatch is the fault of a value that has the wrong type in its place.
func (c *checker) mismatch(n *node, found Type, expected string) *fault {
	return &fault{kind: api.KindTypeMismatch, at: n.at, found: found.String(), expected: expected,
		msg: fmt.Sprintf("%s is %s, but %s is expected here", c.snippet(n), found.describe(), expected)}
}

// caseWhen checks both forms of CASE.
func (c *checker) caseWhen(n *node) (Expr, error) {
	out := &Case{}
	operand := n.args[0]
	rest := n.args[1:]
	var results []*node
	for i := 0; i+1 < len(rest); i += 2 {
		results = append(results, rest[i+1])
	}
	if len(rest)%2 == 1 {
		results = append(results, rest[len(rest)-1])
	}
	values, t, err := c.same(results)
	if err != nil {
		return nil, err
	}
	if t.Kind == KindNull {
		return nil, c.mismatch(results[0], t, "a value of some type")
	}
	out.T = t
	if len(rest)%2 == 1 {
		out.Else = values[len(values)-1]
	}
	var x Expr
	if operand != nil {
		if x, err = c.expr(operand); err != nil {
			return nil, err
		}
	}
	for i := 0; i+1 < len(rest); i += 2 {
		var when Expr
		if operand == nil {
			when, err = c.condition(rest[i], "what follows WHEN")
		} else if out.Operand, when, err = c.pairWith(operand, x, rest[i]); err == nil {
			out.As = mergeAs(out.As, c.sense(Eq, out.Operand, when))
		}
		if err != nil {
			return nil, err
		}
		out.Arms = append(out.Arms, Arm{When: when, Then: values[i/2]})
	}
	return out, nil
}
