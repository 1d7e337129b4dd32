package interval

import (
	"github.com/agnes-data/da/predicate"
)

// Facts are what is known about a group of rows: the bounds of its columns, and
// the values of constants. They determine the possible outcomes of a predicate
// under SQL's three-valued logic. A condition that they do not understand can
// have any outcome.
type Facts struct {
	Rows int64 // in the group; 1 if unknown
	// Bounds returns what is known about a column; false if nothing is.
	Bounds func(column string, kind predicate.Kind) (Bounds, bool)
	// Constants has the values of expressions that contain no column and are not
	// literals, such as CURRENT_DATE - 7 (see Constants); nil is NULL.
	Constants map[predicate.Expr]*Point
}

// Chance returns how a predicate can turn out.
func (f *Facts) Chance(e predicate.Expr) Chance {
	switch e := e.(type) {
	case *predicate.Logic:
		if e.Op == predicate.OpOr {
			return f.or(e.Terms)
		}
		return f.and(e.Terms)
	case *predicate.Not:
		return f.Chance(e.X).not()
	case *predicate.Compare:
		return f.compare(e)
	case *predicate.Between:
		if !predicate.Separable(e.X, e.Low, e.High) {
			return unknown(f.Rows)
		}
		low := f.understand(predicate.Ge, e.X, e.Low)
		high := f.understand(predicate.Le, e.X, e.High)
		return negated(e.Negated, f.ranges([]comparison{low, high}))
	case *predicate.In:
		return negated(e.Negated, f.in(e))
	case *predicate.IsNull:
		return negated(e.Negated, f.isNull(e.X))
	case *predicate.IsTruth:
		return negated(e.Negated, f.isTruth(e))
	case *predicate.Column:
		return f.column(e)
	case *predicate.Literal:
		if b, ok := e.Value.(bool); ok {
			return Always(f.Rows, b)
		}
		if e.Value == nil {
			return alwaysNull(f.Rows)
		}
	}
	return unknown(f.Rows)
}

func negated(not bool, c Chance) Chance {
	if not {
		return c.not()
	}
	return c
}

// comparison is one of a column with a value.
type comparison struct {
	column *predicate.Column // nil: not understood
	bounds Bounds
	op     predicate.CompareOp
	value  Point
	null   bool // the value is NULL
}

// understand reads "column op constant". The caller tries both directions.
func (f *Facts) understand(op predicate.CompareOp, x, y predicate.Expr) comparison {
	col, ok := x.(*predicate.Column)
	if !ok || len(col.Path) > 0 || col.T.Padded {
		return comparison{}
	}
	value, null, ok := f.constant(y)
	if !ok {
		return comparison{}
	}
	b, ok := f.Bounds(col.Name, col.T.Kind)
	if !ok {
		return comparison{}
	}
	return comparison{column: col, bounds: b, op: op, value: value, null: null}
}

// alone is the chance of the comparison by itself.
func (f *Facts) alone(o comparison) Chance {
	switch {
	case o.column == nil:
		return unknown(f.Rows)
	case !o.null:
		return o.bounds.compare(o.op, o.value)
	case o.op == predicate.Distinct:
		return o.bounds.isNull().not()
	case o.op == predicate.NotDistinct:
		return o.bounds.isNull()
	}
	return alwaysNull(f.Rows)
}

// span is the range that the comparison leaves; false if it is not one.
func (o comparison) span() (span, bool) {
	if o.column == nil || o.null || !o.bounds.comparable(o.value) {
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
func (f *Facts) constant(e predicate.Expr) (p Point, null, ok bool) {
	if l, isLiteral := e.(*predicate.Literal); isLiteral {
		if l.Value == nil {
			return p, true, true
		}
		p, ok = LiteralPoint(l)
		return p, false, ok
	}
	v, ok := f.Constants[e]
	if !ok || v == nil {
		return p, ok, ok
	}
	return *v, false, true
}

func (f *Facts) compare(e *predicate.Compare) Chance {
	return f.alone(f.either(e))
}

// either parses a comparison with the column on either side.
func (f *Facts) either(e *predicate.Compare) comparison {
	if o := f.understand(e.Op, e.Left, e.Right); o.column != nil {
		return o
	}
	return f.understand(e.Op.Mirrored(), e.Right, e.Left)
}

// and combines terms about the same column: a >= 1 and a < 5 is one range.
func (f *Facts) and(terms []predicate.Expr) Chance {
	var out []Chance
	byColumn := map[string][]comparison{}
	var columns []string
	for _, t := range terms {
		cmp, ok := t.(*predicate.Compare)
		if !ok {
			out = append(out, f.Chance(t))
			continue
		}
		o := f.either(cmp)
		if _, ranged := o.span(); !ranged {
			out = append(out, f.alone(o))
			continue
		}
		if byColumn[o.column.Name] == nil {
			columns = append(columns, o.column.Name)
		}
		byColumn[o.column.Name] = append(byColumn[o.column.Name], o)
	}
	for _, name := range columns {
		out = append(out, f.ranges(byColumn[name]))
	}
	return and(f.Rows, out...)
}

// ranges is the Chance that all comparisons of one column are TRUE.
func (f *Facts) ranges(operands []comparison) Chance {
	each := make([]Chance, len(operands))
	var all span
	for i, o := range operands {
		each[i] = f.alone(o)
		if s, ok := o.span(); ok {
			all = all.within(s)
		}
	}
	if all.empty() {
		each = append(each, unknown(f.Rows).neverTrue())
	}
	return and(f.Rows, each...)
}

func (f *Facts) or(terms []predicate.Expr) Chance {
	each := make([]Chance, len(terms))
	for i, t := range terms {
		each[i] = f.Chance(t)
	}
	return or(f.Rows, each...)
}

func (f *Facts) in(e *predicate.In) Chance {
	if !predicate.Separable(e.X, e.List...) {
		return unknown(f.Rows)
	}
	each := make([]Chance, len(e.List))
	for i, item := range e.List {
		each[i] = f.alone(f.understand(predicate.Eq, e.X, item))
	}
	return or(f.Rows, each...)
}

func (f *Facts) isNull(x predicate.Expr) Chance {
	if col, ok := x.(*predicate.Column); ok && len(col.Path) == 0 {
		if b, ok := f.Bounds(col.Name, col.T.Kind); ok {
			return b.isNull()
		}
	}
	return unknown(f.Rows).nullIsFalse()
}

func (f *Facts) isTruth(e *predicate.IsTruth) Chance {
	x := f.Chance(e.X)
	if !e.Value {
		x = x.not()
	}
	return x.nullIsFalse()
}

// column is a condition that is a column itself.
func (f *Facts) column(e *predicate.Column) Chance {
	b, ok := f.Bounds(e.Name, e.T.Kind)
	if !ok || len(e.Path) > 0 || e.T.Kind != predicate.KindBool {
		return unknown(f.Rows)
	}
	return b.compare(predicate.Eq, Truth(true))
}
