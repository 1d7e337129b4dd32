package print

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/syntax"
)

// googleSQL is how GoogleSQL is written.
var googleSQL = &dialect{
	nanGuard: " OR $1 <> $1",
	element:  googleElement, pattern: backslashPattern,
	text: googleText, bytes: googleBytes, float: googleFloat, decimal: googleDecimal,
	datetimeWord: "DATETIME", timestampWord: "TIMESTAMP", timestampZone: "+00", interval: googleInterval,
}

func googleText(b *strings.Builder, s string) {
	b.WriteByte('\'')
	syntax.WriteEscaped(b, s, '\'')
	b.WriteByte('\'')
}

func googleBytes(b *strings.Builder, v []byte) {
	b.WriteString("b'")
	for _, c := range v {
		fmt.Fprintf(b, `\x%02x`, c)
	}
	b.WriteByte('\'')
}

func googleElement(b *strings.Builder, s predicate.Step) bool {
	switch {
	case s.Mode == predicate.Offset:
		fmt.Fprintf(b, "[OFFSET(%d)]", s.Index)
	case s.Mode == predicate.SafeOffset:
		fmt.Fprintf(b, "[SAFE_OFFSET(%d)]", s.Index)
	case s.Mode == predicate.OneBased && s.Index > 0:
		fmt.Fprintf(b, "[SAFE_OFFSET(%d)]", s.Index-1)
	default:
		return false
	}
	return true
}

// googleFloat writes numbers of common sizes without an exponent.
func googleFloat(f float64) string {
	s := exponentFloat(f)
	_, exponent, _ := strings.Cut(s, "e")
	if n, _ := strconv.Atoi(exponent); n <= -5 || n >= 16 {
		return s
	}
	if s = strconv.FormatFloat(f, 'f', -1, 64); !strings.Contains(s, ".") {
		s += ".0"
	}
	return s
}

func googleDecimal(p *printer, r *big.Rat, digits int, t predicate.Type) string {
	word := "NUMERIC"
	if !predicate.FitsDecimal(r, 29, 9) || t.Precision > 38 {
		word = "BIGNUMERIC"
	}
	if !predicate.FitsDecimal(r, 38, 38) {
		p.refuse("a decimal of that many digits")
	}
	s := r.FloatString(digits)
	if digits > 0 {
		s = strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
	}
	return word + " '" + s + "'"
}

// googleInterval writes the one unit that is there, or all of them.
func googleInterval(b *strings.Builder, iv predicate.Interval) {
	switch {
	case iv.Days == 0 && iv.Micros == 0 && iv.Months != 0:
		fmt.Fprintf(b, "INTERVAL %d MONTH", iv.Months)
	case iv.Months == 0 && iv.Micros == 0:
		fmt.Fprintf(b, "INTERVAL %d DAY", iv.Days)
	case iv.Months == 0 && iv.Days == 0 && iv.Micros%1e6 == 0:
		fmt.Fprintf(b, "INTERVAL %d SECOND", iv.Micros/1e6)
	default:
		b.WriteString("INTERVAL '" + googleIntervalText(iv) + "' YEAR TO SECOND")
	}
}

// googleIntervalText writes the interval for YEAR TO SECOND.
func googleIntervalText(iv predicate.Interval) string {
	sign := func(n int64) (string, int64) {
		if n < 0 {
			return "-", -n
		}
		return "", n
	}
	ms, m := sign(iv.Months)
	us, u := sign(iv.Micros)
	return fmt.Sprintf("%s%d-%d %d %s%d:%d:%d.%06d", ms, m/12, m%12, iv.Days, us, u/3600e6, u/60e6%60, u/1e6%60, u%1e6)
}
