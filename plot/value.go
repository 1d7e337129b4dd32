package plot

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// valuer reads value i of a column as a number; false if it cannot be plotted.
type valuer func(i int) (float64, bool)

// largest is the largest magnitude that is drawn: beyond it, the width of an
// axis is not a float64 any more.
const largest = 1e300

// valuesOf reads numbers as they are, and dates and timestamps as seconds since
// 1970.
func valuesOf(f arrow.Field, arr arrow.Array) valuer {
	var read valuer
	switch a := arr.(type) {
	case *array.Date32:
		read = func(i int) (float64, bool) {
			return float64(a.Value(i)) * 86400, abs32(int32(a.Value(i))) < math.MaxInt32
		}
	case *array.Date64:
		read = func(i int) (float64, bool) { return float64(a.Value(i)) / 1000, true }
	case *array.Timestamp:
		unit := float64(a.DataType().(*arrow.TimestampType).Unit.Multiplier()) / 1e9 // of nanoseconds
		read = func(i int) (float64, bool) {
			v := a.Value(i)
			return float64(v) * unit, v < math.MaxInt64 && v > -math.MaxInt64 // these are infinite
		}
	default:
		column := arrowjson.Bind(f, arr)
		var buf []byte
		read = func(i int) (float64, bool) {
			buf, _ = column.AppendText(buf[:0], i)
			v, err := strconv.ParseFloat(string(buf), 64)
			return v, err == nil && math.Abs(v) <= largest // NaN is not
		}
	}
	return func(i int) (float64, bool) {
		if arr.IsNull(i) {
			return 0, false
		}
		return read(i)
	}
}

func abs32(v int32) int64 { return max(int64(v), -int64(v)) }

// order sorts points by position, as a line needs them. Labels stay in the order
// of the rows.
func (c *Chart) order() {
	byX := ordered(c.xs)
	for j := range c.series {
		s := &c.series[j]
		if s.xs == nil {
			s.values = pick(s.values, byX)
			continue
		}
		own := ordered(s.xs)
		s.xs, s.values = pick(s.xs, own), pick(s.values, own)
	}
	c.xs = pick(c.xs, byX)
}

// ordered returns the indices of xs in the order of their values.
func ordered(xs []float64) []int {
	byX := make([]int, len(xs))
	for i := range byX {
		byX[i] = i
	}
	slices.SortStableFunc(byX, func(a, b int) int { return cmp.Compare(xs[a], xs[b]) })
	return byX
}

// pick returns the values at the given indices.
func pick(from []float64, indices []int) []float64 {
	to := make([]float64, len(from))
	for i, j := range indices {
		to[i] = from[j]
	}
	return to
}
