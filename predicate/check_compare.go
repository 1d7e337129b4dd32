package predicate

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/agnes-data/da/api"
)

// test checks the nodes that yield a boolean from a comparison of some kind.
func (c *checker) test(n *node) (Expr, error) {
	switch n.kind {
	case nCompare:
		return c.compare(n)
	case nIn:
		return c.in(n)
	case nBetween:
		return c.between(n)
	case nLike:
		return c.like(n)
	case nRegexp:
		return c.regexp(n)
	case nIsNull:
		x, err := c.isOperand(n)
		if err != nil {
			return nil, err
		}
		return &IsNull{X: x, Negated: n.negated}, nil
	case nIsTruth:
		x, err := c.condition(n.args[0], "what IS "+n.text+" tests")
		if err != nil {
			return nil, err
		}
		return &IsTruth{X: x, Value: n.text == "true", Negated: n.negated}, nil
	}
	return nil, &fault{kind: api.KindSyntaxError, at: n.at, msg: "this can't be used in a predicate"}
}

// isOperand lets IS NULL test anything, IS UNKNOWN only conditions.
func (c *checker) isOperand(n *node) (Expr, error) {
	if n.text == "unknown" {
		return c.condition(n.args[0], "what IS UNKNOWN tests")
	}
	return c.expr(n.args[0])
}

var compareCodes = map[string]CompareOp{"=": Eq, "<>": Ne, "<": Lt, "<=": Le, ">": Gt, ">=": Ge, "distinct": Distinct, "not distinct": NotDistinct}

func (c *checker) compare(n *node) (Expr, error) {
	op := compareCodes[n.text]
	if op != Distinct && op != NotDistinct {
		if err := c.bareNull(n.args...); err != nil {
			return nil, err
		}
	}
	l, r, err := c.pair(n.args[0], n.args[1])
	if err != nil {
		return nil, err
	}
	return &Compare{Op: op, Left: l, Right: r, As: c.sense(op, l, r)}, nil
}

// bareNull refuses NULL as an operand, with which no row is ever selected: who
// writes it means IS NULL.
func (c *checker) bareNull(nodes ...*node) error {
	for _, n := range nodes {
		if n.kind == nNull {
			return &fault{kind: api.KindTypeMismatch, at: n.at, found: "NULL", expected: "a value",
				msg: "nothing is equal to NULL, nor above or below it", hint: "Write x IS NULL or x IS NOT NULL."}
		}
	}
	return nil
}

