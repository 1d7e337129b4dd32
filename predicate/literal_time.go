package predicate

import (
	"encoding/hex"
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// readDate reads 2026-01-31; year 1 to 9999.
func readDate(s string) (time.Time, bool) {
	parts := strings.Split(s, "-")
	if len(parts) != 3 || len(parts[0]) != 4 {
		return time.Time{}, false
	}
	var n [3]int
	for i, p := range parts {
		v, ok := digits(p, 1, 4)
		if !ok || i > 0 && len(p) > 2 {
			return time.Time{}, false
		}
		n[i] = v
	}
	t := time.Date(n[0], time.Month(n[1]), n[2], 0, 0, 0, 0, time.UTC)
	return t, n[0] > 0 && n[1] >= 1 && n[1] <= 12 && t.Day() == n[2] && t.Month() == time.Month(n[1])
}

// digits reads a number of least to most digits.
func digits(s string, least, most int) (int, bool) {
	if len(s) < least || len(s) > most {
		return 0, false
	}
	n := 0
	for i := 0; i < len(s); i++ {
		if !syntax.IsDigit(s[i]) {
			return 0, false
		}
		n = n*10 + int(s[i]-'0')
	}
	return n, true
}

// readTime reads 23:59[:59[.999999]] with at most so many digits behind the
// point.
func readTime(s string, most int) (time.Duration, bool) {
	whole, frac, hasFrac := strings.Cut(s, ".")
	parts := strings.Split(whole, ":")
	if len(parts) < 2 || len(parts) > 3 || hasFrac && len(parts) != 3 {
		return 0, false
	}
	limits := []int{23, 59, 59}
	units := []time.Duration{time.Hour, time.Minute, time.Second}
	var d time.Duration
	for i, p := range parts {
		n, ok := digits(p, 1, 2)
		if !ok || n > limits[i] {
			return 0, false
		}
		d += time.Duration(n) * units[i]
	}
	if !hasFrac {
		return d, true
	}
	n, ok := digits(frac, 1, max(most, 1))
	if most == 0 && n != 0 {
		return 0, false
	}
	if !ok {
		return 0, false
	}
	for range 9 - len(frac) {
		n *= 10
	}
	return d + time.Duration(n), true
}

// adaptTimestamp reads a date and time, with a zone where the type has one.
func (c *checker) adaptTimestamp(n *syntax.Node, text string, t Type) (Expr, error) {
	i := strings.IndexAny(text, " Tt")
	if i < 0 {
		d, ok := readDate(text)
		if !ok {
			return nil, c.badMoment(n, t, momentForm, "Write it as '2026-01-31 23:59:59'.")
		}
		return &Literal{Value: d, T: Type{Kind: t.Kind, Bits: t.Bits}}, nil
	}
	d, ok := readDate(text[:i])
	clock, zone := splitZone(strings.TrimLeft(text[i+1:], " "))
	tod, ok2 := readTime(clock, t.fraction())
	if !ok || !ok2 {
		return nil, c.badMoment(n, t, momentForm, "Write it as '2026-01-31 23:59:59'.")
	}
	at := d.Add(tod)
	if zone == "" {
		return &Literal{Value: at, T: Type{Kind: t.Kind, Bits: t.Bits}}, nil
	}
	if t.Kind != KindTimestamp {
		return nil, c.badMoment(n, t, "a text without a time zone", "This column has no time zone: leave the zone away.")
	}
	shift, ok := readOffset(zone)
	if !ok && zoneName(zone) {
		return c.inZone(n, text[:i]+" "+clock, zone)
	}
	if !ok {
		return nil, c.badMoment(n, t, momentForm, "Give the zone as an offset: '2026-01-31 23:59:59+01:00', or leave it away for UTC.")
	}
	return &Literal{Value: at.Add(-shift), T: Type{Kind: t.Kind, Bits: t.Bits}}, nil
}

const momentForm = "a text such as '2026-01-31 23:59:59'"

// badMoment is the fault of a text that is not a date and time of the type.
func (c *checker) badMoment(n *syntax.Node, t Type, expected, hint string) *syntax.Fault {
	return &syntax.Fault{Kind: api.KindBadLiteral, At: n.At, Found: syntax.Clip(n.Text), Expected: expected, Hint: hint,
		Msg: fmt.Sprintf("%s is not %s", c.snippet(n), t.describe())}
}

// fraction is how many digits behind the second's point the type has.
func (t Type) fraction() int {
	switch t.Bits {
	case secondBits:
		return 0
	case milliBits:
		return 3
	case nanoBits:
		return 9
	}
	return 6
}

// The widths by which DuckDB's timestamps of other precisions are distinguished.
const (
	secondBits = 61
	milliBits  = 62
	nanoBits   = 64
)

// inZone is a time in a named time zone, which only the engine can convert.
func (c *checker) inZone(n *syntax.Node, local, zone string) (Expr, error) {
	text := &syntax.Node{Kind: syntax.Typed, At: n.At, End: n.End, Text: local}
	at, err := c.adapt(text, Type{Kind: KindDateTime})
	if err != nil {
		return nil, err
	}
	name := &syntax.Node{Kind: syntax.String, At: n.At, End: n.End, Text: zone}
	args := []Expr{at, &Literal{Value: zone, T: Type{Kind: KindString}}}
	return c.callWith(n, operations().byID["datetime_at_zone"].cells[c.d.Name].names[0], []*syntax.Node{text, name}, args)
}

// zoneName recognises names such as Europe/Prague.
func zoneName(s string) bool {
	if s == "" || len(s) > 64 || s[0] < 'A' || s[0] > 'Z' || !strings.Contains(s, "/") {
		return false
	}
	for i := 0; i < len(s); i++ {
		if !syntax.IsWordByte(s[i]) && strings.IndexByte("+-/", s[i]) < 0 {
			return false
		}
	}
	return true
}

// splitZone separates a time of day from its time zone.
func splitZone(s string) (clock, zone string) {
	i := strings.IndexFunc(s, func(r rune) bool { return !syntax.IsDigit(byte(r)) && r != ':' && r != '.' })
	if i < 0 {
		return s, ""
	}
	return s[:i], strings.TrimSpace(s[i:])
}

// readOffset reads Z, UTC, +01, +01:30.
func readOffset(zone string) (time.Duration, bool) {
	switch strings.ToUpper(zone) {
	case "Z", "UTC":
		return 0, true
	}
	if zone[0] != '+' && zone[0] != '-' {
		return 0, false
	}
	hours, minutes, _ := strings.Cut(zone[1:], ":")
	h, ok := digits(hours, 1, 2)
	m := 0
	if ok && strings.Contains(zone, ":") {
		m, ok = digits(minutes, 2, 2)
	}
	if !ok || h > 14 || m > 59 {
		return 0, false
	}
	d := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute
	if zone[0] == '-' {
		d = -d
	}
	return d, true
}

// readUUID reads a UUID in its hyphenated form and returns it in lower case.
func readUUID(s string) (string, bool) {
	if len(s) != 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return "", false
	}
	s = syntax.Lower(s)
	_, err := hex.DecodeString(strings.ReplaceAll(s, "-", ""))
	return s, err == nil && strings.Count(s, "-") == 4
}
