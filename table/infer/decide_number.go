package infer

import (
	"fmt"
	"slices"
)

// decideNumber determines the type that represents all numbers. Near is set if
// there is no such type.
func (c *Column) decideNumber(h Hints) Decision {
	if c.formats == 0 {
		return mixedText(Decimal, c.writings, c.writings.commonest())
	}
	if c.mixed {
		return c.mixedAmounts()
	}
	if c.bare > 0 && !c.fracDot && !Few(c.bare, c.counts[kindNumber]) {
		return Decision{Type: String}
	}
	d := Decision{Type: Decimal, Currency: currencies()[c.currency]}
	c.chooseFormat(&d, h)
	s := c.dot
	if d.Format&commaFormats != 0 {
		s = c.comma
	}
	ints := max(s.ints, 1)
	switch {
	case c.exp && d.Format&commaFormats == 0:
		d.Type = Float
	case s.frac == 0:
		d.Type, d.Precision = Integer, 18
		if c.wide {
			d.Precision = 38
		}
	case ints+s.frac <= maxDigits && (s.frac <= 4 || s.total > floatDigits):
		d.Scale, d.Precision = s.frac, 18
		if ints+s.frac > 18 {
			d.Precision = 38
		}
	default:
		d.Type = Float
	}
	switch {
	case d.Type == Float && s.total > floatDigits:
		return mixedText(Float, c.longs, 2)
	case d.Type != Float && c.counts[kindInfinite]+c.nans > 0:
		return c.withSpecials(d, s)
	}
	return d
}

// withSpecials decides the type of numbers with infinity or NaN, which only a
// float can represent. If a float cannot represent the other numbers, the column
// is text.
func (c *Column) withSpecials(d Decision, s spread) Decision {
	if s.total <= wholeDigits || d.Type == Decimal && s.total <= floatDigits {
		d.Type, d.Precision, d.Scale = Float, 0, 0
		return d
	}
	near := &Near{Type: d.Type, Misfit: c.counts[kindInfinite] + c.nans, Places: slices.Clone(c.places[kindInfinite])}
	if c.nans > 0 {
		near.Places = append(near.Places, c.firstNaN)
	}
	return Decision{Type: String, Near: near}
}

// mixedAmounts decides amounts in several currencies, or with and without one, to
// be text.
func (c *Column) mixedAmounts() Decision {
	_, bare := c.amounts.without(2 | 4)
	with, first := c.amounts.without(1)
	if with*2 < c.counts[kindNumber] {
		return Decision{Type: String, Near: &Near{Type: Decimal, Misfit: with, Places: first}}
	}
	others, first := c.amounts.without(1 | 2)
	misfit := c.counts[kindNumber] - with + others
	return Decision{Type: String, Note: "amounts in several currencies, or with and without one: the column is text",
		Near: &Near{Type: Decimal, Misfit: misfit, Places: append(first, bare...)}}
}

// chooseFormat settles how the numbers are written.
func (c *Column) chooseFormat(d *Decision, h Hints) {
	f := c.formats
	switch {
	case f&Dot != 0 && f&DotComma != 0 && c.fracDot:
		d.Format = Dot
		other := DotComma
		if h.DecimalComma {
			d.Format, other = DotComma, Dot
		}
		d.Other = other
		d.Ambiguous = fmt.Sprintf("three digits follow every dot: read as %s, may be %s", d.Format, other)
	case f&Dot != 0:
		d.Format = Dot
	case f&CommaDot != 0 && f&commaFormats != 0:
		d.Format = CommaDot
		other := DotComma
		if h.DecimalComma {
			d.Format, other = DotComma, CommaDot
		}
		d.Other = other
		d.Ambiguous = fmt.Sprintf("three digits follow every comma: read as %s, may be %s", d.Format, other)
	default:
		d.Format = f & -f
		c.doubtGroups(d)
	}
	if d.Ambiguous == "" && d.Format&commaFormats != 0 && h.DecimalDot {
		d.Ambiguous = fmt.Sprintf("other columns have decimal dots: a comma was read as a decimal mark, as in %s, and may divide two values", d.Format)
	}
}

// Grouped is the way to write the numbers that takes the marks for groups, if there
// is a doubt.
func (d Decision) Grouped() NumberFormat {
	switch {
	case d.Other == 0:
		return 0
	case d.Format == CommaDot || d.Other == CommaDot:
		return CommaDot
	}
	return DotComma
}

// doubtGroups notes three-digit groups that could be fractions, if no number has
// both a group and a fraction, which would prove the meaning of the marks.
func (c *Column) doubtGroups(d *Decision) {
	grouped, mark := dotFormats|DotComma, "dot"
	if d.Format == CommaDot {
		grouped, mark = CommaDot|commaFormats, "comma"
	}
	if (d.Format == DotComma || d.Format == CommaDot) && !c.writings.isExactly(uint8(d.Format)) && c.writings.isExactly(uint8(grouped)) {
		d.Ambiguous = fmt.Sprintf("no number has both a group and a fraction: a %s before three digits was read as a group, as in %s", mark,
			d.Format)
	}
}