func (c *checker) in(n *node) (Expr, error) {
	x, err := c.expr(n.args[0])
	if err != nil {
		return nil, err
	}
	out := &In{Negated: n.negated, List: make([]Expr, 0, len(n.args)-1)}
	for _, item := range n.args[1:] {
		l, r, err := c.pairWith(n.args[0], x, item)
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

func (c *checker) between(n *node) (Expr, error) {
	x, low, err := c.pair(n.args[0], n.args[1])
	if err != nil {
		return nil, err
	}
	_, high, err := c.pairWith(n.args[0], x, n.args[2])
	if err != nil {
		return nil, err
	}
	as := mergeAs(c.sense(Ge, x, low), c.sense(Le, x, high))
	return &Between{X: x, Low: low, High: high, Negated: n.negated, As: as}, nil
}

// pair checks two operands that are compared with each other.
func (c *checker) pair(ln, rn *node) (Expr, Expr, error) {
	l, err := c.expr(ln)
	if err != nil {
		return nil, nil, err
	}
	return c.pairWith(ln, l, rn)
}

// pairWith is pair with the left side already checked. A text literal gets the
// type of the other side.
func (c *checker) pairWith(ln *node, l Expr, rn *node) (Expr, Expr, error) {
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
func (c *checker) operand(n *node, other Type) (Expr, error) {
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
func (c *checker) comparable(ln *node, l Expr, rn *node, r Expr) error {
	lt, rt := l.Type(), r.Type()
	if err := c.doubleQuoted(ln, r); err != nil {
		return err
	}
	if err := c.doubleQuoted(rn, l); err != nil {
		return err
	}
	if lt.Kind == KindBytes != (rt.Kind == KindBytes) && (ln.kind == nBytes || rn.kind == nBytes) {
		n := ln
		if rn.kind == nBytes {
			n = rn
		}
		return &fault{kind: api.KindBytesLiteralRaw, at: n.at, found: "a bytes literal", expected: "a value comparable with it",
			msg: "a bytes literal can only be compared with bytes", hint: "Write text without the prefix b."}
	}
	if _, ok := common(c.d, lt, rt); ok && lt.ordered() && rt.ordered() {
		return cmp.Or(c.refused(ln, l, rn, r), c.refused(rn, r, ln, l))
	}
	f := c.mismatch(rn, rt, lt.describe())
	f.msg = fmt.Sprintf("%s is %s and can't be compared with %s, which is %s", c.snippet(rn), rt.describe(), c.snippet(ln), lt.describe())
	if !lt.ordered() {
		f = c.mismatch(ln, lt, "a value that can be compared")
	}
	f.hint = c.mismatchHint(ln, lt, rn, rt)
	return f
}

// refused returns the error for a pair of types that can generally be compared
// but not in this engine; nil for all other pairs.
func (c *checker) refused(n *node, x Expr, on *node, other Expr) error {
	t, ot := x.Type(), other.Type()
	if t.Kind == KindDateTime && ot.Kind == KindTimestamp && slices.Contains(c.d.zoneless, t.Name) {
		f := c.mismatch(on, ot, t.Name)
		f.hint = fmt.Sprintf("Convert one side: CAST(%s AS TIMESTAMP).", c.snippet(n))
		return f
	}
	// An engine that reads a number as it is compared reads this one as a decimal.
	if l, ok := x.(*Literal); ok && ot.Kind == KindDecimal && c.d.decimalLimit != nil {
		v, float := l.Value.(float64)
		if limit := c.d.decimalLimit(ot); float && math.Abs(v) >= limit {
			f := c.mismatch(n, t, fmt.Sprintf("a number within ±%.2g", limit))
			f.hint = fmt.Sprintf("Compare as floating-point numbers: CAST(%s AS FLOAT64).", c.snippet(on))
			return f
		}
	}
	return nil
}

// doubleQuoted explains that "country_code" = 'CZ' compares two texts.
func (c *checker) doubleQuoted(n *node, other Expr) error {
	if n.kind != nString || !n.flag {
		return nil
	}
	_, constant := other.(*Literal)
	if !constant || other.Type().Kind != KindString {
		return nil
	}
	f := &fault{kind: api.KindTypeMismatch, at: n.at, found: "a text", expected: "a column",
		msg:  fmt.Sprintf("%s is a text in this dialect, not a column: two texts are compared", c.snippet(n)),
		hint: fmt.Sprintf("Double quotes make text in %s; a column is written %s.", c.d.title, c.d.quoteIdent(clip(n.text)))}
	if c.s.lookup(n.text, true) == nil {
		f.suggestions = c.s.near(n.text)
	}
	return f
}

func (c *checker) mismatchHint(ln *node, lt Type, rn *node, rt Type) string {
	for _, p := range []struct {
		n    *node
		t, o Type
	}{{ln, lt, rt}, {rn, rt, lt}} {
		switch {
		case p.t.Kind == KindUnknown:
			if c.d.castsAnything {
				return fmt.Sprintf("A column of this type can be tested for NULL, or cast to text first: CAST(%s AS VARCHAR).", c.snippet(p.n))
			}
			return "A column of this type can only be selected and tested for NULL."
		case p.o.calendar() && p.t.numeric():
			return "A date is written in quotes: DATE '2026-01-31'."
		case p.n.kind == nNumber && p.o.Kind == KindString:
			return fmt.Sprintf("Text is written in quotes: '%s'.", c.snippet(p.n))
		case p.n.kind == nString && p.o.numeric():
			return "Numbers are written without quotes."
		case p.n.kind == nNumber && p.o.Kind == KindBool:
			return "A condition is true or false by itself: write it alone, or behind NOT."
		case p.n.kind == nBool && p.o.numeric():
			return "The column holds numbers: write 1 for true and 0 for false."
		case p.t.Kind == KindJSON:
			return "Fetch JSON as it is, and look into it in a query over the snapshot."
		case p.t.Kind == KindList:
			return "Test an element: " + c.d.elementHint + "."
		case p.t.Kind == KindStruct:
			return "Compare a field of it: column.field = value."
		}
	}
	if !c.d.implicitZone && (lt.Kind == KindTimestamp || rt.Kind == KindTimestamp) {
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
		return c.d.name
	case lt.Kind == KindFloat || rt.Kind == KindFloat:
		ln, rn := neverNaN(l), neverNaN(r)
		if ln && rn || equality && (ln || rn) || (op == Lt || op == Le) && rn || (op == Gt || op == Ge) && ln {
			return ""
		}
		return c.d.name
	case lt.Kind == KindInterval, lt.Kind == KindList:
		return c.d.name
	case (lt.Kind == KindTimestamp) != (rt.Kind == KindTimestamp):
		return c.d.name
	}
	return ""
}

// neverNaN reports whether a value cannot be NaN, which engines order
// differently.
func neverNaN(e Expr) bool {
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
