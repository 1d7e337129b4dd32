package interval

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/agnes-data/da/predicate"
)

// class is a set of kinds whose values can be compared with each other. Dates,
// local times and instants are one class because sessions run in UTC.
type class uint8

const (
	incomparable class = iota
	numbers
	moments
	timesOfDay
	texts
	ids
	truths
)

func classOf(k predicate.Kind) class {
	switch k {
	case predicate.KindInt, predicate.KindFloat, predicate.KindDecimal:
		return numbers
	case predicate.KindDate, predicate.KindDateTime, predicate.KindTimestamp:
		return moments
	case predicate.KindTime:
		return timesOfDay
	case predicate.KindString:
		return texts
	case predicate.KindUUID:
		return ids
	case predicate.KindBool:
		return truths
	}
	return incomparable
}

// Point is a value in the order of its class: a number, or a text ordered by its
// bytes. Moments and times of day are in nanoseconds.
type Point struct {
	class class
	num   *big.Rat // nil for texts and ids
	text  string
	// rough is set for floats: engines round when they compare them with other
	// kinds, so that near values may count as equal.
	rough bool
}

// Compare orders two points of one class: -1, 0 or 1. sure says that rounding by
// an engine cannot change that.
func (p Point) Compare(q Point) (order int, sure bool) {
	order = p.compare(q)
	return order, order == 0 || order < 0 && p.surelyLess(q) || order > 0 && q.surelyLess(p)
}

// Exact is the point for a comparison that rounds nothing.
func (p Point) Exact() Point {
	p.rough = false
	return p
}

// Rough returns the point for a comparison in which engines may round.
func (p Point) Rough() Point {
	p.rough = true
	return p
}

// IsWholeUpTo reports whether the point is an integer whose absolute value is at
// most the given one.
func (p Point) IsWholeUpTo(most int64) bool {
	return p.num != nil && p.num.IsInt() && new(big.Int).Abs(p.num.Num()).Cmp(big.NewInt(most)) <= 0
}

// IsMultiple reports whether the point is a multiple of the unit.
func (p Point) IsMultiple(unit int64) bool {
	return p.num.IsInt() && (unit == 1 || new(big.Int).Rem(p.num.Num(), big.NewInt(unit)).Sign() == 0)
}

// MultipleBetween reports whether a multiple of the unit is between p and q; q
// must be greater than p.
func (p Point) MultipleBetween(q Point, unit int64) bool {
	step := big.NewInt(unit)
	next := new(big.Int).Div(p.num.Num(), new(big.Int).Mul(p.num.Denom(), step)) // rounded down
	next.Add(next, big.NewInt(1)).Mul(next, step)
	return next.Mul(next, q.num.Denom()).Cmp(q.num.Num()) < 0
}

// AfterPrefix returns the first text, in byte order, after all texts that start
// with p; false if there is none.
func (p Point) AfterPrefix() (Point, bool) {
	b := []byte(p.text)
	for len(b) > 0 {
		if last := len(b) - 1; b[last] < 0xFF {
			b[last]++
			p.text = string(b)
			return p, true
		}
		b = b[:len(b)-1]
	}
	return p, false
}

// compare orders two points of one class.
func (p Point) compare(q Point) int {
	if p.num == nil {
		return strings.Compare(p.text, q.text)
	}
	if p.num.IsInt() && q.num.IsInt() {
		return p.num.Num().Cmp(q.num.Num()) // without the products of fractions
	}
	return p.num.Cmp(q.num)
}

// surelyLess reports whether p is less than q however the engine rounds.
func (p Point) surelyLess(q Point) bool {
	if p.compare(q) >= 0 {
		return false
	}
	if !p.rough && !q.rough {
		return true
	}
	// A 32-bit float has about seven digits of precision, but for the least ones.
	gap := new(big.Rat).Sub(q.num, p.num)
	size := new(big.Rat).Abs(p.num)
	if other := new(big.Rat).Abs(q.num); other.Cmp(size) > 0 {
		size = other
	}
	return gap.Cmp(size.Mul(size, big.NewRat(1, 1_000_000))) > 0 && gap.Cmp(leastFloat) > 0
}

