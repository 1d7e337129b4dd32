package table

import (
	"encoding/json"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/table/summary"
)

// fill takes what was found about a column.
func (st *ColumnStats) fill(field arrow.Field, c summary.Column) {
	st.DistinctEstimate = c.Distinct
	switch field.Type.ID() {
	case arrow.STRING, arrow.BINARY:
		if c.Text != nil && c.Values > 0 {
			st.MinLength, st.MaxLength = &c.Text.Shortest, &c.Text.Longest
			for _, v := range c.Text.Common {
				st.MostCommon = append(st.MostCommon, Value{arrowjson.AppendString(nil, v.Text), v.Count})
			}
		}
	case arrow.BOOL:
		st.TrueCount, st.FalseCount = &c.True, &c.False
	default:
		st.Min, st.Max = valueJSON(field, c.Min), valueJSON(field, c.Max)
	}
	if c.Number != nil {
		st.fillNumber(c.Number)
	}
}

func (st *ColumnStats) fillNumber(n *summary.Number) {
	st.Mean, st.Stddev, st.Sum = floatJSON(n.Mean), floatJSON(n.Stddev), floatJSON(n.FloatSum)
	if n.Sum != nil {
		st.Sum = sumJSON(n)
	}
	st.P25, st.Median, st.P75 = floatJSON(nil), floatJSON(nil), floatJSON(nil)
	if q := n.Quartiles; q != nil {
		st.P25, st.Median, st.P75 = floatJSON(&q[0]), floatJSON(&q[1]), floatJSON(&q[2])
	}
	st.Histogram = n.Histogram
}

// valueJSON is the first value of an array, or null for no array.
func valueJSON(field arrow.Field, values arrow.Array) json.RawMessage {
	if values == nil {
		return json.RawMessage("null")
	}
	return arrowjson.Bind(field, values).AppendJSON(nil, 0)
}

func floatJSON(v *float64) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.Append(*v)
	return valueJSON(arrow.Field{Type: arrow.PrimitiveTypes.Float64}, b.NewArray())
}

// sumJSON is an exact sum. It can have more digits than any type of a column.
func sumJSON(n *summary.Number) json.RawMessage {
	if n.Scale == 0 && n.Sum.IsInt64() {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.Append(n.Sum.Int64())
		return valueJSON(arrow.Field{Type: arrow.PrimitiveTypes.Int64}, b.NewArray())
	}
	t := &arrow.Decimal256Type{Precision: 76, Scale: n.Scale}
	b := array.NewDecimal256Builder(memory.DefaultAllocator, t)
	b.Append(decimal256.FromBigInt(n.Sum))
	return valueJSON(arrow.Field{Type: t}, b.NewArray())
}
