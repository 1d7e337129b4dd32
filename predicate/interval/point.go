package interval

import (
	"math"
	"math/big"
	"strings"
	"time"

	"github.com/agnes-data/da/predicate"
)

// class is a set of kinds whose values are compared with each other. Sessions
// run in UTC, which is what makes dates, local times and instants one class.
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

// Point is a value in the order of its class: a number, or a text by its bytes.
// Moments and times of day are nanoseconds.
type Point struct {
	class class
	num   *big.Rat // nil for texts and ids
	text  string
	// rough is set for floats: engines round when they compare them with other
	// kinds, so that near values may count as equal.
	rough bool
}

// compare orders two points of one class.
func (p Point) compare(q Point) int {
	if p.num == nil {
		return strings.Compare(p.text, q.text)
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
	// A float of 32 bits keeps about seven digits.
	gap := new(big.Rat).Sub(q.num, p.num)
	size := new(big.Rat).Abs(p.num)
	if other := new(big.Rat).Abs(q.num); other.Cmp(size) > 0 {
		size = other
	}
	return gap.Cmp(size.Mul(size, big.NewRat(1, 1_000_000))) > 0
}

// surelyAtMost reports whether p <= q however the engine rounds.
func (p Point) surelyAtMost(q Point) bool {
	if !p.rough && !q.rough {
		return p.compare(q) <= 0
	}
	return p.surelyLess(q)
}

// ParsePoint reads a value of the kind in the text form that DuckDB gives it,
// in footers and casts. False: it cannot be read for certain.
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
		return truth(text == "true"), true
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
	return moment(t), true
}

func moment(t time.Time) Point {
	// Years beyond the 64 bits of nanoseconds are dates like any other.
	ns := new(big.Int).Mul(big.NewInt(t.Unix()), big.NewInt(int64(time.Second)))
	ns.Add(ns, big.NewInt(int64(t.Nanosecond())))
	return Point{class: moments, num: new(big.Rat).SetInt(ns)}
}

func truth(b bool) Point {
	n := int64(0)
	if b {
		n = 1
	}
	return Point{class: truths, num: big.NewRat(n, 1)}
}

// literalPoint returns the value of a literal that is not NULL.
func literalPoint(l *predicate.Literal) (Point, bool) {
	p := Point{class: classOf(l.T.Kind)}
	switch v := l.Value.(type) {
	case bool:
		return truth(v), true
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
		return moment(v), p.class == moments
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
