package cover

import (
	"strconv"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
)

// space has the axes of two predicates.
type space struct {
	dialect predicate.Dialect
	axes    []*axis
	columns map[string]int // axis by column
	tests   map[string]int // axis by the normal form of a test
}

func newSpace(d predicate.Dialect) *space {
	return &space{dialect: d, columns: map[string]int{}, tests: map[string]int{}}
}

// collect notes the points at which a predicate cuts its columns.
func (s *space) collect(e predicate.Expr) {
	predicate.Walk(e, func(e predicate.Expr) bool {
		for _, t := range s.tested(e) {
			a := s.axes[s.column(t.column)]
			a.points = append(a.points, t.low)
			if t.op == inRange {
				a.points = append(a.points, t.high)
			}
		}
		return true
	})
}

// cut makes the cells, once all points are there.
func (s *space) cut() {
	for _, a := range s.axes {
		a.cut(s.dialect)
	}
}

// column returns the axis of a column, which it makes before the cut.
func (s *space) column(c *predicate.Column) int {
	i, ok := s.columns[c.Name]
	if !ok {
		i = len(s.axes)
		s.columns[c.Name] = i
		s.axes = append(s.axes, &axis{column: c.T})
	}
	return i
}

// node reads a predicate. The axes are cut.
func (s *space) node(e predicate.Expr) node {
	switch e := e.(type) {
	case nil:
		return junction{} // no condition, which is TRUE
	case *predicate.Logic:
		terms := make([]node, len(e.Terms))
		for i, t := range e.Terms {
			terms[i] = s.node(t)
		}
		return merged(e.Op == predicate.OpOr, terms)
	case *predicate.Not:
		return negate(true, s.node(e.X))
	case *predicate.IsTruth:
		return negate(e.Negated, truth{x: s.node(e.X), value: e.Value})
	case *predicate.IsNull:
		return negate(e.Negated, s.isNull(e))
	case *predicate.Between:
		if !predicate.Separable(e.X, e.Low, e.High) {
			plain := *e
			plain.Negated = false
			return negate(e.Negated, s.opaque(&plain))
		}
		low := &predicate.Compare{Op: predicate.Ge, Left: e.X, Right: e.Low, As: e.As}
		high := &predicate.Compare{Op: predicate.Le, Left: e.X, Right: e.High, As: e.As}
		return negate(e.Negated, merged(false, []node{s.node(low), s.node(high)}))
	case *predicate.In:
		if !predicate.Separable(e.X, e.List...) {
			plain := *e
			plain.Negated = false
			return negate(e.Negated, s.opaque(&plain))
		}
		return negate(e.Negated, s.in(e))
	case *predicate.Like:
		plain := *e
		plain.Negated = false
		return negate(e.Negated, s.test(&plain))
	case *predicate.Literal:
		if b, ok := e.Value.(bool); ok {
			return junction{or: !b} // of no terms: AND is TRUE, OR is FALSE
		}
	}
	return s.test(e)
}

// in reads x IN (…): the constants are one set of cells, however many there are.
func (s *space) in(e *predicate.In) node {
	var terms []node
	var index int
	var listed cells
	for _, item := range e.List {
		t, ok := s.comparison(predicate.Eq, e.X, item)
		if !ok || t.op != predicate.Eq || s.axes[s.columns[t.column.Name]].whole {
			terms = append(terms, s.node(&predicate.Compare{Op: predicate.Eq, Left: e.X, Right: item, As: e.As}))
			continue
		}
		index = s.columns[t.column.Name]
		if listed == nil {
			listed = newCells(s.axes[index].size)
		}
		listed.add(2*s.axes[index].indexOf(t.low) + 1)
	}
	if listed != nil {
		terms = append(terms, s.axes[index].leaf(index, listed))
	}
	return merged(true, terms)
}

