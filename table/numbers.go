package table

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/table/infer"
)

// bins is the number of bins of a histogram.
const bins = 10

// numbers takes different numbers in their order, with how often each occurs, and
// finds what depends on their ranks and sums.
type numbers struct {
	rows      int64   // that are not null
	low, high float64 // of the finite numbers
	unit      float64 // that sums are in: those of large numbers would be infinite

	upto             int64
	below, above     [3]float64 // neighbours of the quartiles
	histogram        []int64
	sum              float64 // in units, as are the next
	n, mean, squares float64 // for the deviation, by Welford's method
	// Of whole numbers and decimals, without the point:
	exact  big.Int        // the sum
	around [3][2]*big.Int // the neighbours of the quartiles
	scale  *big.Int       // of a point; nil: they are floats
}

// ofNumbers has the engine group equal numbers and order the groups.
func (st *ColumnStats) ofNumbers(ctx context.Context, s *session, column, from string) error {
	value, text, float := column, "v::VARCHAR", st.Type == string(infer.Float)
	if float {
		value, text = column+" + 0", "''" // of two zeros the one without a sign
	}
	rows, err := s.conn.Query(ctx, fmt.Sprintf(`WITH g AS MATERIALIZED (SELECT v, v::DOUBLE AS x, count(*) AS n FROM (SELECT %s AS v FROM %s) WHERE v IS NOT NULL GROUP BY v)
SELECT v, n, x, %s, t.* FROM g, (SELECT sum(n)::BIGINT, coalesce(min(x) FILTER (isfinite(x)), 0), coalesce(max(x) FILTER (isfinite(x)), 0) FROM g) AS t ORDER BY v`, value, from, text))
	if err != nil {
		return err
	}
	defer rows.Release()
	f, scale := &numbers{}, 0
	st.Min, st.Max = null, null
	for rows.Next() {
		rec := rows.RecordBatch()
		shown := arrowjson.BindBatch(rec)[0]
		if st.DistinctEstimate == 0 {
			f = newNumbers(rec.Column(4).(*array.Int64).Value(0), rec.Column(5).(*array.Float64).Value(0), rec.Column(6).(*array.Float64).Value(0))
			st.Min = shown.AppendJSON(nil, 0)
		}
		counts, reals, texts := rec.Column(1).(*array.Int64), rec.Column(2).(*array.Float64), rec.Column(3).(*array.String)
		for i := range reals.Len() {
			f.add(reals.Value(i), counts.Value(i))
			if !float {
				scale = f.addExact(texts.Value(i), counts.Value(i))
			}
		}
		st.Max = shown.AppendJSON(nil, reals.Len()-1)
		st.DistinctEstimate += int64(reals.Len())
	}
	if err := rows.Err(); err != nil {
		return err
	}
	st.Mean, st.Sum, st.Stddev, st.P25, st.Median, st.P75 = null, null, null, null, null, null
	if f.rows == 0 {
		return nil
	}
	if !float {
		f.scale = new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(scale)), nil)
	}
	st.Histogram = f.histogram
	st.P25, st.Median, st.P75 = floatJSON(f.quartile(0)), floatJSON(f.quartile(1)), floatJSON(f.quartile(2))
	st.Stddev = finiteJSON(math.Sqrt(f.squares/(f.n-1)) * f.unit)
	switch sum := f.sum * f.unit; {
	case !float:
		st.Sum = sumJSON(&f.exact, scale)
		st.Mean = finiteJSON(f.divided(&f.exact, f.rows))
	case f.unit > 1 && !math.IsNaN(sum):
		st.Sum, st.Mean = finiteJSON(sum), floatJSON(f.sum/float64(f.rows)*f.unit)
	default:
		st.Sum, st.Mean = floatJSON(sum), floatJSON(sum/float64(f.rows))
	}
	return nil
}

// newNumbers starts with so many rows, and the extremes of the finite numbers.
func newNumbers(rows int64, low, high float64) *numbers {
	f := &numbers{rows: rows, low: low, high: high, unit: 1, histogram: make([]int64, bins)}
	const large = 1e100
	if max(high, -low) > large {
		f.unit = math.Ldexp(1, 640)
	}
	return f
}

