package infer

import (
	"bytes"
	"time"
)

// DateOrder is the order of day, month and year. Values are bits, so that a
// column can record which orders all its cells allow.
type DateOrder uint8

// The orders, likeliest first.
const (
	YMD DateOrder = 1 << iota
	DMY
	MDY
	numOrders = 3

	anyOrder DateOrder = 1<<numOrders - 1
)

// String shows the order.
func (o DateOrder) String() string {
	switch o {
	case YMD:
		return "Y-M-D"
	case DMY:
		return "D/M/Y"
	case MDY:
		return "M/D/Y"
	}
	return ""
}

// stamp is the result of scanDate for a cell. Days and micros are for the
// requested order.
type stamp struct {
	orders  DateOrder // orders that the cell allows; 0 if it is not a date
	hasTime bool
	hasZone bool
	short   bool // the year has two digits
	named   bool // the month is a name
	pivoted bool // the year had two digits and was completed
	part    [3]int
	clock   int64 // microseconds since midnight
	offset  int   // seconds east of UTC
}

// days returns the date as days since 1970-01-01 in the given order.
func (st *stamp) days(o DateOrder) int32 {
	y, m, d := st.part[0], st.part[1], st.part[2]
	switch {
	case st.named: // kept in this order
	case o == DMY:
		d, m, y = st.part[0], st.part[1], st.part[2]
	case o == MDY:
		m, d, y = st.part[0], st.part[1], st.part[2]
	}
	return daysOf(fullYear(y, st.short), m, d)
}

// fullYear completes a year of two digits as POSIX does: 69 is 1969.
func fullYear(y int, short bool) int {
	switch {
	case !short:
		return y
	case y >= 69:
		return 1900 + y
	}
	return 2000 + y
}

func daysOf(y, m, d int) int32 {
	return int32(time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC).Unix() / 86400)
}

func validDay(y, m, d int) bool {
	if m < 1 || m > 12 || d < 1 || d > 31 || y < 1 {
		return false
	}
	switch m {
	case 4, 6, 9, 11:
		return d <= 30
	case 2:
		leap := y%4 == 0 && (y%100 != 0 || y%400 == 0)
		return d <= 28 || leap && d == 29
	}
	return true
}

// scanDate reads a date, with a time of day or without.
func scanDate(s []byte) (st stamp) {
	rest, ok := st.date(s)
	if !ok {
		return stamp{}
	}
	if len(rest) == 0 {
		return st
	}
	if rest[0] != ' ' && rest[0] != 'T' && rest[0] != 't' {
		return stamp{}
	}
	rest = bytes.TrimLeft(rest[1:], " ")
	micros, zone, ok := scanTime(rest)
	if !ok {
		return stamp{}
	}
	st.hasTime, st.clock = true, micros
	if len(zone) > 0 {
		if st.offset, ok = scanZone(zone); !ok {
			return stamp{}
		}
		st.hasZone = true
	}
	return st
}

// date reads the day, month and year at the start of s.
func (st *stamp) date(s []byte) (rest []byte, ok bool) {
	if c := s[0]; c > '9' { // October 5, 2024, also behind a weekday
		return st.namedFirst(s)
	}
	a, s1, n1 := leadingInt(s, 4)
	if n1 == 0 || n1 == 3 || len(s1) < 3 {
		return nil, false
	}
	sep := s1[0]
	if sep != '-' && sep != '/' && sep != '.' && sep != ' ' {
		return nil, false
	}
	s1 = s1[1:]
	if sep == '.' && s1[0] == ' ' { // 1. 2. 2024
		s1 = s1[1:]
	}
	if len(s1) == 0 {
		return nil, false
	}
	if s1[0] > '9' {
		return st.namedMiddle(a, n1, s1)
	}
	if sep == ' ' {
		return nil, false
	}
	b, s2, n2 := leadingInt(s1, 2)
	if n2 == 0 || len(s2) < 2 || s2[0] != sep {
		return nil, false
	}
	s2 = s2[1:]
	if sep == '.' && s2[0] == ' ' {
		s2 = s2[1:]
	}
	c, rest, n3 := leadingInt(s2, 4)
	st.part = [3]int{a, b, c}
	return rest, st.judge(n1, n2, n3, sep)
}

