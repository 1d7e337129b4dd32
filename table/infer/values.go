package infer

import (
	"math"
	"math/bits"
	"strconv"
)

// Missing reports whether a cell is a missing value in a column with this
// decision.
func (d *Decision) Missing(cell []byte, quoted bool) bool {
	if len(cell) == 0 {
		return !quoted || d.Type != String
	}
	if len(cell) == 2 && cell[0] == '\\' && cell[1] == 'N' && !quoted {
		return true
	}
	if d.Type == String {
		return false
	}
	if len(cell) <= 10 && len(d.NullWords) > 0 {
		t := trim(cell)
		for _, w := range d.NullWords {
			if string(t) == w {
				return true
			}
		}
	}
	return cell[0] <= ' ' && len(trim(cell)) == 0
}

// Int parses a 64-bit integer.
func (d *Decision) Int(cell []byte) (int64, bool) {
	if len(cell) <= 18 {
		b, neg := cell, false
		if b[0] == '-' && len(b) > 1 {
			b, neg = b[1:], true
		}
		v, plain := int64(0), true
		for _, c := range b {
			if c-'0' > 9 {
				plain = false
				break
			}
			v = v*10 + int64(c-'0')
		}
		if plain {
			if neg {
				return -v, true
			}
			return v, true
		}
	}
	v, ok := d.Decimal(cell)
	if !ok {
		return 0, false
	}
	return v.int64()
}

// Int128 is a number of 128 bits in two's complement.
type Int128 struct {
	High int64
	Low  uint64
}

func (v Int128) int64() (int64, bool) {
	low := int64(v.Low)
	return low, low>>63 == v.High
}

// Decimal parses a number as an integer in units of 10 to the power of -Scale. ok
// is false if the number has more fractional digits, or more than 38 digits in
// total.
func (d *Decision) Decimal(cell []byte) (Int128, bool) {
	n := scanNumber(trim(cell))
	f := d.Format
	if f == 0 {
		f = n.formats & -n.formats
	}
	if n.formats&f == 0 || n.exp {
		return Int128{}, false
	}
	_, point := f.marks()
	var hi, lo uint64
	count, frac, behind := 0, 0, false
	for _, c := range n.body {
		switch {
		case c == point:
			behind = true
		case c-'0' > 9: // grouping
		case behind && frac == d.Scale:
			if c != '0' {
				return Int128{}, false
			}
		default:
			hi, lo = mulAdd(hi, lo, uint64(c-'0'))
			if hi != 0 || lo != 0 {
				count++
			}
			if behind {
				frac++
			}
		}
	}
	for ; frac < d.Scale; frac++ {
		hi, lo = mulAdd(hi, lo, 0)
		if hi != 0 || lo != 0 {
			count++
		}
	}
	if count > 38 {
		return Int128{}, false
	}
	if n.negative {
		var borrow uint64
		lo, borrow = bits.Sub64(0, lo, 0)
		hi, _ = bits.Sub64(0, hi, borrow)
	}
	return Int128{int64(hi), lo}, true
}

// mulAdd returns ten times hi:lo, plus digit. Overflow is the caller's to
// rule out, by counting digits.
func mulAdd(hi, lo, digit uint64) (uint64, uint64) {
	h, l := bits.Mul64(lo, 10)
	l, carry := bits.Add64(l, digit, 0)
	return hi*10 + h + carry, l
}

// Float reads a binary float.
func (d *Decision) Float(cell []byte) (float64, bool) {
	cell = trim(cell)
	if isNaN(cell) || isInfinite(cell) {
		v, err := strconv.ParseFloat(string(cell), 64)
		return v, err == nil
	}
	n := scanNumber(cell)
	f := d.Format
	if f == 0 {
		f = n.formats & -n.formats
	}
	if n.formats&f == 0 {
		return 0, false
	}
	body := n.body
	if f != Dot {
		_, point := f.marks()
		plain := make([]byte, 0, len(body))
		for _, c := range body {
			switch {
			case c == point:
				plain = append(plain, '.')
			case c-'0' <= 9 || n.exp && (c|0x20 == 'e' || c == '-' || c == '+'):
				plain = append(plain, c)
			}
		}
		body = plain
	}
	v, err := strconv.ParseFloat(string(body), 64)
	if n.negative {
		v = -v
	}
	return v, err == nil && !math.IsInf(v, 0)
}

// Bool reads true or false, yes or no.
func (d *Decision) Bool(cell []byte) (value, ok bool) {
	cell = trim(cell)
	switch {
	case equalFold(cell, "true"), equalFold(cell, "yes"), equalFold(cell, "t"), equalFold(cell, "y"), equalFold(cell, "1"):
		return true, true
	case equalFold(cell, "false"), equalFold(cell, "no"), equalFold(cell, "f"), equalFold(cell, "n"), equalFold(cell, "0"):
		return false, true
	}
	return false, false
}

// Days reads a date as days since 1970-01-01.
func (d *Decision) Days(cell []byte) (int32, bool) {
	st, ok := d.stamp(cell)
	if !ok || st.hasTime && st.clock != 0 {
		return 0, false
	}
	return st.days(d.order(st)), true
}

// Micros reads a timestamp as microseconds since 1970-01-01, in UTC if it has
// a zone.
func (d *Decision) Micros(cell []byte) (int64, bool) {
	st, ok := d.stamp(cell)
	if !ok {
		return 0, false
	}
	secs := int64(st.days(d.order(st)))*86400 - int64(st.offset)
	return secs*microsPerSecond + st.clock, true
}

// order returns the order in which to parse a date: the column's, unless the date
// starts with a four-digit year, which is unambiguous.
func (d *Decision) order(st stamp) DateOrder {
	if d.Order == 0 || st.orders == YMD {
		return st.orders & -st.orders
	}
	return d.Order
}

func (d *Decision) stamp(cell []byte) (stamp, bool) {
	cell = trim(cell)
	if len(cell) == 0 {
		return stamp{}, false
	}
	if d.Compact && len(cell) == 8 && allDigits(cell) {
		iso := string(cell[:4]) + "-" + string(cell[4:6]) + "-" + string(cell[6:])
		st := scanDate([]byte(iso))
		st.named = true
		return st, st.orders != 0
	}
	st := scanDate(cell)
	if d.Order != 0 {
		return st, st.orders&d.Order != 0 || st.orders == YMD && !st.short
	}
	return st, st.orders != 0
}

// Clock reads a time of day as microseconds since midnight.
func (d *Decision) Clock(cell []byte) (int64, bool) {
	micros, rest, ok := scanTime(trim(cell))
	return micros, ok && len(rest) == 0
}