// rank is the rank of quartile i, from 0, or of its lower neighbour.
func (f *numbers) rank(i int) int64 { return int64(i+1) * (f.rows - 1) / 4 }

// add takes the next greater number.
func (f *numbers) add(v float64, n int64) {
	before := f.upto
	f.upto += n
	for i := range f.below {
		at := f.rank(i)
		if before <= at && at < f.upto {
			f.below[i] = v
		}
		if at = min(at+1, f.rows-1); before <= at && at < f.upto {
			f.above[i] = v
		}
	}
	if !math.IsInf(v, 0) && !math.IsNaN(v) {
		f.histogram[f.bin(v)] += n
	}
	v, many := v/f.unit, float64(n)
	f.sum += v * many
	f.n += many
	difference := v - f.mean
	f.mean += difference * many / f.n
	f.squares += difference * (v - f.mean) * many
}

// addExact adds the number of the last add by its digits. It returns how many stand behind the point.
func (f *numbers) addExact(text string, n int64) (scale int) {
	whole, rest, _ := strings.Cut(text, ".")
	v, _ := new(big.Int).SetString(whole+rest, 10)
	for i := range f.around {
		for j := range f.around[i] {
			if at := min(f.rank(i)+int64(j), f.rows-1); f.upto-n <= at && at < f.upto {
				f.around[i][j] = new(big.Int).Set(v)
			}
		}
	}
	f.exact.Add(&f.exact, v.Mul(v, big.NewInt(n)))
	return len(rest)
}

// divided is the float nearest to an exact figure divided by n, with its point.
func (f *numbers) divided(exact *big.Int, n int64) float64 {
	v, _ := new(big.Rat).SetFrac(exact, new(big.Int).Mul(f.scale, big.NewInt(n))).Float64()
	return v
}

// bin is the bin of a finite value. Half of the extremes cannot overflow.
func (f *numbers) bin(v float64) int {
	if f.high <= f.low {
		return 0
	}
	return min(bins-1, int(math.Floor((v/2-f.low/2)/(f.high/2-f.low/2)*bins)))
}

// quartile returns quartile i, from 0, interpolated between the two values around
// its rank.
func (f *numbers) quartile(i int) float64 {
	quarters := int64(i+1) * (f.rows - 1) % 4
	if f.scale != nil {
		sum := new(big.Int).Mul(f.around[i][0], big.NewInt(4-quarters))
		return f.divided(sum.Add(sum, new(big.Int).Mul(f.around[i][1], big.NewInt(quarters))), 4)
	}
	part := float64(quarters) / 4
	if part == 0 {
		return f.below[i]
	}
	return f.below[i]*(1-part) + f.above[i]*part
}

var null = json.RawMessage("null")

func floatJSON(v float64) json.RawMessage {
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.Append(v)
	return valueJSON(arrow.PrimitiveTypes.Float64, b.NewArray())
}

// finiteJSON is null for infinity and NaN.
func finiteJSON(v float64) json.RawMessage {
	if math.IsInf(v, 0) || math.IsNaN(v) {
		return null
	}
	return floatJSON(v)
}

// sumJSON is an exact sum. It can have more digits than any type of a column.
func sumJSON(sum *big.Int, scale int) json.RawMessage {
	if scale == 0 && sum.IsInt64() {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.Append(sum.Int64())
		return valueJSON(arrow.PrimitiveTypes.Int64, b.NewArray())
	}
	t := &arrow.Decimal256Type{Precision: 76, Scale: int32(scale)}
	b := array.NewDecimal256Builder(memory.DefaultAllocator, t)
	b.Append(decimal256.FromBigInt(sum))
	return valueJSON(t, b.NewArray())
}

// valueJSON is the only value of an array.
func valueJSON(typ arrow.DataType, values arrow.Array) json.RawMessage {
	return arrowjson.Bind(arrow.Field{Type: typ}, values).AppendJSON(nil, 0)
}
