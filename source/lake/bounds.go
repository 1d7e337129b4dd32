package lake

import (
	"math/big"

	"github.com/agnes-data/da/predicate"
)

// bounds is what is known of a column's values in one row group.
type bounds struct {
	rows, nulls int64  // nulls -1: unknown
	low, high   *point // no value lies outside; nil: unknown
	// openTop says that values above high are possible all the same: parquet
	// leaves NaN out of its bounds, and the engine takes it for the largest.
	openTop bool
	step    *big.Rat // see step
}

// values returns the share of rows that are not NULL.
func (b bounds) values() (float64, bool) {
	if b.nulls < 0 || b.rows == 0 {
		return 1, b.rows == 0
	}
	return 1 - float64(b.nulls)/float64(b.rows), true
}

// empty reports whether all values are NULL.
func (b bounds) empty() bool { return b.rows > 0 && b.nulls == b.rows }

// isNull is the chance of IS NULL.
func (b bounds) isNull() chance {
	share, known := b.values()
	c := chance{canTrue: b.nulls != 0, canFalse: !b.empty(), t: 1 - share, f: share, known: known}
	return c.settle()
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
		c := b.compare(predicate.Eq, p)
		c.canFalse, c.canNull = c.canFalse || c.canNull, false
		c.f = 1 - c.t
		return c.settle()
	}
	if b.empty() {
		return null()
	}
	c := chance{canTrue: true, canFalse: true, canNull: b.nulls != 0}
	if !b.fits(p) {
		return c
	}
	top := b.high
	if b.openTop {
		top = nil
	}
	switch op {
	case predicate.Lt:
		c.canTrue = b.low == nil || !p.surelyAtMost(*b.low)
		c.canFalse = top == nil || !top.surelyLess(p)
		c.estimate(b, span{high: &p, highOpen: true})
	case predicate.Le:
		c.canTrue = b.low == nil || !p.surelyLess(*b.low)
		c.canFalse = top == nil || !top.surelyAtMost(p)
		c.estimate(b, span{high: &p})
	case predicate.Eq:
		c.canTrue = (b.low == nil || !p.surelyLess(*b.low)) && (top == nil || !top.surelyLess(p))
		c.canFalse = b.low == nil || top == nil || p.rough || b.low.compare(p) != 0 || top.compare(p) != 0
		c.estimate(b, span{low: &p, high: &p})
	}
	return c.settle()
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

// estimate sets the shares as if values were spread evenly between the bounds.
func (c *chance) estimate(b bounds, s span) {
	values, counted := b.values()
	share, known := b.share(s)
	switch {
	case !c.canTrue:
		share, known = 0, true
	case !c.canFalse:
		share, known = 1, true
	}
	c.t, c.f, c.known = share*values, (1-share)*values, known && counted
}

// share returns the part of the values that lies in the span.
func (b bounds) share(s span) (float64, bool) {
	if b.low == nil || b.high == nil || b.low.num == nil || b.low.class == truths {
		return 0, false
	}
	s = s.within(span{low: b.low, high: b.high})
	width := new(big.Rat).Sub(b.high.num, b.low.num)
	part := new(big.Rat).Sub(s.high.num, s.low.num)
	if b.step != nil {
		width.Add(width, b.step)
		part.Add(part, b.step)
		for _, open := range []bool{s.lowOpen, s.highOpen} {
			if open {
				part.Sub(part, b.step)
			}
		}
	} else if s.low == s.high || s.low.compare(*s.high) == 0 {
		// How often one value occurs among endlessly many is not known.
		return 0, false
	}
	if part.Sign() <= 0 || width.Sign() <= 0 {
		return 0, true
	}
	f, _ := part.Quo(part, width).Float64()
	return min(f, 1), true
}

// partitionBounds is the one value that a partition key has in a file. The
// number of rows does not matter where all are alike.
func partitionBounds(value string, kind predicate.Kind) bounds {
	b := bounds{rows: 1, step: step(kind)}
	text, ok := hiveValue(value)
	if !ok {
		b.nulls = 1
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
	b := bounds{rows: rows, nulls: c.nulls, step: step(kind), openTop: kind == predicate.KindFloat}
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
