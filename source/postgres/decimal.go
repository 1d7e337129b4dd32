package postgres

import (
	"bytes"
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow/decimal128"
)

// readDecimalText returns a reader for decimal numbers in text format.
func readDecimalText(scale int) reading[decimal128.Num] {
	return func(raw []byte) (decimal128.Num, error) {
		if v, ok := shortDecimal(raw, scale); ok {
			return v, nil
		}
		digits, negative := unsigned(raw)
		whole, fraction, _ := bytes.Cut(digits, []byte{'.'})
		if len(whole) == 0 || len(fraction) > scale {
			return decimal128.Num{}, errForm
		}
		var sum wide
		for _, part := range [...][]byte{whole, fraction} {
			for len(part) > 0 {
				n := min(len(part), wordDigits)
				word, ok := digitsOf(part[:n])
				if !ok {
					return decimal128.Num{}, notDigits(raw)
				}
				if !sum.shift(n, word) {
					return decimal128.Num{}, errForm
				}
				part = part[n:]
			}
		}
		for left := scale - len(fraction); left > 0; left -= wordDigits {
			if !sum.shift(min(left, wordDigits), 0) {
				return decimal128.Num{}, errForm
			}
		}
		return sum.signed(negative), nil
	}
}

// shortDecimal reads the usual form of a number: its digits fit into a word, and
// it has exactly as many decimal places as the column. It reports false for all
// other forms.
func shortDecimal(raw []byte, scale int) (decimal128.Num, bool) {
	digits, negative := unsigned(raw)
	point := len(digits) - scale
	if scale > 0 {
		point--
	}
	if point < 1 || len(digits) > wordDigits {
		return decimal128.Num{}, false
	}
	word, ok := digitsOf(digits[:point])
	if scale > 0 {
		fraction, fits := digitsOf(digits[point+1:])
		ok = ok && fits && digits[point] == '.'
		word = word*powers[scale] + fraction
	}
	if negative {
		return decimal128.FromI64(-int64(word)), ok
	}
	return decimal128.FromU64(word), ok
}

// unsigned cuts off the sign of a number.
func unsigned(text []byte) (digits []byte, negative bool) {
	if len(text) > 0 && text[0] == '-' {
		return text[1:], true
	}
	return text, false
}

// readIntText reads whole numbers in text format.
func readIntText[T int16 | int32 | int64](raw []byte) (T, error) {
	digits, negative := unsigned(raw)
	word, ok := digitsOf(digits)
	v := int64(word)
	if negative {
		v = -v
	}
	// A word can hold all numbers of 19 digits, the most that an int64 has.
	if !ok || len(digits) == 0 || len(digits) > 19 || v != int64(T(v)) || v != 0 && v < 0 != negative {
		return 0, errForm
	}
	return T(v), nil
}

// digitsOf reads decimal digits. The caller makes sure that they fit into a word.
func digitsOf(text []byte) (word uint64, ok bool) {
	for _, c := range text {
		digit := uint64(c) - '0'
		if digit > 9 {
			return 0, false
		}
		word = word*10 + digit
	}
	return word, true
}

// notDigits returns the error for the invalid text of a number.
func notDigits(raw []byte) error {
	switch string(raw) {
	case "NaN", "Infinity", "-Infinity":
		return errNaN
	}
	return errForm
}

// wordDigits is a number of decimal digits that always fits into a word, also with
// a sign.
const wordDigits = 18

var powers = func() (p [wordDigits + 1]uint64) {
	p[0] = 1
	for i := range wordDigits {
		p[i+1] = 10 * p[i]
	}
	return p
}()

// wide is a sum of up to 127 bits.
type wide struct{ hi, lo uint64 }

// shift appends decimal digits. It reports false if they do not fit.
func (w *wide) shift(digits int, add uint64) bool {
	carry, low := bits.Mul64(w.lo, powers[digits])
	over, high := bits.Mul64(w.hi, powers[digits])
	lo, c := bits.Add64(low, add, 0)
	hi, c := bits.Add64(high, carry, c)
	w.hi, w.lo = hi, lo
	return over == 0 && c == 0 && hi>>63 == 0
}

func (w *wide) signed(negative bool) decimal128.Num {
	v := decimal128.New(int64(w.hi), w.lo)
	if negative {
		return v.Negate()
	}
	return v
}
