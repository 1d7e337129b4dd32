package postgres

import (
	"encoding/binary"
	"errors"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// numeric is the header of a number in binary format. Each digit stands for four
// decimal places; the first counts 10000^weight.
type numeric struct {
	digits []byte // two bytes per digit
	weight int
	sign   uint16
	scale  int // places to show
}

const (
	numericNegative = 0x4000
	numericNaN      = 0xC000
	numericInf      = 0xD000
	numericMinusInf = 0xF000
)

func readNumeric(raw []byte) (numeric, error) {
	if len(raw) < 8 {
		return numeric{}, errForm
	}
	n := numeric{
		digits: raw[8:], weight: int(int16(binary.BigEndian.Uint16(raw[2:]))),
		sign: binary.BigEndian.Uint16(raw[4:]), scale: int(binary.BigEndian.Uint16(raw[6:])),
	}
	if len(n.digits) != 2*int(binary.BigEndian.Uint16(raw)) {
		return numeric{}, errForm
	}
	return n, nil
}

func (n numeric) digit(i int) uint64 {
	if i < 0 || 2*i >= len(n.digits) {
		return 0
	}
	return uint64(binary.BigEndian.Uint16(n.digits[2*i:]))
}

// errNaN is the error for a number that a decimal cannot represent.
var errNaN = errors.New("a decimal is NaN or infinite, which has no place in a column of decimals")

// readDecimal reads numbers of a column with the given number of decimal places.
func readDecimal(scale int) reading[decimal128.Num] {
	return func(raw []byte) (decimal128.Num, error) {
		n, err := readNumeric(raw)
		if err != nil {
			return decimal128.Num{}, err
		}
		return n.scaled(scale)
	}
}

// scaled is the number times 10^scale, of at most 38 digits.
func (n numeric) scaled(scale int) (decimal128.Num, error) {
	if n.sign >= numericNaN {
		return decimal128.Num{}, errNaN
	}
	var sum wide
	count := len(n.digits) / 2
	// The digit at place i counts 10^(4*(weight-i)+scale).
	for i := range n.weight + 1 + (scale+3)/4 {
		step, d := 4, n.digit(i)
		if left := 4*(n.weight-i) + scale; left < 0 {
			// The last digit extends below the scale: its remaining places are
			// zeros.
			step = 4 + left
			if d%powers[-left] != 0 {
				return decimal128.Num{}, errForm
			}
			d /= powers[-left]
		}
		if !sum.shift(step, d) {
			return decimal128.Num{}, errForm
		}
	}
	if count > n.weight+1+(scale+3)/4 {
		return decimal128.Num{}, errForm // more places than the column has
	}
	return sum.signed(n.sign == numericNegative), nil
}

// decodeNumericText writes all digits of a number of any size.
func decodeNumericText(b array.Builder) appender {
	to := b.(*array.StringBuilder).BinaryBuilder
	var text []byte
	return func(raw []byte) error {
		n, err := readNumeric(raw)
		if err != nil {
			return err
		}
		text = n.text(text[:0])
		to.Append(text)
		return nil
	}
}

func (n numeric) text(dst []byte) []byte {
	switch n.sign {
	case numericNaN:
		return append(dst, "NaN"...)
	case numericInf:
		return append(dst, "Infinity"...)
	case numericMinusInf:
		return append(dst, "-Infinity"...)
	case numericNegative:
		dst = append(dst, '-')
	}
	if n.weight < 0 {
		dst = append(dst, '0')
	}
	for i := 0; i <= n.weight; i++ {
		dst = appendDigit(dst, n.digit(i), i == 0, 4)
	}
	if n.scale == 0 {
		return dst
	}
	dst = append(dst, '.')
	for i, left := n.weight+1, n.scale; left > 0; i, left = i+1, left-4 {
		dst = appendDigit(dst, n.digit(i), false, min(left, 4))
	}
	return dst
}

// appendDigit writes the first places of a digit. The first digit of a number has
// no leading zeros.
func appendDigit(dst []byte, d uint64, first bool, places int) []byte {
	for p, power := range []uint64{1000, 100, 10, 1}[:places] {
		if first && d < power && p < 3 {
			continue
		}
		first = false
		dst = append(dst, byte('0'+d/power%10))
	}
	return dst
}