// leastFloat is the distance of the least 32-bit floats from each other, rounded up.
var leastFloat = new(big.Rat).SetFloat64(2 * math.SmallestNonzeroFloat32)

// surelyAtMost reports whether p <= q however the engine rounds.
func (p Point) surelyAtMost(q Point) bool {
	if !p.rough && !q.rough {
		return p.compare(q) <= 0
	}
	return p.surelyLess(q)
}

// ParsePoint parses a value of the kind in DuckDB's text form, as in footers and
// casts. It returns false if the result would not be certain.
func ParsePoint(k predicate.Kind, text string) (Point, bool) {
	p := Point{class: classOf(k)}
	switch k {
	case predicate.KindInt:
		i, ok := new(big.Int).SetString(text, 10)
		if !ok {
			return p, false
		}
		p.num = new(big.Rat).SetInt(i)
	case predicate.KindDecimal, predicate.KindFloat:
		if strings.ContainsAny(text, "/_xXpP") || len(text) > 400 {
			return p, false // more than the engine writes
		}
		r, ok := new(big.Rat).SetString(text)
		if !ok {
			return p, false
		}
		p.num, p.rough = r, k == predicate.KindFloat
	case predicate.KindDate:
		return parseMoment(text, "2006-01-02")
	case predicate.KindDateTime:
		return parseMoment(text, "2006-01-02 15:04:05.999999999")
	case predicate.KindTimestamp:
		return parseMoment(text, "2006-01-02 15:04:05.999999999-07")
	case predicate.KindTime:
		t, err := time.Parse("15:04:05.999999999", text)
		if err != nil {
			return p, false
		}
		midnight := time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC)
		p.num = big.NewRat(int64(t.Sub(midnight)), 1)
	case predicate.KindString, predicate.KindUUID:
		p.text = text
	case predicate.KindBool:
		if text != "true" && text != "false" {
			return p, false
		}
		return Truth(text == "true"), true
	default:
		return p, false
	}
	return p, true
}

func parseMoment(text, layout string) (Point, bool) {
	t, err := time.Parse(layout, text)
	if err != nil {
		return Point{}, false
	}
	return Moment(t), true
}

// Moment is the point of a time, whose zone does not matter.
func Moment(t time.Time) Point {
	// Years beyond the 64 bits of nanoseconds are dates like any other.
	ns := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(int64(time.Second)))
	ns.Add(ns, big.NewInt(int64(t.Nanosecond())))
	return Point{class: moments, num: new(big.Rat).SetInt(ns)}
}

// Truth is the point of a boolean.
func Truth(b bool) Point {
	n := int64(0)
	if b {
		n = 1
	}
	return Point{class: truths, num: big.NewRat(n, 1)}
}

// LiteralPoint returns the value of a literal; false for NULL, values without an
// order, and floats that are not numbers.
func LiteralPoint(l *predicate.Literal) (Point, bool) {
	p := Point{class: classOf(l.T.Kind)}
	switch v := l.Value.(type) {
	case bool:
		return Truth(v), true
	case int64:
		p.num = big.NewRat(v, 1)
	case *big.Int:
		p.num = new(big.Rat).SetInt(v)
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return p, false
		}
		p.num, p.rough = new(big.Rat).SetFloat64(v), true
	case *big.Rat:
		p.num = v
	case time.Time:
		return Moment(v), p.class == moments
	case time.Duration:
		p.num = big.NewRat(int64(v), 1)
	case string:
		p.text = v
		return p, p.class == texts || p.class == ids
	default:
		return p, false
	}
	return p, p.class == numbers || p.class == timesOfDay
}
