package summary

import (
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// kind says how the values of a type become keys, which are ordered as the values
// are, and what a key stands for.
type kind[K comparable] struct {
	order *order[K]
	keys  func(dst []K, arr arrow.Array) []K
	value func(K) []byte // as Arrow has it

	number bool
	scale  int32
	real   func(K) float64
	whole  func(K) [3]uint64 // without the scale, low part first; nil for floats
	finite func(K) bool
}

func always[K comparable](K) bool { return true }

// narrow is the kind of a type whose values have up to 64 bits.
func narrow(t arrow.DataType) (k kind[uint64], ok bool) {
	switch t := t.(type) {
	case *arrow.Int8Type:
		k = integers(1, signedKeys((*array.Int8).Int8Values))
	case *arrow.Int16Type:
		k = integers(2, signedKeys((*array.Int16).Int16Values))
	case *arrow.Int32Type:
		k = integers(4, signedKeys((*array.Int32).Int32Values))
	case *arrow.Int64Type:
		k = integers(8, signedKeys((*array.Int64).Int64Values))
	case *arrow.Uint8Type:
		k = naturals(1, unsignedKeys((*array.Uint8).Uint8Values))
	case *arrow.Uint16Type:
		k = naturals(2, unsignedKeys((*array.Uint16).Uint16Values))
	case *arrow.Uint32Type:
		k = naturals(4, unsignedKeys((*array.Uint32).Uint32Values))
	case *arrow.Uint64Type:
		k = naturals(8, unsignedKeys((*array.Uint64).Uint64Values))
	case *arrow.Float32Type:
		k = floats(4, floatKeys((*array.Float32).Float32Values))
	case *arrow.Float64Type:
		k = floats(8, floatKeys((*array.Float64).Float64Values))
	case *arrow.Decimal128Type:
		k = integers(16, keysOf((*array.Decimal128).Values, func(v decimal128.Num) uint64 { return v.LowBits() ^ signBit }))
		k.scale = t.Scale
		real := k.real
		k.real = func(key uint64) float64 { return scaled(real(key), int64(key^signBit), t.Scale) }
		return k, t.Precision <= 18
	case *arrow.Date32Type:
		k = moments(4, signedKeys((*array.Date32).Date32Values))
	case *arrow.Time32Type:
		k = moments(4, signedKeys((*array.Time32).Time32Values))
	case *arrow.Time64Type:
		k = moments(8, signedKeys((*array.Time64).Time64Values))
	case *arrow.TimestampType:
		k = moments(8, signedKeys((*array.Timestamp).TimestampValues))
	default:
		return k, false
	}
	return k, true
}

const signBit = 1 << 63

// integers are signed; Arrow has them in width bytes.
func integers(width int, keys func([]uint64, arrow.Array) []uint64) kind[uint64] {
	return kind[uint64]{
		order: narrowOrder, keys: keys, number: true, finite: always[uint64],
		value: func(key uint64) []byte { return littleEndian(key^signBit, extension(key^signBit), width) },
		real:  func(key uint64) float64 { return float64(int64(key ^ signBit)) },
		whole: func(key uint64) [3]uint64 {
			v, rest := key^signBit, extension(key^signBit)
			return [3]uint64{v, rest, rest}
		},
	}
}

// naturals are unsigned.
func naturals(width int, keys func([]uint64, arrow.Array) []uint64) kind[uint64] {
	return kind[uint64]{
		order: narrowOrder, keys: keys, number: true, finite: always[uint64],
		value: func(key uint64) []byte { return littleEndian(key, 0, width) },
		real:  func(key uint64) float64 { return float64(key) },
		whole: func(key uint64) [3]uint64 { return [3]uint64{key} },
	}
}

// floats of 32 bits have the keys of their values in 64.
func floats(width int, keys func([]uint64, arrow.Array) []uint64) kind[uint64] {
	k := kind[uint64]{
		order: narrowOrder, keys: keys, number: true, real: floatOf,
		finite: func(key uint64) bool { return floatKey(-math.MaxFloat64) <= key && key <= floatKey(math.MaxFloat64) },
		value:  func(key uint64) []byte { return littleEndian(math.Float64bits(floatOf(key)), 0, 8) },
	}
	if width == 4 {
		k.value = func(key uint64) []byte { return littleEndian(uint64(math.Float32bits(float32(floatOf(key)))), 0, 4) }
	}
	return k
}

// moments are dates, timestamps and times.
func moments(width int, keys func([]uint64, arrow.Array) []uint64) kind[uint64] {
	k := integers(width, keys)
	k.number = false
	return k
}

// keysOf makes the keys of all values that are not null.
func keysOf[A arrow.Array, T any, K comparable](values func(A) []T, key func(T) K) func([]K, arrow.Array) []K {
	return func(dst []K, arr arrow.Array) []K {
		all := values(arr.(A))
		if arr.NullN() == 0 {
			for _, v := range all {
				dst = append(dst, key(v))
			}
			return dst
		}
		for i, v := range all {
			if arr.IsValid(i) {
				dst = append(dst, key(v))
			}
		}
		return dst
	}
}

func signedKeys[A arrow.Array, T ~int8 | ~int16 | ~int32 | ~int64](values func(A) []T) func([]uint64, arrow.Array) []uint64 {
	return keysOf(values, func(v T) uint64 { return uint64(int64(v)) ^ signBit })
}

func unsignedKeys[A arrow.Array, T ~uint8 | ~uint16 | ~uint32 | ~uint64](values func(A) []T) func([]uint64, arrow.Array) []uint64 {
	return keysOf(values, func(v T) uint64 { return uint64(v) })
}

func floatKeys[A arrow.Array, T ~float32 | ~float64](values func(A) []T) func([]uint64, arrow.Array) []uint64 {
	return keysOf(values, func(v T) uint64 { return floatKey(float64(v)) })
}

// floatKey orders as the engine does: NaN is greater than infinity, and all NaN
// are equal, as are both zeros.
func floatKey(v float64) uint64 {
	switch {
	case v != v:
		return math.MaxUint64
	case v == 0:
		return signBit
	}
	b := math.Float64bits(v)
	if b&signBit != 0 {
		return ^b
	}
	return b | signBit
}

func floatOf(key uint64) float64 {
	switch {
	case key == math.MaxUint64:
		return math.NaN()
	case key&signBit != 0:
		return math.Float64frombits(key &^ signBit)
	}
	return math.Float64frombits(^key)
}

// scaled is v in units of 10 to the power of -scale; f is v as a float. For large
// numbers f is not exact, so the whole part and the rest are converted separately.
func scaled(f float64, v int64, scale int32) float64 {
	const exact = 1 << 53
	if -exact <= v && v <= exact || scale == 0 {
		return f / powers[scale]
	}
	unit := int64(powers[scale])
	return float64(v/unit) + float64(v%unit)/powers[scale]
}

// powers has the powers of ten up to the scale of a decimal of 18 digits.
var powers = [19]float64{1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18}

// extension is what precedes v as a part of a longer number in two's complement.
func extension(v uint64) uint64 { return uint64(int64(v) >> 63) }

// littleEndian has the first width bytes of a number of 128 bits.
func littleEndian(low, high uint64, width int) []byte {
	out := make([]byte, width)
	for i := range out {
		part := low
		if i >= 8 {
			part = high
		}
		out[i] = byte(part >> (8 * (i & 7)))
	}
	return out
}
