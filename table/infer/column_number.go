package infer

import (
	"bytes"
	"strconv"
)

// number adds a number, unless no type can represent it.
func (c *Column) number(n number, cell []byte) kind {
	if n.dot.ints > maxDigits || n.comma.ints > maxDigits || n.exp && !finite(n.body) {
		return kindText
	}
	if over := n.dot.significant() - floatDigits; n.exp && over > 0 && written(n.body) {
		n.dot.zeros += over // the float has the rest, too
	}
	if !c.seen {
		c.seen, c.formats, c.currency = true, anyFormat, n.currency
	}
	if n.currency != c.currency {
		c.mixed = true
	}
	c.formats &= n.formats
	if n.formats&dotFormats != 0 {
		c.dot.add(n.dot)
		c.fracDot = c.fracDot || n.dot.frac > 0
	}
	if n.formats&commaFormats != 0 {
		c.comma.add(n.comma)
	}
	c.exp = c.exp || n.exp
	if n.bare {
		c.bare++
	}
	if n.dot.frac == 0 && n.dot.ints >= 19 || n.comma.frac == 0 && n.comma.ints >= 19 {
		c.wide = c.wide || beyond64(n)
	}
	if c.glance {
		return kindNumber
	}
	c.writings.add(uint8(n.formats), c.at, cell)
	if n.currency != 0 || len(c.amounts) == 0 || c.mixed {
		c.amount(n.currency, cell)
	}
	if n.dot.significant() > floatDigits || n.comma.significant() > floatDigits {
		c.longs.add(1, c.at, cell)
	}
	return kindNumber
}

const (
	maxDigits   = 38 // of an exact number
	floatDigits = 17 // digits that identify a float uniquely
	wholeDigits = 15 // digits of an integer that a float always preserves
)

// amount records the currency of an amount. Amounts without one are recorded only
// if that is unusual, because most numbers have none.
func (c *Column) amount(currency uint8, cell []byte) {
	switch currency {
	case 0:
		c.amounts.add(1, c.at, cell)
	case c.currency:
		c.amounts.add(2, c.at, cell)
	default:
		c.amounts.add(4, c.at, cell)
	}
}

// finite reports whether a number with an exponent is neither too large for a float nor
// so small that it would be 0.
func finite(body []byte) bool {
	v, err := strconv.ParseFloat(string(body), 64)
	return err == nil && (v != 0 || !bytes.ContainsAny(body[:bytes.IndexAny(body, "eE")], "123456789"))
}

// written reports whether a float is written as the number is, such as
// 7.158182765659562019e-01: with more digits than identify it, as NumPy does.
func written(body []byte) bool {
	mark := bytes.IndexAny(body, "eE")
	mantissa := body[:mark]
	dot := bytes.IndexByte(mantissa, '.')
	v, err := strconv.ParseFloat(string(body), 64)
	if err != nil || dot < 0 {
		return false
	}
	back := strconv.AppendFloat(nil, v, 'e', len(mantissa)-dot-1, 64)
	return bytes.Equal(bytes.TrimPrefix(mantissa, []byte("+")), back[:bytes.IndexByte(back, 'e')])
}

// beyond64 reports whether an integer with 19 or more digits exceeds 64 bits.
func beyond64(n number) bool {
	d := make([]byte, 0, 40)
	for _, ch := range n.body {
		if ch-'0' <= 9 {
			d = append(d, ch)
		}
	}
	limit := "9223372036854775807"
	if n.negative {
		limit = "9223372036854775808"
	}
	return len(d) > len(limit) || len(d) == len(limit) && string(d) > limit
}
