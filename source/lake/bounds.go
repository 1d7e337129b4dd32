package lake

import (
	"github.com/agnes-data/da/predicate"
)

// bounds is what is known of a column's values in one row group.
type bounds struct {
	rows, nulls int64  // nulls -1: unknown
	low, high   *point // no value lies outside; nil: unknown
	// openTop says that values above high are possible all the same: parquet
	// leaves NaN out of its bounds, and the engine takes it for the largest.
	openTop bool
}

// valueCount is how many rows are not NULL.
func (b bounds) valueCount() count {
	if b.nulls < 0 {
		return count{0, b.rows}
	}
	return count{b.rows - b.nulls, b.rows - b.nulls}
}

// isNull is the chance of IS NULL.
func (b bounds) isNull() chance {
	return chance{rows: b.rows, t: count{0, b.rows}, f: b.valueCount()}.tighten()
}

// fits reports whether the bounds can be compared with a value.
func (b bounds) fits(p point) bool {
	return (b.low == nil || b.low.class == p.class) && (b.high == nil || b.high.class == p.class)
}

// compare is the chance of "column op p".
func (b bounds) compare(op predicate.CompareOp, p point) chance {
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
	canTrue, canFalse := true, true
	top := b.high
	if b.openTop {
		top = nil
	}
	switch {
	case !b.fits(p):
	case op == predicate.Lt:
		canTrue = b.low == nil || !p.surelyAtMost(*b.low)
		canFalse = top == nil || !top.surelyLess(p)
	case op == predicate.Le:
		canTrue = b.low == nil || !p.surelyLess(*b.low)
		canFalse = top == nil || !top.surelyAtMost(p)
	case op == predicate.Eq:
		canTrue = (b.low == nil || !p.surelyLess(*b.low)) && (top == nil || !top.surelyLess(p))
		canFalse = b.low == nil || top == nil || p.rough || b.low.compare(p) != 0 || top.compare(p) != 0
	}
	values := b.valueCount()
	c := chance{rows: b.rows, n: count{b.rows - values.high, b.rows - values.low}}
	if canTrue {
		c.t.high = values.high
	}
	if canFalse {
		c.f.high = values.high
	}
	return c.tighten()
}

// span is a range of values; a nil end is open to that side.
type span struct {
	low, high         *point
	lowOpen, highOpen bool // the end itself is not in it
}

// within narrows s to what is also in o.
func (s span) within(o span) span {
	if o.low != nil && (s.low == nil || o.low.compare(*s.low) > 0 || o.low.compare(*s.low) == 0 && o.lowOpen) {
		s.low, s.lowOpen = o.low, o.lowOpen
	}
	if o.high != nil && (s.high == nil || o.high.compare(*s.high) < 0 || o.high.compare(*s.high) == 0 && o.highOpen) {
		s.high, s.highOpen = o.high, o.highOpen
	}
	return s
}

// partitionBounds is the one value that a partition key has in a file.
func partitionBounds(rows int64, value string, kind predicate.Kind) bounds {
	b := bounds{rows: rows}
	text, ok := hiveValue(value)
	if !ok {
		b.nulls = rows
		return b
	}
	p, ok := parsePoint(kind, text)
	if !ok {
		b.nulls = -1 // the engine may read it as NULL
		return b
	}
	b.low, b.high = &p, &p
	return b
}

func chunkBounds(rows int64, nullable bool, c *chunk, kind predicate.Kind) bounds {
	b := bounds{rows: rows, nulls: c.nulls, openTop: kind == predicate.KindFloat}
	if !nullable {
		b.nulls = 0
	}
	if !c.bounded {
		return b
	}
	low, lowOK := parsePoint(kind, c.min)
	high, highOK := parsePoint(kind, c.max)
	if lowOK && highOK && low.compare(high) <= 0 {
		b.low, b.high = &low, &high
	}
	return b
}
