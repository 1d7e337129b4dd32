package infer

import (
	"fmt"
	"sort"
)

// Type is what a column holds, in the words that users see.
type Type string

// The types of columns.
const (
	Integer     Type = "integer"
	Decimal     Type = "decimal"
	Float       Type = "float"
	Boolean     Type = "boolean"
	String      Type = "string"
	Date        Type = "date"
	Time        Type = "time"
	Timestamp   Type = "timestamp"
	TimestampTZ Type = "timestamptz"
	JSON        Type = "json"
)

// Decision is what a column is taken for.
type Decision struct {
	Type Type
	// Precision and Scale are those of a decimal. An integer has Precision 18
	// if it fits 64 bits, else 38.
	Precision, Scale int
	Format           NumberFormat // of numbers
	Currency         string       // the mark that all amounts carry, if any
	Order            DateOrder    // of dates and timestamps
	Compact          bool         // dates are eight digits, as 20240131
	NullWords        []string     // words that stand for a missing value
	Nulls            int64        // cells without a value
	NonNull          int64
	// Ambiguous says in a sentence what else the cells may mean; empty if
	// nothing.
	Ambiguous string
	// Near is the type that all but a few cells have, if the column is text
	// because of them.
	Near *Near
}

// Near tells why a column is text although most of its cells are not.
type Near struct {
	Type   Type
	Misfit int64   // cells that don't have the type
	Places []Place // the first of them
}

// Hints are what other columns of the file prove about its writer.
type Hints struct {
	DecimalComma bool
	// DayFirst and MonthFirst are set if some column can only be read so.
	DayFirst, MonthFirst bool
	// Order overrides the order of dates, if not 0.
	Order DateOrder
	// Compact says that dates are eight digits.
	Compact bool
}

// GatherHints looks for columns that can be read in one way only.
func GatherHints(cols []*Column) Hints {
	var h Hints
	for _, c := range cols {
		if c.counts[kindText] > 0 {
			continue
		}
		if c.counts[kindNumber] > 0 && c.formats != 0 && c.formats&^commaFormats == 0 {
			h.DecimalComma = true
		}
		if c.counts[kindDate]+c.counts[kindStamp] > 0 {
			h.DayFirst = h.DayFirst || c.orders == DMY
			h.MonthFirst = h.MonthFirst || c.orders == MDY
		}
	}
	return h
}

// Decide judges the evidence gathered so far.
func (c *Column) Decide(h Hints) Decision {
	d := c.family(h)
	if d.Type == String {
		d.NullWords = nil
		d.Nulls = c.counts[kindEmpty]
	} else {
		d.Nulls = c.counts[kindEmpty] + c.counts[kindBlank] + c.counts[kindToken]
		d.NullWords = append([]string(nil), c.tokens...)
		if d.Type == Float && c.nans > 0 {
			d.Nulls -= c.nans
			d.NullWords = nil
			for _, t := range c.tokens {
				if !isNaN([]byte(t)) {
					d.NullWords = append(d.NullWords, t)
				}
			}
		}
	}
	d.NonNull = c.Cells - d.Nulls
	return d
}

// family finds the type that all cells have.
func (c *Column) family(h Hints) Decision {
	n := &c.counts
	values := n[kindNumber] + n[kindBool] + n[kindDate] + n[kindStamp] + n[kindTime] + n[kindJSON] + n[kindText]
	var d Decision
	var fits int64
	switch {
	case values == 0:
		return Decision{Type: String}
	case n[kindNumber]*2 > values:
		d, fits = c.decideNumber(h), n[kindNumber]
	case (n[kindDate]+n[kindStamp])*2 > values:
		d, fits = c.decideDate(h), n[kindDate]+n[kindStamp]
	case n[kindBool]*2 > values && c.yesNo != c.trueFalse:
		d, fits = Decision{Type: Boolean}, n[kindBool]
	case n[kindTime]*2 > values:
		d, fits = Decision{Type: Time}, n[kindTime]
	case n[kindJSON]*2 > values:
		d, fits = Decision{Type: JSON}, n[kindJSON]
	default:
		return Decision{Type: String}
	}
	if fits == values && d.Type != String {
		return d
	}
	misfit := values - fits
	s := Decision{Type: String, Near: d.Near, Ambiguous: ""}
	if d.Type != String && misfit*20 <= values {
		s.Near = &Near{Type: d.Type, Misfit: misfit, Places: c.misfits(d.Type)}
	}
	return s
}

