package predicate

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// checker turns the syntax tree into operations: it resolves names in the schema
// and functions in the catalogue, and checks types.
type checker struct {
	d   *Traits
	s   *Schema
	src string
	// trying says that a signature that does not fit is skipped, so no error
	// message is needed.
	trying bool
	// texts has upper bounds, in bytes, for calls that can return long texts.
	texts map[Expr]int64
}

func (c *checker) snippet(n *syntax.Node) string { return syntax.Clip(c.src[n.At:n.End]) }

// condition checks a node that must be boolean; what names its position for
// errors.
func (c *checker) condition(n *syntax.Node, what string) (Expr, error) {
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
		return nil, &syntax.Fault{Kind: kind, At: n.At, Found: e.Type().String(), Expected: "boolean", Hint: hint,
			Msg: fmt.Sprintf("%s must be true or false, but %s is %s", what, c.snippet(n), e.Type().describe())}
	}
	return e, nil
}

// expr dispatches by node. Depth was limited by the parser.
func (c *checker) expr(n *syntax.Node) (Expr, error) {
	switch n.Kind {
	case syntax.Name, syntax.Field, syntax.Index:
		return c.path(n)
	case syntax.Number:
		return c.number(n, false)
	case syntax.String:
		return &Literal{Value: n.Text, T: Type{Kind: KindString}}, c.noNUL(n)
	case syntax.Bytes:
		return &Literal{Value: []byte(n.Text), T: Type{Kind: KindBytes}}, nil
	case syntax.Null:
		return &Literal{T: Type{Kind: KindNull}}, nil
	case syntax.Bool:
		return &Literal{Value: n.Text == "true", T: Type{Kind: KindBool}}, nil
	case syntax.Typed:
		return c.typedLiteral(n)
	case syntax.Interval:
		return c.interval(n)
	case syntax.Unary:
		return c.unary(n)
	case syntax.Binary:
		return c.call(n, n.Text, n.Args)
	case syntax.Call:
		return c.call(n, n.Text, n.Args)
	case syntax.Cast:
		return c.cast(n)
	case syntax.Case:
		return c.caseWhen(n)
	case syntax.And, syntax.Or:
		return c.logic(n)
	case syntax.Not:
		if err := c.bareNull(n.Args[0]); err != nil {
			return nil, err
		}
		x, err := c.condition(n.Args[0], "what NOT negates")
		if err != nil {
			return nil, err
		}
		return &Not{X: x}, nil
	}
	return c.test(n)
}

func (c *checker) noNUL(n *syntax.Node) error {
	if !c.d.NulText && strings.IndexByte(n.Text, 0) >= 0 {
		return &syntax.Fault{Kind: api.KindBadLiteral, At: n.At, Msg: "text can't hold a NUL character"}
	}
	return nil
}

func (c *checker) logic(n *syntax.Node) (Expr, error) {
	op, part := OpAnd, "what AND joins"
	if n.Kind == syntax.Or {
		op, part = OpOr, "what OR joins"
	}
	terms := make([]Expr, 0, len(n.Args))
	for _, a := range n.Args {
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
func (c *checker) unary(n *syntax.Node) (Expr, error) {
	arg := n.Args[0]
	if arg.Kind == syntax.Number && !arg.Paren {
		return c.number(arg, n.Text == "-")
	}
	x, err := c.expr(arg)
	if err != nil {
		return nil, err
	}
	if n.Text == "-" {
		if l, ok := x.(*Literal); ok && l.T.Numeric() {
			return c.negated(n, l)
		}
		return c.callWith(n, "neg", n.Args, []Expr{x})
	}
	if !x.Type().Numeric() {
		return nil, c.mismatch(arg, x.Type(), "a number")
	}
	return x, nil
}

// negated is the opposite of a constant.
func (c *checker) negated(n *syntax.Node, l *Literal) (Expr, error) {
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
func (c *checker) mismatch(n *syntax.Node, found Type, expected string) *syntax.Fault {
	return &syntax.Fault{Kind: api.KindTypeMismatch, At: n.At, Found: found.String(), Expected: expected,
		Msg: fmt.Sprintf("%s is %s, but %s is expected here", c.snippet(n), found.describe(), expected)}
}

// caseWhen checks both forms of CASE.
func (c *checker) caseWhen(n *syntax.Node) (Expr, error) {
	out := &Case{}
	operand := n.Args[0]
	rest := n.Args[1:]
	var results []*syntax.Node
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
