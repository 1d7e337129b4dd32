package lake

import (
	"github.com/agnes-data/da/predicate"
)

// conditions finds out what is known of a predicate for one row group, from
// the bounds of its columns alone. It is three-valued like SQL, and cautious:
// of what it does not understand it says that anything may be.
type conditions struct {
	rows int64 // of the row group; of a file that nobody counted 1, which stands for all
	// bounds returns what is known of a column; false: nothing.
	bounds func(column string, kind predicate.Kind) (bounds, bool)
	// constants are the values of expressions without columns that are no
	// literals, as date arithmetic on today; nil stands for NULL.
	constants map[predicate.Expr]*point
}

// of returns the chance of a predicate.
func (c *conditions) of(e predicate.Expr) chance {
	switch e := e.(type) {
	case *predicate.Logic:
		if e.Op == predicate.OpOr {
			return c.or(e.Terms)
		}
		return c.and(e.Terms)
	case *predicate.Not:
		return c.of(e.X).not()
	case *predicate.Compare:
		return c.compare(e)
	case *predicate.Between:
		low := c.comparison(predicate.Ge, e.X, e.Low)
		high := c.comparison(predicate.Le, e.X, e.High)
		return negated(e.Negated, c.ranges([]operand{low, high}))
	case *predicate.In:
		return negated(e.Negated, c.in(e))
	case *predicate.IsNull:
		return negated(e.Negated, c.isNull(e.X))
	case *predicate.IsTruth:
		return negated(e.Negated, c.isTruth(e))
	case *predicate.Column:
		return c.column(e)
	case *predicate.Literal:
		if b, ok := e.Value.(bool); ok {
			return always(c.rows, b)
		}
		if e.Value == nil {
			return null(c.rows)
		}
	}
	return anything(c.rows)
}

func negated(not bool, c chance) chance {
	if not {
		return c.not()
	}
	return c
}

// operand is a comparison of a column with a value.
type operand struct {
	column *predicate.Column // nil: not understood
	bounds bounds
	op     predicate.CompareOp
	value  point
	null   bool // the value is NULL
}

// comparison understands "column op constant"; turned round by the caller.
func (c *conditions) comparison(op predicate.CompareOp, x, y predicate.Expr) operand {
	col, ok := x.(*predicate.Column)
	if !ok || len(col.Path) > 0 || col.T.Padded {
		return operand{}
	}
	value, null, ok := c.constant(y)
	if !ok {
		return operand{}
	}
	b, ok := c.bounds(col.Name, col.T.Kind)
	if !ok {
		return operand{}
	}
	return operand{column: col, bounds: b, op: op, value: value, null: null}
}

// alone is the chance of the comparison by itself.
func (c *conditions) alone(o operand) chance {
	switch {
	case o.column == nil:
		return anything(c.rows)
	case !o.null:
		return o.bounds.compare(o.op, o.value)
	case o.op == predicate.Distinct:
		return o.bounds.isNull().not()
	case o.op == predicate.NotDistinct:
		return o.bounds.isNull()
	}
	return null(c.rows)
}

// span is the range that the comparison leaves; false if it is none.
func (o operand) span() (span, bool) {
	if o.column == nil || o.null || !o.bounds.fits(o.value) {
		return span{}, false
	}
	v := o.value
	switch o.op {
	case predicate.Lt:
		return span{high: &v, highOpen: true}, true
	case predicate.Le:
		return span{high: &v}, true
	case predicate.Gt:
		return span{low: &v, lowOpen: true}, true
	case predicate.Ge:
		return span{low: &v}, true
	}
	return span{}, false
}

// constant returns the value of an expression without columns.
func (c *conditions) constant(e predicate.Expr) (p point, null, ok bool) {
	if l, isLiteral := e.(*predicate.Literal); isLiteral {
		if l.Value == nil {
			return p, true, true
		}
		p, ok = literalPoint(l)
		return p, false, ok
	}
	v, ok := c.constants[e]
	if !ok || v == nil {
		return p, ok, ok
	}
	return *v, false, true
}

func (c *conditions) compare(e *predicate.Compare) chance {
	return c.alone(c.operand(e))
}

// turned is the comparison that holds when its sides change places.
func turned(op predicate.CompareOp) predicate.CompareOp {
	switch op {
	case predicate.Lt:
		return predicate.Gt
	case predicate.Le:
		return predicate.Ge
	case predicate.Gt:
		return predicate.Lt
	case predicate.Ge:
		return predicate.Le
	}
	return op
}

func (c *conditions) operand(e *predicate.Compare) operand {
	if o := c.comparison(e.Op, e.Left, e.Right); o.column != nil {
		return o
	}
	return c.comparison(turned(e.Op), e.Right, e.Left)
}

// and takes together what the terms say about the same column: a >= 1 and
// a < 5 is one range, not two halves.
func (c *conditions) and(terms []predicate.Expr) chance {
	var out []chance
	byColumn := map[string][]operand{}
	var columns []string
	for _, t := range terms {
		cmp, ok := t.(*predicate.Compare)
		if !ok {
			out = append(out, c.of(t))
			continue
		}
		o := c.operand(cmp)
		if _, ranged := o.span(); !ranged {
			out = append(out, c.alone(o))
			continue
		}
		if byColumn[o.column.Name] == nil {
			columns = append(columns, o.column.Name)
		}
		byColumn[o.column.Name] = append(byColumn[o.column.Name], o)
	}
	for _, name := range columns {
		out = append(out, c.ranges(byColumn[name]))
	}
	return and(c.rows, out...)
}

// ranges is the chance that all comparisons of one column hold.
func (c *conditions) ranges(operands []operand) chance {
	each := make([]chance, len(operands))
	var all span
	for i, o := range operands {
		each[i] = c.alone(o)
		if s, ok := o.span(); ok {
			all = all.within(s)
		}
	}
	if all.low != nil && all.high != nil && all.high.surelyLess(*all.low) {
		each = append(each, anything(c.rows).butTrue())
	}
	return and(c.rows, each...)
}

func (c *conditions) or(terms []predicate.Expr) chance {
	each := make([]chance, len(terms))
	for i, t := range terms {
		each[i] = c.of(t)
	}
	return or(c.rows, each...)
}

func (c *conditions) in(e *predicate.In) chance {
	each := make([]chance, len(e.List))
	for i, item := range e.List {
		each[i] = c.alone(c.comparison(predicate.Eq, e.X, item))
	}
	return or(c.rows, each...)
}

func (c *conditions) isNull(x predicate.Expr) chance {
	if col, ok := x.(*predicate.Column); ok && len(col.Path) == 0 {
		if b, ok := c.bounds(col.Name, col.T.Kind); ok {
			return b.isNull()
		}
	}
	return anything(c.rows).nullIsFalse()
}

func (c *conditions) isTruth(e *predicate.IsTruth) chance {
	x := c.of(e.X)
	if !e.Value {
		x = x.not()
	}
	return x.nullIsFalse()
}

// column is a condition that is a column itself.
func (c *conditions) column(e *predicate.Column) chance {
	b, ok := c.bounds(e.Name, e.T.Kind)
	if !ok || len(e.Path) > 0 || e.T.Kind != predicate.KindBool {
		return anything(c.rows)
	}
	return b.compare(predicate.Eq, truth(true))
}