// misfits collects the first cells that lack the type.
func (c *Column) misfits(t Type) []Place {
	var out []Place
	for k := kindNumber; k < numKinds; k++ {
		switch {
		case k == kindNumber && (t == Integer || t == Decimal || t == Float):
		case (k == kindDate || k == kindStamp) && (t == Date || t == Timestamp || t == TimestampTZ):
		case k == kindBool && t == Boolean, k == kindTime && t == Time, k == kindJSON && t == JSON:
		default:
			out = append(out, c.places[k]...)
		}
	}
	sort.Slice(out, func(i, j int) bool { return out[i].Line < out[j].Line })
	return out[:min(len(out), maxPlaces)]
}

func (c *Column) decideNumber(h Hints) Decision {
	d := Decision{Type: Decimal, Currency: currencies()[c.currency]}
	f := c.formats
	if f == 0 || c.mixed {
		return Decision{Type: String, Near: &Near{Type: Decimal, Misfit: 0}}
	}
	c.chooseFormat(&d, h)
	s := c.dot
	if d.Format&commaFormats != 0 {
		s = c.comma
	}
	ints := max(s.ints, 1)
	switch {
	case c.exp && d.Format&commaFormats == 0:
		d.Type = Float
	case s.frac == 0 && ints <= 38:
		d.Type, d.Precision = Integer, 18
		if c.wide {
			d.Precision = 38
		}
	case s.frac == 0:
		return Decision{Type: String} // more digits than any number holds
	case ints+s.frac <= 38 && (s.frac <= 4 || s.total > 17):
		d.Scale, d.Precision = s.frac, 18
		if ints+s.frac > 18 {
			d.Precision = 38
		}
	case s.total > 17:
		return Decision{Type: String}
	default:
		d.Type = Float
	}
	return d
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
		d.Ambiguous = fmt.Sprintf("every dot has three digits behind it: read as %s, may be %s", d.Format, other)
	case f&Dot != 0:
		d.Format = Dot
	case f&CommaDot != 0 && f&commaFormats != 0:
		d.Format = CommaDot
		other := DotComma
		if h.DecimalComma {
			d.Format, other = DotComma, CommaDot
		}
		d.Ambiguous = fmt.Sprintf("every comma has three digits behind it: read as %s, may be %s", d.Format, other)
	default:
		d.Format = f & -f
	}
}

func (c *Column) decideDate(h Hints) Decision {
	d := Decision{Type: Date}
	switch n := c.counts[kindStamp]; {
	case n == 0:
	case c.zones == 0:
		d.Type = Timestamp
	case c.zones == n && c.counts[kindDate] == 0:
		d.Type = TimestampTZ
	default:
		return Decision{Type: String}
	}
	if c.orders == 0 {
		return Decision{Type: String, Near: &Near{Type: d.Type}}
	}
	c.chooseOrder(&d, h)
	return d
}

// chooseOrder settles the order of day, month and year.
func (c *Column) chooseOrder(d *Decision, h Hints) {
	o := c.orders
	d.Compact = h.Compact
	switch {
	case h.Order != 0:
		d.Order = h.Order
		return
	case o&(o-1) == 0, o == anyOrder && !c.short:
		d.Order = o & -o
		return
	case h.DayFirst && !h.MonthFirst && o&DMY != 0:
		d.Order = DMY
		return
	case h.MonthFirst && !h.DayFirst && o&MDY != 0:
		d.Order = MDY
		return
	}
	best, least := DateOrder(0), int64(-1)
	for _, try := range []int{1, 2, 0} { // D/M/Y, M/D/Y, Y-M-D
		if o&(1<<try) != 0 && (least < 0 || c.backwards[try] < least) {
			best, least = 1<<try, c.backwards[try]
		}
	}
	d.Order = best
	for i := range numOrders {
		if other := DateOrder(1 << i); o&other != 0 && other != best {
			d.Ambiguous = fmt.Sprintf("no date tells day and month apart: read as %s, may be %s", best, other)
		}
	}
}
