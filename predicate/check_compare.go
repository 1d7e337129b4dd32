package predicate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// test checks the nodes that yield a boolean from a comparison of some kind.
func (c *checker) test(n *syntax.Node) (Expr, error) {
	switch n.Kind {
	case syntax.Compare:
		return c.compare(n)
	case syntax.In:
		return c.in(n)
	case syntax.Between:
		return c.between(n)
	case syntax.Like:
		return c.like(n)
	case syntax.Regexp:
		return c.regexp(n)
	case syntax.IsNull:
		x, err := c.isOperand(n)
		if err != nil {
			return nil, err
		}
		return &IsNull{X: x, Negated: n.Negated}, nil
	case syntax.IsTruth:
		x, err := c.condition(n.Args[0], "what IS "+n.Text+" tests")
		if err != nil {
			return nil, err
		}
		return &IsTruth{X: x, Value: n.Text == "true", Negated: n.Negated}, nil
	}
	return nil, &syntax.Fault{Kind: api.KindSyntaxError, At: n.At, Msg: "this can't be used in a predicate"}
}

// isOperand lets IS NULL test anything, IS UNKNOWN only conditions.
func (c *checker) isOperand(n *syntax.Node) (Expr, error) {
	if n.Text == "unknown" {
		return c.condition(n.Args[0], "what IS UNKNOWN tests")
	}
	return c.expr(n.Args[0])
}

var compareCodes = map[string]CompareOp{"=": Eq, "<>": Ne, "<": Lt, "<=": Le, ">": Gt, ">=": Ge, "distinct": Distinct,
	"not distinct": NotDistinct}

func (c *checker) compare(n *syntax.Node) (Expr, error) {
	op := compareCodes[n.Text]
	if op != Distinct && op != NotDistinct {
		if err := c.bareNull(n.Args...); err != nil {
			return nil, err
		}
	}
	l, r, err := c.pair(n.Args[0], n.Args[1])
	if err != nil {
		return nil, err
	}
	return &Compare{Op: op, Left: l, Right: r, As: c.sense(op, l, r)}, nil
}

// bareNull refuses NULL as an operand, with which no row is ever selected: who
// writes it means IS NULL.
func (c *checker) bareNull(nodes ...*syntax.Node) error {
	for _, n := range nodes {
		if n.Kind == syntax.Null {
			return &syntax.Fault{Kind: api.KindTypeMismatch, At: n.At, Found: "NULL", Expected: "a value",
				Msg: "nothing is equal to NULL, nor above or below it", Hint: "Write x IS NULL or x IS NOT NULL."}
		}
	}
	return nil
}

func (c *checker) in(n *syntax.Node) (Expr, error) {
	x, err := c.expr(n.Args[0])
	if err != nil {
		return nil, err
	}
	out := &In{Negated: n.Negated, List: make([]Expr, 0, len(n.Args)-1)}
	for _, item := range n.Args[1:] {
		l, r, err := c.pairWith(n.Args[0], x, item)
		if err != nil {
			return nil, err
		}
		if out.X == nil {
			out.X = l
		}
		out.List = append(out.List, r)
		out.As = mergeAs(out.As, c.sense(Eq, l, r))
	}
	return out, nil
}

func (c *checker) between(n *syntax.Node) (Expr, error) {
	x, low, err := c.pair(n.Args[0], n.Args[1])
	if err != nil {
		return nil, err
	}
	_, high, err := c.pairWith(n.Args[0], x, n.Args[2])
	if err != nil {
		return nil, err
	}
	as := mergeAs(c.sense(Ge, x, low), c.sense(Le, x, high))
	return &Between{X: x, Low: low, High: high, Negated: n.Negated, As: as}, nil
}

// pair checks two operands that are compared with each other.
func (c *checker) pair(ln, rn *syntax.Node) (Expr, Expr, error) {
	l, err := c.expr(ln)
	if err != nil {
		return nil, nil, err
	}
	return c.pairWith(ln, l, rn)
}

