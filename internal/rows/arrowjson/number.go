package arrowjson

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

const (
	// maxExactInteger is the limit up to which a float64, which most JSON readers
	// use for numbers, represents every integer exactly.
	maxExactInteger = 1 << 53
	// maxExactDigits is how many decimal digits a float64 always preserves.
	maxExactDigits = 15
)

func bindInteger(arr arrow.Array) appender {
	switch a := arr.(type) {
	case *array.Int8:
		return signed(a.Value)
	case *array.Int16:
		return signed(a.Value)
	case *array.Int32:
		return signed(a.Value)
	case *array.Int64:
		return signed(a.Value)
	case *array.Uint8:
		return unsigned(a.Value)
	case *array.Uint16:
		return unsigned(a.Value)
	case *array.Uint32:
		return unsigned(a.Value)
	case *array.Uint64:
		return unsigned(a.Value)
	}
	return nil
}

func signed[T int8 | int16 | int32 | int64](value func(int) T) appender {
	return func(dst []byte, i int) ([]byte, Kind) {
		v := int64(value(i))
		return strconv.AppendInt(dst, v, 10), exactness(-maxExactInteger <= v && v <= maxExactInteger)
	}
}

func unsigned[T uint8 | uint16 | uint32 | uint64](value func(int) T) appender {
	return func(dst []byte, i int) ([]byte, Kind) {
		v := uint64(value(i))
		return strconv.AppendUint(dst, v, 10), exactness(v <= maxExactInteger)
	}
}

func exactness(exact bool) Kind {
	if exact {
		return Number
	}
	return BigNumber
}

// appendBigInt is for integers of any size.
func appendBigInt(dst []byte, v *big.Int) ([]byte, Kind) {
	exact := v.IsInt64() && -maxExactInteger <= v.Int64() && v.Int64() <= maxExactInteger
	return v.Append(dst, 10), exactness(exact)
}

func bindReal(arr arrow.Array) appender {
	switch a := arr.(type) {
	case *array.Float16:
		return func(dst []byte, i int) ([]byte, Kind) { return appendFloat(dst, float64(a.Value(i).Float32()), 32) }
	case *array.Float32:
		return func(dst []byte, i int) ([]byte, Kind) { return appendFloat(dst, float64(a.Value(i)), 32) }
	case *array.Float64:
		return func(dst []byte, i int) ([]byte, Kind) { return appendFloat(dst, a.Value(i), 64) }
	case *array.Decimal32:
		return decimal(a, func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(a.Value(i)), 10) })
	case *array.Decimal64:
		return decimal(a, func(dst []byte, i int) []byte { return strconv.AppendInt(dst, int64(a.Value(i)), 10) })
	case *array.Decimal128:
		return decimal(a, func(dst []byte, i int) []byte { return appendInt128(dst, a.Value(i)) })
	case *array.Decimal256:
		return decimal(a, func(dst []byte, i int) []byte { return a.Value(i).BigInt().Append(dst, 10) })
	}
	return nil
}

// appendFloat writes the shortest text that parses to the same value. It uses
// plain notation where JavaScript does. It always has a point or an exponent, so
// that readers that guess types see a float.
func appendFloat(dst []byte, v float64, bits int) ([]byte, Kind) {
	switch {
	case math.IsNaN(v):
		return append(dst, "NaN"...), BigNumber
	case math.IsInf(v, 1):
		return append(dst, "Infinity"...), BigNumber
	case math.IsInf(v, -1):
		return append(dst, "-Infinity"...), BigNumber
	}
	if abs := math.Abs(v); abs != 0 && (abs < 1e-6 || abs >= 1e21) {
		return strconv.AppendFloat(dst, v, 'e', -1, bits), Number
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, v, 'f', -1, bits)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst, Number
}

// decimal reads the scale from the type and the digits through unscaled.
func decimal(arr arrow.Array, unscaled func(dst []byte, i int) []byte) appender {
	scale := int(arr.DataType().(arrow.DecimalType).GetScale())
	return func(dst []byte, i int) ([]byte, Kind) {
		start := len(dst)
		dst = insertPoint(unscaled(dst, i), start, scale)
		return dst, exactness(significant(dst[start:]) <= maxExactDigits)
	}
}

// insertPoint applies a scale to the integer in dst[start:]: 125 with scale 2 is
// 1.25, with scale 4 0.0125, with scale -2 12500.
func insertPoint(dst []byte, start, scale int) []byte {
	if dst[start] == '-' {
		start++
	}
	if scale <= 0 {
		for ; scale < 0 && dst[start] != '0'; scale++ {
			dst = append(dst, '0')
		}
		return dst
	}
	for len(dst)-start <= scale {
		dst = slices.Insert(dst, start, '0')
	}
	return slices.Insert(dst, len(dst)-scale, '.')
}

// significant counts the digits that carry the value: no leading zeros, and no
// trailing ones behind the point.
func significant(number []byte) int {
	digits := bytes.TrimLeft(number, "-0.")
	if bytes.IndexByte(number, '.') >= 0 {
		digits = bytes.TrimRight(digits, "0")
		digits = bytes.TrimSuffix(digits, []byte{'.'})
	}
	if bytes.IndexByte(digits, '.') >= 0 {
		return len(digits) - 1
	}
	return len(digits)
}

func appendInt128(dst []byte, v decimal128.Num) []byte {
	if low := int64(v.LowBits()); v.HighBits() == low>>63 { // fits 64 bits
		return strconv.AppendInt(dst, low, 10)
	}
	return v.BigInt().Append(dst, 10)
}
