package infer

import "bytes"

const microsPerSecond = 1_000_000

// scanTime parses a time of day, h:mm to hh:mm:ss.ffffff, optionally with AM or
// PM, and returns the remaining text.
func scanTime(s []byte) (micros int64, rest []byte, ok bool) {
	h, s, n := leadingInt(s, 2)
	if n == 0 || len(s) < 3 || s[0] != ':' {
		return 0, nil, false
	}
	m, s, n := leadingInt(s[1:], 2)
	if n != 2 || m > 59 {
		return 0, nil, false
	}
	sec := 0
	var frac int64
	if len(s) >= 3 && s[0] == ':' {
		if sec, s, n = leadingInt(s[1:], 2); n != 2 || sec > 59 {
			return 0, nil, false
		}
		if len(s) > 1 && (s[0] == '.' || s[0] == ',') {
			if frac, s, ok = fraction(s[1:]); !ok {
				return 0, nil, false
			}
		}
	}
	if h, s, ok = halfDay(h, s); !ok || h > 23 {
		return 0, nil, false
	}
	return (int64(h)*3600+int64(m)*60+int64(sec))*microsPerSecond + frac, s, true
}

// fraction parses a fraction of a second. Digits beyond microseconds must be
// zeros, so that no precision is lost.
func fraction(s []byte) (micros int64, rest []byte, ok bool) {
	n := 0
	for n < len(s) && s[n]-'0' <= 9 {
		switch {
		case n < 6:
			micros = micros*10 + int64(s[n]-'0')
		case s[n] != '0' || n >= 12:
			return 0, nil, false
		}
		n++
	}
	for i := n; i < 6; i++ {
		micros *= 10
	}
	return micros, s[n:], n > 0
}

// isFine reports whether a cell would be a timestamp if the digits beyond its
// microseconds were zeros.
func isFine(cell []byte) bool {
	i := bytes.LastIndexByte(cell, '.')
	if i < 0 || len(cell) > 40 || len(cell) < 15 || cell[0]-'0' > 9 {
		return false
	}
	plain := bytes.Clone(cell)
	for n := i + 7; n < len(plain) && plain[n]-'0' <= 9; n++ {
		plain[n] = '0'
	}
	st := scanDate(plain)
	return st.orders != 0 && st.hasTime
}

// halfDay applies AM or PM to the hour.
func halfDay(h int, s []byte) (hour int, rest []byte, ok bool) {
	t := bytes.TrimLeft(s, " ")
	if len(t) < 2 || t[1]|0x20 != 'm' {
		return h, s, true
	}
	pm := t[0]|0x20 == 'p'
	if !pm && t[0]|0x20 != 'a' || h < 1 || h > 12 {
		return h, s, false
	}
	h %= 12
	if pm {
		h += 12
	}
	return h, t[2:], true
}

// scanZone reads Z, UTC, +01, +0100 or +01:00, all of it.
func scanZone(s []byte) (seconds int, ok bool) {
	s = bytes.TrimLeft(s, " ")
	if len(s) == 1 && s[0]|0x20 == 'z' || equalFold(s, "UTC") || equalFold(s, "GMT") {
		return 0, true
	}
	if len(s) < 3 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	neg := s[0] == '-'
	s = s[1:]
	digit := make([]byte, 0, 4)
	for i, c := range s {
		if c == ':' && i == 2 && len(s) == 5 {
			continue
		}
		if c-'0' > 9 || len(digit) == 4 {
			return 0, false
		}
		digit = append(digit, c-'0')
	}
	switch len(digit) {
	case 2:
		digit = append(digit, 0, 0)
	case 4:
	default:
		return 0, false
	}
	h, m := int(digit[0]*10+digit[1]), int(digit[2]*10+digit[3])
	if h > 18 || m > 59 {
		return 0, false
	}
	seconds = h*3600 + m*60
	if neg {
		seconds = -seconds
	}
	return seconds, true
}
