package predicate

import (
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"
	"time"
)

func (p *printer) literal(l *Literal) {
	switch v := l.Value.(type) {
	case nil:
		p.b.WriteString("NULL")
	case bool:
		p.b.WriteString(strings.ToUpper(strconv.FormatBool(v)))
	case int64:
		p.signed(strconv.FormatInt(v, 10))
	case *big.Int:
		if p.d == GoogleSQL || p.d == MySQL {
			p.refuse("a whole number of more than 64 bits")
		}
		p.signed(v.String())
	case float64:
		p.float(v)
	case *big.Rat:
		p.decimal(l, v)
	case string:
		if l.T.Kind == KindUUID {
			p.typed("UUID", v)
			return
		}
		p.text(v)
	case []byte:
		p.bytes(v)
	case time.Time:
		p.moment(l.T, v)
	case time.Duration:
		p.typed("TIME", clockText(time.Time{}.Add(v)))
	case Interval:
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

// float prints the shortest digits that give the same number, in a form that
// the engine reads as a float.
func (p *printer) float(f float64) {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(f, 'e', -1, 64), "e")
	n, _ := strconv.Atoi(exponent)
	s := mantissa + "e" + strconv.Itoa(n)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		p.refuse("a float that is not a number")
	case p.d == Postgres:
		p.b.WriteString("CAST('" + s + "' AS DOUBLE PRECISION)")
	case p.d == GoogleSQL && n > -5 && n < 16:
		s = strconv.FormatFloat(f, 'f', -1, 64)
		if !strings.Contains(s, ".") {
			s += ".0"
		}
		p.signed(s)
	default:
		p.signed(s)
	}
}

// decimal prints all digits.
func (p *printer) decimal(l *Literal, r *big.Rat) {
	digits, exact := r.FloatPrec()
	if !exact {
		p.refuse("this decimal")
		return
	}
	digits = max(digits, l.T.Scale)
	s := r.FloatString(digits)
	if p.d == GoogleSQL {
		word := "NUMERIC"
		if !fitsDecimal(r, 29, 9) || l.T.Precision > 38 {
			word = "BIGNUMERIC"
		}
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
		if digits == 0 {
			s = r.FloatString(0)
		}
		if !fitsDecimal(r, 38, 38) {
			p.refuse("a decimal of that many digits")
		}
		p.b.WriteString(word + " '" + s + "'")
		return
	}
	if (p.d == DuckDB || p.d == MySQL) && len(strings.Trim(strings.Replace(s, ".", "", 1), "-0")) > 38 {
		p.refuse("a decimal of more than 38 digits")
	}
	if digits == 0 && p.d == Postgres {
		s += "e0" // without it, it would be an integer
	} else if digits == 0 {
		s += "."
	}
	p.signed(s)
}

// text prints a string literal that means the same whatever the engine's
// settings are.
func (p *printer) text(s string) {
	if p.d == GoogleSQL {
		p.b.WriteByte('\'')
		writeGoogleEscaped(&p.b, s, '\'')
		p.b.WriteByte('\'')
		return
	}
	if strings.IndexByte(s, 0) >= 0 {
		p.refuse("a text with a NUL character")
	}
	if p.d == MySQL && strings.IndexByte(s, '\\') >= 0 {
		p.textMySQL(s)
		return
	}
	if p.d == Postgres && strings.IndexByte(s, '\\') >= 0 {
		p.b.WriteString("E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'")
		return
	}
	p.b.WriteString("'" + strings.ReplaceAll(s, "'", "''") + "'")
}

func (p *printer) bytes(v []byte) {
	switch p.d {
	case GoogleSQL:
		p.b.WriteString("b'")
		for _, c := range v {
			fmt.Fprintf(&p.b, `\x%02x`, c)
		}
		p.b.WriteByte('\'')
	case MySQL:
		fmt.Fprintf(&p.b, "X'%X'", v)
	case Postgres:
		fmt.Fprintf(&p.b, `CAST(E'\\x%x' AS BYTEA)`, v)
	default:
		p.b.WriteString("CAST('")
		for _, c := range v {
			fmt.Fprintf(&p.b, `\x%02X`, c)
		}
		p.b.WriteString("' AS BLOB)")
	}
}

