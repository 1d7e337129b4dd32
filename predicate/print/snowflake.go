package print

import (
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/syntax"
)

// snowflake is how Snowflake is written. Times are texts that are cast: their form is
// that of its input formats AUTO, which the source sets.
var snowflake = &dialect{
	nanGuard: " AND $1 <> 'NaN'::FLOAT", noTruthTests: true, pattern: namedEscape,
	text:  func(b *strings.Builder, s string) { syntax.WriteBackslashed(b, s, '\'') },
	bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, "X'%X'", v) },
	float: func(f float64) string { return exponentFloat(f) + "::FLOAT" }, decimal: pointDecimal,
	element: func(*strings.Builder, predicate.Step) bool { return false }, // of a VARIANT, which travels as JSON
	moment:  snowflakeMoment,
}

func snowflakeMoment(p *printer, t predicate.Type, v time.Time) {
	if v.Year() < 1 || v.Year() > 9999 {
		p.refuse("a date outside the years 1 to 9999")
	}
	layout, typ := dateLayout+" "+clockLayout, "TIMESTAMP_NTZ"
	switch t.Kind {
	case predicate.KindDate:
		layout, typ = dateLayout, "DATE"
	case predicate.KindTimestamp:
		layout, typ = layout+" +00:00", "TIMESTAMP_TZ"
	}
	fmt.Fprintf(&p.b, "'%s'::%s", v.UTC().Format(layout), typ)
}