func negate(not bool, x node) node {
	if l, ok := x.(leaf); ok && not {
		for o, other := range swapped {
			if o < int(other) {
				l.may[o], l.may[other] = l.may[other], l.may[o]
			}
		}
		return l
	}
	if not {
		return negation{x}
	}
	return x
}

// isNull parses X IS NULL, which is possible for columns of every kind.
func (s *space) isNull(e *predicate.IsNull) node {
	c, ok := plainColumn(e.X)
	if !ok {
		return s.opaque(&predicate.IsNull{X: e.X})
	}
	i, ok := s.columns[c.Name]
	if !ok { // no other test uses this column
		i = s.column(c)
		s.axes[i].cut(s.dialect)
	}
	a := s.axes[i]
	l := leaf{axis: i}
	l.may[isTrue] = newCells(a.size)
	l.may[isTrue].add(a.null())
	l.may[isFalse] = a.all.without(l.may[isTrue])
	l.may[notTrue], l.may[notFalse] = l.may[isFalse], l.may[isTrue]
	return l
}

// test parses a condition on values: on one column, or as an opaque test.
func (s *space) test(e predicate.Expr) node {
	tests := s.tested(e)
	if len(tests) != 1 {
		return s.opaque(e)
	}
	t := tests[0]
	i, ok := s.columns[t.column.Name]
	if !ok || s.axes[i].whole {
		return s.opaque(e)
	}
	a := s.axes[i]
	return t.leaf(a, i)
}

// opaque returns the variable of an opaque test. Tests that are written alike
// share one, unless they use a clock, because two requests see different times.
func (s *space) opaque(e predicate.Expr) node {
	key := predicate.Normalize(e)
	if predicate.UsesClock(e) {
		key = "clock " + strconv.Itoa(len(s.axes))
	}
	i, ok := s.tests[key]
	if !ok {
		i = len(s.axes)
		s.tests[key] = i
		s.axes = append(s.axes, testAxis())
	}
	l := leaf{axis: i}
	for o := range outcomes {
		l.may[o] = newCells(testCells)
	}
	l.may[isTrue].add(cellTrue)
	l.may[isFalse].add(cellFalse)
	l.may[notTrue].add(cellFalse)
	l.may[notTrue].add(cellNull)
	l.may[notFalse].add(cellTrue)
	l.may[notFalse].add(cellNull)
	return l
}

// plainColumn returns the column that an expression is, unless it is a part of
// one, or blanks at its end do not count.
func plainColumn(e predicate.Expr) (*predicate.Column, bool) {
	c, ok := e.(*predicate.Column)
	return c, ok && len(c.Path) == 0 && !c.T.Padded
}

// inRange is an operator in addition to those of predicate.CompareOp.
const inRange predicate.CompareOp = 100 // low <= column < high, which are finite

// tested is a test of a column against constants.
type tested struct {
	column    *predicate.Column
	op        predicate.CompareOp
	low, high interval.Point // high of inRange only
	// loose says that the test may be NULL where it is not TRUE: in some engines
	// a part of an infinite date is NULL.
	loose bool
}

func (t tested) leaf(a *axis, index int) leaf {
	if t.op == inRange {
		l := a.leaf(index, a.between(t.low, t.high))
		if t.loose {
			low, high := a.ends()
			ends := newCells(a.size)
			ends.add(low)
			ends.add(high - 1)
			l.may[notFalse] = l.may[notFalse].or(ends.and(a.all))
		}
		return l
	}
	l := a.leaf(index, a.compared(t.op, t.low))
	if t.op == predicate.Distinct || t.op == predicate.NotDistinct {
		null := newCells(a.size)
		null.add(a.null())
		if t.op == predicate.Distinct {
			l.may[isTrue] = l.may[isTrue].or(null)
			l.may[notTrue] = l.may[notTrue].without(null)
		} else {
			l.may[isFalse] = l.may[isFalse].or(null)
			l.may[notFalse] = l.may[notFalse].without(null)
		}
		l.may[notFalse], l.may[isFalse] = l.may[isTrue], l.may[notTrue]
	}
	return l
}
