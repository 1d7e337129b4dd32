package plot

import (
	"math"
	"strconv"

	"github.com/agnes-data/da/internal/words/humanize"
)

// tick is a mark on an axis.
type tick struct {
	at   float64
	text string
}

// scale is an axis: its ends and its marks.
type scale struct {
	lo, hi float64
	ticks  []tick
}

// part is the position of v on the axis, from 0 to 1.
func (s scale) part(v float64) float64 { return (v - s.lo) / (s.hi - s.lo) }

// niceStep is the least of 1, 2 and 5 times a power of ten with which a span
// has at most that many steps.
func niceStep(span float64, most int) float64 {
	least := span / float64(max(most, 1))
	power := math.Floor(math.Log10(least))
	for _, m := range []float64{1, 2, 5} {
		if step := shift(m, int(power)); step >= least {
			return step
		}
	}
	return shift(1, int(power)+1)
}

// closest is the relative difference below which an axis treats two numbers as
// equal: marks between them could not be different float64 values.
const closest = 1e-12

// linear returns an axis for numbers from lo to hi, extended to whole steps.
func linear(lo, hi float64, most int) scale {
	if hi-lo <= closest*max(math.Abs(lo), math.Abs(hi)) {
		pad := math.Abs(lo) / 10
		if pad == 0 {
			pad = 1
		}
		lo, hi = lo-pad, hi+pad
	}
	step := niceStep(hi-lo, most)
	first, last := math.Floor(lo/step+1e-9), math.Ceil(hi/step-1e-9)
	s := scale{lo: first * step, hi: last * step}
	decimals := max(0, -int(math.Floor(math.Log10(step)+1e-9)))
	for n := first; n <= last && len(s.ticks) < 1000; n++ {
		s.ticks = append(s.ticks, tick{n * step, numberAt(n*step, decimals)})
	}
	return s
}

// numberAt writes a number with so many decimals; where those would make it too
// long, in short.
func numberAt(v float64, decimals int) string {
	if v == 0 {
		return "0" // not -0
	}
	if abs := math.Abs(v); decimals > 12 || abs >= 1e15 {
		return strconv.FormatFloat(v, 'g', 13, 64)
	}
	if decimals == 0 {
		return humanize.Grouped(int64(math.Round(v)))
	}
	return strconv.FormatFloat(v, 'f', decimals, 64)
}

// number writes a value: whole numbers in full, others with six digits.
func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return numberAt(v, 0)
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// extent is the least and the greatest value of some columns.
func extent(columns ...[]float64) (lo, hi float64) {
	lo, hi = math.Inf(1), math.Inf(-1)
	for _, values := range columns {
		for _, v := range values {
			if !math.IsNaN(v) {
				lo, hi = min(lo, v), max(hi, v)
			}
		}
	}
	return lo, hi
}

// yScale is the axis of values. For bars it includes zero, where they start.
func (c *Chart) yScale(most int) scale {
	columns := make([][]float64, len(c.series))
	for i, s := range c.series {
		columns[i] = s.values
	}
	lo, hi := extent(columns...)
	if c.kind == Bar {
		lo, hi = min(lo, 0), max(hi, 0)
		if lo == hi {
			hi = 1
		}
	}
	return linear(lo, hi, most)
}

// xScale is the axis of places, with at most so many marks.
func (c *Chart) xScale(most int) scale {
	lo, hi := extent(c.xs)
	switch c.axis {
	case moments:
		return timeScale(lo, hi, most)
	case labels:
		s := scale{lo: lo - 0.5, hi: hi + 0.5}
		for i := 0; i < len(c.labels); i += max(1, (len(c.labels)+most-1)/max(most, 1)) {
			s.ticks = append(s.ticks, tick{float64(i), c.labels[i]})
		}
		return s
	}
	return linear(lo, hi, most)
}
