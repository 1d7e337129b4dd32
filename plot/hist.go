package plot

import (
	"math"
	"slices"
)

// bin is a range of a histogram: from lo, to below hi.
type bin struct {
	lo, hi float64
	count  int64
	single bool // it has a single whole number
}

const (
	// maxKeys is how many different values, or ranges of them, a counter stores.
	maxKeys = 1 << 16
	// mostBins is how many bars a histogram has at most.
	mostBins = 20
	// maxBins is the maximum number of bins.
	maxBins = 200
	// digits is how many decimal digits of a value are distinguished.
	digits = 15
	// finest is below the exponent of the first digit of any nonzero float64.
	finest = -400
)

// counter counts values by their decimal digits, so that the bounds of every
// range are round numbers and no value is counted on the wrong side of one. It
// starts with 15 digits, and drops one when it would store too many keys. A key
// is the value divided by 10^exp, rounded down.
type counter struct {
	keys     map[int64]int64
	exp      int
	total    int64
	integers bool // every value so far is one
	started  bool
}

func (c *counter) add(v float64) {
	if !c.started {
		c.keys, c.started, c.integers = map[int64]int64{}, true, true
		c.exp = finest
	}
	c.total++
	c.integers = c.integers && v == math.Trunc(v)
	if v != 0 {
		for need := int(math.Floor(math.Log10(math.Abs(v)))) + 1 - digits; c.exp < need; {
			c.coarsen(need - c.exp)
		}
	}
	c.keys[key(v, c.exp)]++
	for len(c.keys) > maxKeys {
		c.coarsen(1)
	}
}

// key is v / 10^exp rounded down, or rounded to the nearest integer if the
// difference is only a float64 rounding error.
func key(v float64, exp int) int64 {
	scaled := shift(v, -exp)
	if near := math.Round(scaled); math.Abs(scaled-near) <= 1e-15*math.Abs(scaled) {
		return int64(near)
	}
	return int64(math.Floor(scaled))
}

// shift is v times 10^exp. Negative powers of ten have no exact float64, so it
// divides by positive ones.
func shift(v float64, exp int) float64 {
	for exp > 300 {
		v, exp = v*1e300, exp-300
	}
	for exp < -300 {
		v, exp = v/1e300, exp+300
	}
	if exp < 0 {
		return v / math.Pow10(-exp)
	}
	return v * math.Pow10(exp)
}

// coarsen drops the last digits of every key.
func (c *counter) coarsen(by int) {
	c.exp += by
	if by > digits+3 { // nothing is left of a key but its sign
		by = digits + 3
	}
	merged := make(map[int64]int64, len(c.keys))
	div := int64(math.Pow10(by))
	for k, n := range c.keys {
		q := k / div
		if k%div < 0 {
			q--
		}
		merged[q] += n
	}
	c.keys = merged
}

// bins returns at most most ranges of equal, round width, from the smallest value
// to the largest.
func (c *counter) bins(most int) []bin {
	if c.exp == finest { // only zeros
		c.exp = 0
	}
	keys := make([]int64, 0, len(c.keys))
	for k := range c.keys {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	least := int64(1)
	if c.integers && c.exp < 0 {
		least = int64(math.Pow10(min(-c.exp, 18)))
	}
	first, last, width := keys[0], keys[len(keys)-1], least
	for step := 0; floorDiv(last, width)-floorDiv(first, width) >= int64(most); step++ {
		width *= []int64{2, 5, 2}[step%3]
		if step%3 == 1 {
			width /= 2 // 1, 2, 5, 10
		}
	}
	from := floorDiv(first, width)
	out := make([]bin, floorDiv(last, width)-from+1)
	for i := range out {
		k := (from + int64(i)) * width
		out[i].lo, out[i].hi = shift(float64(k), c.exp), shift(float64(k+width), c.exp)
		out[i].single = c.integers && out[i].hi-out[i].lo == 1
	}
	for k, n := range c.keys {
		out[floorDiv(k, width)-from].count += n
	}
	return out
}

func floorDiv(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

// label names the range.
func (b bin) label() string {
	if b.single {
		return number(b.lo)
	}
	return "[" + number(b.lo) + ", " + number(b.hi) + ")"
}
