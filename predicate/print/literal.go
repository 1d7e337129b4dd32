package print

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/syntax"
)

func (p *printer) literal(l *predicate.Literal) {
	switch v := l.Value.(type) {
	case nil:
		p.b.WriteString("NULL")
	case bool:
		p.b.WriteString(strings.ToUpper(strconv.FormatBool(v)))
	case int64:
		p.signed(strconv.FormatInt(v, 10))
	case *big.Int:
		if !p.d.bigIntegers {
			p.refuse("a whole number of more than 64 bits")
		}
		p.signed(v.String())
	case float64:
		p.float(v)
	case *big.Rat:
		p.decimal(l, v)
	case string:
		if l.T.Kind == predicate.KindUUID {
			if !p.d.uuids {
				p.refuse("a UUID")
			}
			p.b.WriteString("CAST('" + v + "' AS UUID)")
			return
		}
		p.text(v)
	case []byte:
		p.d.bytes(&p.b, v)
	case time.Time:
		p.moment(l.T, v)
	case time.Duration:
		p.typed("TIME", time.Time{}.Add(v), clockLayout, "")
	case predicate.Interval:
		p.interval(v)
	}
}

// signed puts a negative number in parentheses: two minus signs in a row would
// be a comment.
func (p *printer) signed(s string) {
	if strings.HasPrefix(s, "-") {
		s = "(" + s + ")"
	}
	p.b.WriteString(s)
}

// float prints the shortest digits that give the same number, in a form that the
// engine parses as a float.
func (p *printer) float(f float64) {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		p.refuse("a float that is not a number")
		return
	}
	p.signed(p.d.float(f))
}

// exponentFloat writes 150 as 1.5e2.
func exponentFloat(f float64) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	return mantissa + "e" + strconv.Itoa(n)
}

// decimal prints all digits.
func (p *printer) decimal(l *predicate.Literal, r *big.Rat) {
	digits, exact := r.FloatPrec()
	if !exact {
		p.refuse("this decimal")
		return
	}
	p.signed(p.d.decimal(p, r, max(digits, l.T.Scale), l.T))
}

// pointDecimal writes a decimal of at most 38 digits with a point, which
// distinguishes it from an integer. Zeros count: one of more digits would be a float.
func pointDecimal(p *printer, r *big.Rat, digits int, _ predicate.Type) string {
	s := r.FloatString(digits)
	if len(strings.Replace(strings.TrimPrefix(s, "-"), ".", "", 1)) > 38 {
		p.refuse("a decimal of more than 38 digits")
	}
	if digits == 0 {
		s += "."
	}
	return s
}

// text prints a string literal that does not depend on the engine's settings.
func (p *printer) text(s string) {
	if !p.t.NulText && strings.IndexByte(s, 0) >= 0 {
		p.refuse("a text with a NUL character")
	}
	p.d.text(&p.b, s)
}

// quotedText is the standard SQL form of a text.
func quotedText(b *strings.Builder, s string) {
	syntax.WriteDoubled(b, s, '\'')
}

// The layouts of dates and times; a fraction ends with its last digit.
const (
	dateLayout  = "2006-01-02"
	clockLayout = "15:04:05.999999999"
)

// typed prints a date or time with its type before it and its zone behind it.
func (p *printer) typed(word string, t time.Time, layout, zone string) {
	var room [len(dateLayout + " " + clockLayout)]byte
	p.b.WriteString(word)
	p.b.WriteString(" '")
	p.b.Write(t.AppendFormat(room[:0], layout))
	p.b.WriteString(zone)
	p.b.WriteByte('\'')
}

func (p *printer) moment(t predicate.Type, v time.Time) {
	if p.d.moment != nil {
		p.d.moment(p, t, v)
		return
	}
	if p.d.fourDigitYears && (v.Year() < 1 || v.Year() > 9999) {
		p.refuse("a date outside the years 1 to 9999")
	}
	if t.Kind == predicate.KindDate {
		p.typed("DATE", v, dateLayout, "")
		return
	}
	nanoseconds := v.Nanosecond()%1000 != 0
	if nanoseconds && p.d.nanosecondWord == "" {
		p.refuse("a time in nanoseconds")
	}
	switch {
	case t.Kind == predicate.KindTimestamp:
		p.typed(p.d.timestampWord, v, dateLayout+" "+clockLayout, p.d.timestampZone)
	case nanoseconds:
		p.typed(p.d.nanosecondWord, v, dateLayout+" "+clockLayout, "")
	default:
		p.typed(p.d.datetimeWord, v, dateLayout+" "+clockLayout, "")
	}
}

// interval prints a constant interval.
func (p *printer) interval(iv predicate.Interval) {
	if p.d.interval == nil {
		p.refuse("an interval")
		return
	}
	p.d.interval(&p.b, iv)
}

// textInterval writes an interval as one text with all its units.
func textInterval(b *strings.Builder, iv predicate.Interval) {
	b.WriteString("INTERVAL '" + iv.Text() + "'")
}

// clock prints the time of the request: the function, or its value where the
// environment has one.
func (p *printer) clock(c *predicate.Clock) {
	if p.env.Now.IsZero() {
		word := p.t.ClockSpelling[c.Which]
		p.b.WriteString(word)
		return
	}
	now := p.env.Now.UTC().Truncate(time.Microsecond)
	y, m, d := now.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	switch c.Which {
	case predicate.ClockDate:
		p.moment(predicate.Type{Kind: predicate.KindDate}, now)
	case predicate.ClockTime:
		p.typed("TIME", time.Time{}.Add(now.Sub(midnight)), clockLayout, "")
	default:
		p.moment(c.T, now)
	}
}