// typed prints a literal with its type before it; casts need no type word that
// an engine could take for something else.
func (p *printer) typed(word, s string) {
	if word == "UUID" {
		if p.d == GoogleSQL || p.d == MySQL {
			p.refuse("a UUID")
		}
		p.b.WriteString("CAST('" + s + "' AS UUID)")
		return
	}
	p.b.WriteString(word + " '" + s + "'")
}

func clockText(t time.Time) string {
	return trimFraction(t.Format("15:04:05.000000000"))
}

// trimFraction leaves at least whole seconds.
func trimFraction(s string) string {
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

func (p *printer) moment(t Type, v time.Time) {
	day := v.Format("2006-01-02")
	if p.d == MySQL && (v.Year() < 1 || v.Year() > 9999) {
		p.refuse("a date outside the years 1 to 9999")
	}
	if t.Kind == KindDate {
		p.typed("DATE", day)
		return
	}
	clock := v.Format("15:04:05")
	if v.Nanosecond() != 0 {
		clock = clockText(v)
	}
	if v.Nanosecond()%1000 != 0 && p.d != DuckDB {
		p.refuse("a time in nanoseconds")
	}
	switch {
	case t.Kind == KindTimestamp && p.d == GoogleSQL:
		p.typed("TIMESTAMP", day+" "+clock+"+00")
	case t.Kind == KindTimestamp && p.d == MySQL: // the session is in UTC
		p.typed("TIMESTAMP", day+" "+clock)
	case t.Kind == KindTimestamp:
		p.typed("TIMESTAMPTZ", day+" "+clock+"+00")
	case p.d == GoogleSQL:
		p.typed("DATETIME", day+" "+clock)
	case v.Nanosecond()%1000 != 0:
		p.typed("TIMESTAMP_NS", day+" "+clock)
	default:
		p.typed("TIMESTAMP", day+" "+clock)
	}
}

// interval prints all three parts, or the one that is there in GoogleSQL.
func (p *printer) interval(iv Interval) {
	if p.d == MySQL {
		p.refuse("an interval")
	}
	if p.d != GoogleSQL {
		p.b.WriteString("INTERVAL '" + iv.text() + "'")
		return
	}
	switch {
	case iv.Days == 0 && iv.Micros == 0 && iv.Months != 0:
		fmt.Fprintf(&p.b, "INTERVAL %d MONTH", iv.Months)
	case iv.Months == 0 && iv.Micros == 0:
		fmt.Fprintf(&p.b, "INTERVAL %d DAY", iv.Days)
	case iv.Months == 0 && iv.Days == 0 && iv.Micros%1e6 == 0:
		fmt.Fprintf(&p.b, "INTERVAL %d SECOND", iv.Micros/1e6)
	default:
		p.b.WriteString("INTERVAL '" + iv.googleText() + "' YEAR TO SECOND")
	}
}

// clock prints the time of the request: the function, or its value where the
// environment has one.
func (p *printer) clock(c *Clock) {
	if p.env.Now.IsZero() {
		word := clockSpelling[p.d][c.Which]
		p.b.WriteString(word)
		return
	}
	now := p.env.Now.UTC().Truncate(time.Microsecond)
	y, m, d := now.Date()
	midnight := time.Date(y, m, d, 0, 0, 0, 0, time.UTC)
	switch c.Which {
	case ClockDate:
		p.moment(Type{Kind: KindDate}, now)
	case ClockTime:
		p.typed("TIME", clockText(time.Time{}.Add(now.Sub(midnight))))
	default:
		p.moment(c.T, now)
	}
}

var clockSpelling = map[Dialect]map[ClockKind]string{
	DuckDB:    {ClockDate: "current_date()", ClockTimestamp: "now()", ClockDateTime: "current_localtimestamp()", ClockTime: "current_localtime()"},
	Postgres:  {ClockDate: "CURRENT_DATE", ClockTimestamp: "now()", ClockDateTime: "LOCALTIMESTAMP", ClockTime: "LOCALTIME"},
	MySQL:     {ClockDate: "UTC_DATE()", ClockTimestamp: "UTC_TIMESTAMP(6)", ClockDateTime: "UTC_TIMESTAMP(6)", ClockTime: "UTC_TIME(6)"},
	GoogleSQL: {ClockDate: "CURRENT_DATE()", ClockTimestamp: "CURRENT_TIMESTAMP()", ClockDateTime: "CURRENT_DATETIME()", ClockTime: "CURRENT_TIME()"},
}