// pairWith is pair with the left side already checked. A text literal gets the
// type of the other side.
func (c *checker) pairWith(ln *syntax.Node, l Expr, rn *syntax.Node) (Expr, Expr, error) {
	r, err := c.operand(rn, l.Type())
	if err != nil {
		return nil, nil, err
	}
	if c.adapts(ln, r.Type()) && !c.adapts(rn, l.Type()) {
		if l, err = c.adapt(ln, r.Type()); err != nil {
			return nil, nil, err
		}
	}
	if err := c.comparable(ln, l, rn, r); err != nil {
		return nil, nil, err
	}
	return l, r, nil
}

// operand checks a node; a text gets the type of the operand on the other side.
func (c *checker) operand(n *syntax.Node, other Type) (Expr, error) {
	if !c.adapts(n, other) {
		return c.expr(n)
	}
	if err := c.noNUL(n); err != nil {
		return nil, err
	}
	return c.adapt(n, other)
}

// comparable rejects pairs that cannot be compared, and pairs that never make
// sense: a text in double quotes that was meant to be a column.
func (c *checker) comparable(ln *syntax.Node, l Expr, rn *syntax.Node, r Expr) error {
	lt, rt := l.Type(), r.Type()
	if err := c.doubleQuoted(ln, r); err != nil {
		return err
	}
	if err := c.doubleQuoted(rn, l); err != nil {
		return err
	}
	if lt.Kind == KindBytes != (rt.Kind == KindBytes) && (ln.Kind == syntax.Bytes || rn.Kind == syntax.Bytes) {
		n := ln
		if rn.Kind == syntax.Bytes {
			n = rn
		}
		return &syntax.Fault{Kind: api.KindBytesLiteralRaw, At: n.At, Found: "a bytes literal", Expected: "a value comparable with it",
			Msg: "a bytes literal can only be compared with bytes", Hint: "Write text without the prefix b."}
	}
	if _, ok := common(c.d, lt, rt); ok && lt.ordered() && rt.ordered() {
		return cmp.Or(c.refused(ln, l, rn, r), c.refused(rn, r, ln, l))
	}
	f := c.mismatch(rn, rt, lt.describe())
	f.Msg = fmt.Sprintf("%s is %s and can't be compared with %s, which is %s", c.snippet(rn), rt.describe(), c.snippet(ln), lt.describe())
	if !lt.ordered() {
		f = c.mismatch(ln, lt, "a value that can be compared")
	}
	f.Hint = c.mismatchHint(ln, lt, rn, rt)
	return f
}

// refused returns the error for a pair of types that can generally be compared
// but not in this engine; nil for all other pairs.
func (c *checker) refused(n *syntax.Node, x Expr, on *syntax.Node, other Expr) error {
	t, ot := x.Type(), other.Type()
	if t.Kind == KindDateTime && ot.Kind == KindTimestamp && slices.Contains(c.d.zoneless, t.Name) {
		f := c.mismatch(on, ot, t.Name)
		f.Hint = fmt.Sprintf("Convert one side: CAST(%s AS TIMESTAMP).", c.snippet(n))
		return f
	}
	// An engine that reads a number as it is compared reads this one as a decimal.
	if l, ok := x.(*Literal); ok && ot.Kind == KindDecimal && c.d.decimalLimit != nil {
		v, float := l.Value.(float64)
		if limit := c.d.decimalLimit(ot); float && math.Abs(v) >= limit {
			f := c.mismatch(n, t, fmt.Sprintf("a number within ±%.2g", limit))
			f.Hint = fmt.Sprintf("Compare as floating-point numbers: CAST(%s AS FLOAT64).", c.snippet(on))
			return f
		}
	}
	return nil
}

