package infer

import (
	"cmp"
	"fmt"
	"math/bits"
)

func (c *Column) decideDate(h Hints) Decision {
	d := Decision{Type: Date}
	switch n := c.counts[kindStamp]; {
	case n == 0:
	case c.zones == 0:
		d.Type = Timestamp
	case c.zones == n && c.counts[kindDate] == 0:
		d.Type = TimestampTZ
	case c.zones*2 > n+c.counts[kindDate]:
		d = mixedText(TimestampTZ, c.zoning, 2)
		d.Near.Misfit += c.counts[kindDate]
		d.Near.Places = append(d.Near.Places, c.places[kindDate]...)
		return d
	default:
		return mixedText(Timestamp, c.zoning, 1)
	}
	if c.orders == 0 {
		return mixedText(d.Type, c.dates, c.dates.commonest())
	}
	c.chooseOrder(&d, h)
	c.note(&d, h)
	return d
}

// note says what a reader of the dates should know.
func (c *Column) note(d *Decision, h Hints) {
	if h.Order != 0 && d.Order != h.Order && (c.orders != YMD || c.short) {
		_, odd := c.dates.without(uint8(h.Order))
		d.Note = fmt.Sprintf("not every date is %s: read as %s", h.Order, d.Order)
		d.NoteAt = odd[0]
	}
	if c.pivoted {
		if d.Note != "" {
			d.Note += "; "
		}
		d.Note += "years of two digits are read as 1969 to 2068"
	}
}

// forward is the order in which the dates run backwards least often.
func (c *Column) forward() DateOrder {
	best, least := DateOrder(0), int64(-1)
	for _, try := range []int{1, 2, 0} { // D/M/Y, M/D/Y, Y-M-D
		if c.orders&(1<<try) != 0 && (least < 0 || c.backwards[try] < least) {
			best, least = 1<<try, c.backwards[try]
		}
	}
	return best
}

// daySpan is from the first to the last of some days.
type daySpan struct {
	first, last int32
	seen        bool
}

func (s *daySpan) add(day int32) {
	if !s.seen {
		*s = daySpan{day, day, true}
	}
	s.first, s.last = min(s.first, day), max(s.last, day)
}

// dense returns the order in which the dates span less than a quarter of the days that any
// other order gives; 0 if there is no such order. Where a number is the same in all dates, they
// may as well be one day of each month as some days of one month: that tells nothing.
func (c *Column) dense() DateOrder {
	const times = 4
	if c.firsts.constant() {
		return 0
	}
	for i := range numOrders {
		near := c.orders&(1<<i) != 0
		for k := range numOrders {
			if k != i && c.orders&(1<<k) != 0 {
				span, other := c.spans[i], c.spans[k]
				near = near && (span.last-span.first)*times < other.last-other.first
			}
		}
		if near {
			return 1 << i
		}
	}
	return 0
}

// firsts notes whether dates of several years are all the first of some month in
// one order, and all in January in the other.
type firsts struct {
	among [2]uint16 // the values of the first and of the second number, as bits
	year  int       // of the first date, counted from 1
	years bool      // there is another year
}

func (f *firsts) add(st stamp) {
	if f.year == 0 {
		f.year = st.part[2] + 1
	}
	f.years = f.years || st.part[2]+1 != f.year
	for i := range f.among {
		f.among[i] |= 1 << min(st.part[i], 15)
	}
}

// order returns the possible order in which all dates are firsts of months, or 0.
// Fewer than four months may be days around New Year.
func (f *firsts) order(possible DateOrder) DateOrder {
	const one, enough = 1 << 1, 4
	switch first, second := f.among[0], f.among[1]; {
	case !f.years || possible&(DMY|MDY) != DMY|MDY:
	case first == one && bits.OnesCount16(second) >= enough:
		return DMY
	case second == one && bits.OnesCount16(first) >= enough:
		return MDY
	}
	return 0
}

// constant reports whether the first or the second number is the same in all dates.
func (f *firsts) constant() bool {
	return bits.OnesCount16(f.among[0]) == 1 || bits.OnesCount16(f.among[1]) == 1
}

// chooseOrder settles the order of day, month and year.
func (c *Column) chooseOrder(d *Decision, h Hints) {
	o := c.orders
	d.Compact = h.Compact
	switch {
	case o&h.Order != 0:
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
	best := cmp.Or(c.firsts.order(o), c.dense(), c.forward())
	d.Order = best
	for i := range numOrders {
		if other := DateOrder(1 << i); o&other != 0 && other != best {
			d.Ambiguous = fmt.Sprintf("the order of day and month is unclear in every date: read as %s, may be %s", best, other)
		}
	}
}
