package mask

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
)

// shown is the type of what the mask shows of a type.
func (m Mask) shown(t arrow.DataType) arrow.DataType {
	if m.TextOnly() {
		return arrow.BinaryTypes.String
	}
	return t
}

// replaced returns n values in place of those of a column, which is nil if the mask does
// not read it. It fails for a type that it does not know: then nothing is shown.
func (m Mask) replaced(in arrow.Array, n int, keyed func(string) string) (arrow.Array, error) {
	switch m.kind {
	case null:
		return array.MakeArrayOfNull(memory.DefaultAllocator, arrow.BinaryTypes.String, n), nil
	case constant:
		return texts(n, func(int) (string, bool) { return m.constant, true }), nil
	case hash, last4:
		text := textOf(in)
		if text == nil {
			return nil, unfit(in)
		}
		return texts(n, func(i int) (string, bool) {
			if in.IsNull(i) {
				return "", false
			}
			if m.kind == hash {
				return keyed(text(i)), true
			}
			return lastFour(text(i)), true
		}), nil
	}
	coarse := m.dates(in.DataType())
	if m.kind == number {
		coarse = m.numbers(in.DataType())
	}
	if coarse == nil {
		return nil, unfit(in)
	}
	b := array.NewBuilder(memory.DefaultAllocator, in.DataType())
	defer b.Release()
	b.Reserve(n)
	for i := range n {
		if in.IsNull(i) || !coarse(b, in, i) {
			b.AppendNull()
		}
	}
	return b.NewArray(), nil
}

func unfit(in arrow.Array) error {
	return &api.Error{Code: api.CodeQueryFailed, Kind: api.KindBadMask,
		Message: fmt.Sprintf("a mask of the table does not fit values of the type %s", in.DataType()),
		Hint:    "Leave the masked column out; an admin of the server can mask it as null or constant."}
}

func texts(n int, value func(i int) (string, bool)) arrow.Array {
	b := array.NewStringBuilder(memory.DefaultAllocator)
	defer b.Release()
	b.Reserve(n)
	for i := range n {
		if text, ok := value(i); ok {
			b.Append(text)
		} else {
			b.AppendNull()
		}
	}
	return b.NewArray()
}

// textOf writes a value the same way whatever the width of its type, so that equal values
// of several tables have equal hashes. It is nil for other types.
func textOf(in arrow.Array) func(i int) string {
	switch in := in.(type) {
	case *array.String:
		return in.Value
	case *array.LargeString:
		return in.Value
	case *array.StringView:
		return in.Value
	case *array.Date32:
		return func(i int) string { return in.Value(i).FormattedString() }
	case *array.Uint64:
		return func(i int) string { return strconv.FormatUint(in.Value(i), 10) }
	case *array.Decimal128:
		if in.DataType().(*arrow.Decimal128Type).Scale == 0 { // wide integers travel so
			return func(i int) string { return in.Value(i).BigInt().String() }
		}
	case *array.Dictionary:
		if text := textOf(in.Dictionary()); text != nil {
			return func(i int) string { return text(in.GetValueIndex(i)) }
		}
	}
	if whole := wholeOf(in); whole != nil {
		return func(i int) string { return strconv.FormatInt(whole(i), 10) }
	}
	return nil
}

// wholeOf reads integers that 64 bits with a sign hold; nil for other types.
func wholeOf(in arrow.Array) func(i int) int64 {
	switch in := in.(type) {
	case *array.Int8:
		return func(i int) int64 { return int64(in.Value(i)) }
	case *array.Int16:
		return func(i int) int64 { return int64(in.Value(i)) }
	case *array.Int32:
		return func(i int) int64 { return int64(in.Value(i)) }
	case *array.Int64:
		return in.Value
	case *array.Uint8:
		return func(i int) int64 { return int64(in.Value(i)) }
	case *array.Uint16:
		return func(i int) int64 { return int64(in.Value(i)) }
	case *array.Uint32:
		return func(i int) int64 { return int64(in.Value(i)) }
	}
	return nil
}

// lastFour shows the end of a text only if at least as much of it stays hidden.
func lastFour(text string) string {
	r := []rune(text)
	if len(r) < 8 {
		return hidden
	}
	return hidden + string(r[len(r)-4:])
}

// coarsened appends a coarser value; it appends nothing and returns false if the type
// has none.
type coarsened func(b array.Builder, in arrow.Array, i int) bool