// judge decides which orders three numbers of the given lengths allow.
func (st *stamp) judge(n1, n2, n3 int, sep byte) bool {
	a, b, c := st.part[0], st.part[1], st.part[2]
	switch {
	case n1 == 4 && n3 > 0 && n3 <= 2:
		if validDay(a, b, c) {
			st.orders = YMD
		}
	case n1 <= 2 && n3 == 4:
		if validDay(c, b, a) {
			st.orders |= DMY
		}
		if sep != '.' && validDay(c, a, b) {
			st.orders |= MDY
		}
	case n1 <= 2 && n3 == 2 && (sep != '.' || n1 == 2 && n2 == 2):
		st.short = true
		if validDay(fullYear(c, true), b, a) {
			st.orders |= DMY
		}
		if sep != '.' && validDay(fullYear(c, true), a, b) {
			st.orders |= MDY
		}
		if n1 == 2 && n2 == 2 && sep == '-' && validDay(fullYear(a, true), b, c) {
			st.orders |= YMD
		}
	}
	return st.orders != 0
}

// namedMiddle parses what follows the day or year in 5 Oct 2024, 5-Oct-24 or
// 2024-Oct-05.
func (st *stamp) namedMiddle(a, n1 int, s []byte) (rest []byte, ok bool) {
	m, s := monthName(s)
	if m == 0 || len(s) < 2 {
		return nil, false
	}
	s = bytes.TrimLeft(s[1:], " ")
	c, rest, n3 := leadingInt(s, 4)
	st.named = true
	st.part = [3]int{a, m, c}
	switch {
	case n1 == 4 && n3 > 0 && n3 <= 2 && validDay(a, m, c):
		st.orders = anyOrder
	case n1 <= 2 && n3 == 4 && validDay(c, m, a):
		st.orders, st.part = anyOrder, [3]int{c, m, a}
	case n1 <= 2 && n3 == 2 && validDay(fullYear(c, true), m, a):
		st.orders, st.part, st.pivoted = anyOrder, [3]int{fullYear(c, true), m, a}, true
	}
	return rest, st.orders != 0
}

// namedFirst reads Oct 5, 2024 and Sat, 5 Oct 2024.
func (st *stamp) namedFirst(s []byte) (rest []byte, ok bool) {
	m, s1 := monthName(s)
	if m == 0 {
		i := bytes.IndexByte(s, ' ')
		if i < 3 || i > 10 || !weekday(s[:3]) || len(s) < i+6 {
			return nil, false
		}
		s = bytes.TrimLeft(s[i:], " ")
		if len(s) > 0 && s[0] <= '9' {
			return st.date(s)
		}
		if m, s1 = monthName(s); m == 0 {
			return nil, false
		}
	}
	if len(s1) < 4 || s1[0] != ' ' {
		return nil, false
	}
	d, s1, n := leadingInt(s1[1:], 2)
	if n == 0 || len(s1) < 2 {
		return nil, false
	}
	s1 = bytes.TrimLeft(bytes.TrimPrefix(s1, []byte(",")), " ")
	y, rest, n := leadingInt(s1, 4)
	if n != 4 || !validDay(y, m, d) {
		return nil, false
	}
	st.named, st.orders, st.part = true, anyOrder, [3]int{y, m, d}
	return rest, true
}

// leadingInt reads up to most digits; n is how many there were, 0 also if
// there were more.
func leadingInt(s []byte, most int) (v int, rest []byte, n int) {
	for n < len(s) && s[n]-'0' <= 9 {
		if n == most {
			return 0, s, 0
		}
		v = v*10 + int(s[n]-'0')
		n++
	}
	return v, s[n:], n
}

// monthName parses an English month, abbreviated or in full, at the start of s.
func monthName(s []byte) (m int, rest []byte) {
	n := 0
	for n < len(s) && (s[n]|0x20)-'a' < 26 {
		n++
	}
	if n < 3 || n > 9 {
		return 0, s
	}
	for i := time.January; i <= time.December; i++ {
		name := i.String()
		if n == 3 && equalFold(s[:3], name[:3]) || n == 4 && i == time.September && equalFold(s[:4], "sept") || equalFold(s[:n], name) {
			rest = s[n:]
			if n == 3 && len(rest) > 1 && rest[0] == '.' {
				rest = rest[1:]
			}
			return int(i), rest
		}
	}
	return 0, s
}

func weekday(s []byte) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if equalFold(s, d.String()[:3]) {
			return true
		}
	}
	return false
}

// equalFold compares ASCII without regard to case.
func equalFold(b []byte, s string) bool {
	if len(b) != len(s) {
		return false
	}
	for i := range b {
		x, y := b[i], s[i]
		if x != y && (x^y != 0x20 || (x|0x20)-'a' >= 26) {
			return false
		}
	}
	return true
}