// doubleQuoted explains that "country_code" = 'CZ' compares two texts.
func (c *checker) doubleQuoted(n *syntax.Node, other Expr) error {
	if n.Kind != syntax.String || !n.Flag {
		return nil
	}
	_, constant := other.(*Literal)
	if !constant || other.Type().Kind != KindString {
		return nil
	}
	f := &syntax.Fault{Kind: api.KindTypeMismatch, At: n.At, Found: "a text", Expected: "a column",
		Msg:  fmt.Sprintf("%s is a text in this dialect, not a column: two texts are compared", c.snippet(n)),
		Hint: fmt.Sprintf("Double quotes make text in %s; a column is written %s.", c.d.Title, c.d.QuoteIdent(syntax.Clip(n.Text)))}
	if c.s.lookup(n.Text, true) == nil {
		f.Suggestions = c.s.near(n.Text)
	}
	return f
}

func (c *checker) mismatchHint(ln *syntax.Node, lt Type, rn *syntax.Node, rt Type) string {
	for _, p := range []struct {
		n    *syntax.Node
		t, o Type
	}{{ln, lt, rt}, {rn, rt, lt}} {
		switch {
		case p.t.Kind == KindUnknown:
			if c.d.castsAnything {
				return fmt.Sprintf("A column of this type can be tested for NULL, or cast to text first: CAST(%s AS VARCHAR).", c.snippet(p.n))
			}
			return "A column of this type can only be selected and tested for NULL."
		case p.o.Calendar() && p.t.Numeric():
			return "Write a date in quotes: DATE '2026-01-31'."
		case p.n.Kind == syntax.Number && p.o.Kind == KindString:
			return fmt.Sprintf("Write text in quotes: '%s'.", c.snippet(p.n))
		case p.n.Kind == syntax.String && p.o.Numeric():
			return "Numbers are written without quotes."
		case p.n.Kind == syntax.Number && p.o.Kind == KindBool:
			return "A condition is true or false by itself: write it alone, or behind NOT."
		case p.n.Kind == syntax.Bool && p.o.Numeric():
			return "The column holds numbers: write 1 for true and 0 for false."
		case p.t.Kind == KindJSON:
			return "Fetch JSON as it is, and look into it in a query over the snapshot."
		case p.t.Kind == KindList:
			return "Test an element: " + c.d.elementHint + "."
		case p.t.Kind == KindStruct:
			return "Compare a field of it: column.field = value."
		}
	}
	if !c.d.ImplicitZone && (lt.Kind == KindTimestamp || rt.Kind == KindTimestamp) {
		return "Convert one side: DATE(ts) = DATE '2026-01-01', or ts >= TIMESTAMP '2026-01-01'."
	}
	if lt.Kind != rt.Kind && lt.Kind != KindNull && rt.Kind != KindNull {
		return "Convert one side with CAST."
	}
	return ""
}

// sense reports whether engines differ in this comparison: if so, it returns the
// dialect whose rules apply.
func (c *checker) sense(op CompareOp, l, r Expr) Dialect {
	lt, rt := l.Type(), r.Type()
	equality := op == Eq || op == Ne || op == Distinct || op == NotDistinct
	switch {
	case lt.Kind == KindString || rt.Kind == KindString:
		if equality {
			return ""
		}
		return c.d.Name
	case lt.Kind == KindFloat || rt.Kind == KindFloat:
		ln, rn := NeverNaN(l), NeverNaN(r)
		if ln && rn || equality && (ln || rn) || (op == Lt || op == Le) && rn || (op == Gt || op == Ge) && ln {
			return ""
		}
		return c.d.Name
	case lt.Kind == KindInterval, lt.Kind == KindList:
		return c.d.Name
	case (lt.Kind == KindTimestamp) != (rt.Kind == KindTimestamp):
		return c.d.Name
	}
	return ""
}

// NeverNaN reports whether a value cannot be NaN, which engines order
// differently.
func NeverNaN(e Expr) bool {
	if e.Type().Kind != KindFloat {
		return true
	}
	switch e := e.(type) {
	case *Literal:
		f, ok := e.Value.(float64)
		return !ok || !math.IsNaN(f)
	case *Call:
		return e.Op.ID == "div_float" && e.Args[0].Type().Kind == KindInt
	}
	return false
}

func mergeAs(a, b Dialect) Dialect {
	if a != "" {
		return a
	}
	return b
}
