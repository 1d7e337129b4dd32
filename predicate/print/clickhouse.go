package print

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/syntax"
)

// clickHouse is how ClickHouse is written.
var clickHouse = &dialect{
	nanGuard: " OR isNaN($1)", plainLists: true, strangeUUIDs: true, pattern: clickHousePattern,
	text:  func(b *strings.Builder, s string) { syntax.WriteBackslashed(b, s, '\'') },
	bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, "unhex('%X')", v) },
	float: exponentFloat, decimal: clickHouseDecimal, uuids: true, moment: clickHouseMoment,
}

// clickHousePattern prints a constant pattern. Its escape is the backslash.
func clickHousePattern(p *printer, e *predicate.Like, pattern predicate.Expr) {
	text, written := writtenPattern(pattern)
	if !written {
		p.refuse("LIKE with a computed pattern")
		return
	}
	text, _ = escapedPattern(text, e.Escape, '\\')
	p.text(text)
}

// clickHouseDecimal calls the type, since digits with a point are a float.
func clickHouseDecimal(p *printer, r *big.Rat, digits int, t predicate.Type) string {
	return fmt.Sprintf("toDecimal128('%s', %d)", strings.TrimSuffix(pointDecimal(p, r, digits, t), "."), digits)
}

// clickHouseMoment calls the types with the widest range. They keep to their ends what
// is outside.
func clickHouseMoment(p *printer, t predicate.Type, v time.Time) {
	if v.Year() < 1900 || v.Year() > 2299 {
		p.refuse("a date outside the years 1900 to 2299")
	}
	switch {
	case t.Kind == predicate.KindDate:
		fmt.Fprintf(&p.b, "toDate32('%s')", v.Format(dateLayout))
	case v.Nanosecond()%1000 == 0:
		fmt.Fprintf(&p.b, "toDateTime64('%s', 6, 'UTC')", v.Format(dateLayout+" 15:04:05.000000"))
	case v.Year() > 2261:
		p.refuse("a time in nanoseconds after the year 2261")
	default:
		fmt.Fprintf(&p.b, "toDateTime64('%s', 9, 'UTC')", v.Format(dateLayout+" 15:04:05.000000000"))
	}
}