// dates rounds dates and times down, those with a zone in UTC.
func (m Mask) dates(t arrow.DataType) coarsened {
	const day = 86400
	switch t := t.(type) {
	case *arrow.Date32Type:
		return func(b array.Builder, in arrow.Array, i int) bool {
			from := m.begin(time.Unix(int64(in.(*array.Date32).Value(i))*day, 0)).Unix() / day
			if from < math.MinInt32 {
				return false
			}
			b.(*array.Date32Builder).Append(arrow.Date32(from))
			return true
		}
	case *arrow.TimestampType:
		per := map[arrow.TimeUnit]int64{arrow.Second: 1, arrow.Millisecond: 1e3, arrow.Microsecond: 1e6, arrow.Nanosecond: 1e9}[t.Unit]
		return func(b array.Builder, in arrow.Array, i int) bool {
			from := m.begin(time.Unix(floorDiv(int64(in.(*array.Timestamp).Value(i)), per), 0)).Unix()
			if from > math.MaxInt64/per || from < math.MinInt64/per {
				return false
			}
			b.(*array.TimestampBuilder).Append(arrow.Timestamp(from * per))
			return true
		}
	}
	return nil
}

// begin returns when the mask's unit of a time began.
func (m Mask) begin(t time.Time) time.Time {
	y, month, d := t.UTC().Date()
	switch m.unit {
	case "year":
		month, d = time.January, 1
	case "quarter":
		month, d = month-(month-1)%3, 1
	case "month":
		d = 1
	case "week": // it begins on Monday
		d -= (int(t.UTC().Weekday()) + 6) % 7
	}
	return time.Date(y, month, d, 0, 0, 0, 0, time.UTC)
}

func floorDiv(n, by int64) int64 {
	q := n / by
	if n%by < 0 {
		q--
	}
	return q
}

// numbers rounds numbers down to a multiple of the step.
func (m Mask) numbers(t arrow.DataType) coarsened {
	switch t := t.(type) {
	case *arrow.Float32Type:
		return func(b array.Builder, in arrow.Array, i int) bool {
			f, ok := m.float(float64(in.(*array.Float32).Value(i)))
			if ok {
				b.(*array.Float32Builder).Append(float32(f))
			}
			return ok
		}
	case *arrow.Float64Type:
		return func(b array.Builder, in arrow.Array, i int) bool {
			f, ok := m.float(in.(*array.Float64).Value(i))
			if ok {
				b.(*array.Float64Builder).Append(f)
			}
			return ok
		}
	case *arrow.Decimal128Type:
		step := new(big.Int).Mul(big.NewInt(m.step), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(t.Scale)), nil))
		return func(b array.Builder, in arrow.Array, i int) bool {
			n := in.(*array.Decimal128).Value(i).BigInt()
			n.Sub(n, new(big.Int).Mod(n, step)) // Mod is never negative
			down := decimal128.FromBigInt(n)
			if !down.FitsInPrecision(t.Precision) {
				return false
			}
			b.(*array.Decimal128Builder).Append(down)
			return true
		}
	case *arrow.Uint64Type:
		return func(b array.Builder, in arrow.Array, i int) bool {
			n := in.(*array.Uint64).Value(i)
			b.(*array.Uint64Builder).Append(n - n%uint64(m.step))
			return true
		}
	}
	if !arrow.IsInteger(t.ID()) {
		return nil
	}
	return func(b array.Builder, in arrow.Array, i int) bool {
		n := wholeOf(in)(i)
		down := floorDiv(n, m.step) * m.step
		if down > n { // it wrapped around
			return false
		}
		return appendWhole(b, down)
	}
}

// float rounds down; numbers that are not finite, or too large to be rounded, show
// nothing.
func (m Mask) float(f float64) (float64, bool) {
	f = math.Floor(f/float64(m.step)) * float64(m.step)
	return f, !math.IsNaN(f) && math.Abs(f) < 1<<53
}

func appendWhole(b array.Builder, n int64) bool {
	switch b := b.(type) {
	case *array.Int64Builder:
		b.Append(n)
	case *array.Int32Builder:
		if n < math.MinInt32 {
			return false
		}
		b.Append(int32(n))
	case *array.Int16Builder:
		if n < math.MinInt16 {
			return false
		}
		b.Append(int16(n))
	case *array.Int8Builder:
		if n < math.MinInt8 {
			return false
		}
		b.Append(int8(n))
	case *array.Uint32Builder:
		b.Append(uint32(n)) //nolint:gosec // it is below a value of the type, and not negative
	case *array.Uint16Builder:
		b.Append(uint16(n)) //nolint:gosec // the same
	case *array.Uint8Builder:
		b.Append(uint8(n)) //nolint:gosec // the same
	default:
		return false
	}
	return true
}
