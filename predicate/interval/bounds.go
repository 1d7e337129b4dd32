package interval

import "github.com/agnes-data/da/predicate"

// Bounds is what is known about a column's values in a group of rows.
type Bounds struct {
	Rows, Nulls int64  // Nulls -1: unknown
	Low, High   *Point // no value lies outside; nil: unknown
	// OpenTop says that values above High are possible: parquet excludes NaN from
	// its bounds, and DuckDB orders NaN above all numbers.
	OpenTop bool
}

// values is how many rows are not NULL.
func (b Bounds) values() Count {
	if b.Nulls < 0 {
		return Count{0, b.Rows}
	}
	return Exactly(b.Rows - b.Nulls)
}

// isNull is the chance of IS NULL.
func (b Bounds) isNull() Chance {
	return Chance{rows: b.Rows, True: Count{0, b.Rows}, False: b.values()}.tighten()
}

// comparable reports whether the bounds and the value are of one class.
func (b Bounds) comparable(p Point) bool {
	return (b.Low == nil || b.Low.class == p.class) && (b.High == nil || b.High.class == p.class)
}

// compare is the chance of "column op p".
func (b Bounds) compare(op predicate.CompareOp, p Point) Chance {
	switch op {
	case predicate.Ne:
		return b.compare(predicate.Eq, p).not()
	case predicate.Gt:
		return b.compare(predicate.Le, p).not()
	case predicate.Ge:
		return b.compare(predicate.Lt, p).not()
	case predicate.Distinct:
		return b.compare(predicate.NotDistinct, p).not()
	case predicate.NotDistinct:
		return b.compare(predicate.Eq, p).nullIsFalse()
	}
	canTrue, canFalse := b.outcomes(op, p)
	values := b.values()
	c := Chance{rows: b.Rows, Null: Count{b.Rows - values.High, b.Rows - values.Low}}
	if canTrue {
		c.True.High = values.High
	}
	if canFalse {
		c.False.High = values.High
	}
	return c.tighten()
}

// outcomes reports whether "column op p", with op one of <, <= and =, can be TRUE
// and can be FALSE for a value within the bounds.
func (b Bounds) outcomes(op predicate.CompareOp, p Point) (canTrue, canFalse bool) {
	canTrue, canFalse = true, true
	top := b.High
	if b.OpenTop {
		top = nil
	}
	switch {
	case !b.comparable(p):
	case op == predicate.Lt:
		canTrue = b.Low == nil || !p.surelyAtMost(*b.Low)
		canFalse = top == nil || !top.surelyLess(p)
	case op == predicate.Le:
		canTrue = b.Low == nil || !p.surelyLess(*b.Low)
		canFalse = top == nil || !top.surelyAtMost(p)
	case op == predicate.Eq:
		canTrue = (b.Low == nil || !p.surelyLess(*b.Low)) && (top == nil || !top.surelyLess(p))
		canFalse = b.Low == nil || top == nil || p.rough || b.Low.compare(p) != 0 || top.compare(p) != 0
	}
	return canTrue, canFalse
}

// Within sets the bounds, unless they are the wrong way round, which says nothing.
func (b *Bounds) Within(low, high Point) {
	if low.compare(high) <= 0 {
		b.Low, b.High = &low, &high
	}
}
