package print

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/agnes-data/da/predicate"
)

// postgreSQL is how PostgreSQL is written.
var postgreSQL = &dialect{
	nanGuard: " AND $1 <> CAST('NaN' AS DOUBLE PRECISION)",
	element:  postgresElement, pattern: backslashPattern,
	text:  postgresText,
	bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, `CAST(E'\\x%x' AS BYTEA)`, v) },
	float: func(f float64) string { return "CAST('" + exponentFloat(f) + "' AS DOUBLE PRECISION)" }, decimal: postgresDecimal,
	bigIntegers: true, uuids: true,
	datetimeWord: "TIMESTAMP", timestampWord: "TIMESTAMPTZ", timestampZone: "+00", interval: textInterval,
}

func postgresElement(b *strings.Builder, s predicate.Step) bool {
	fmt.Fprintf(b, "[%d]", s.Index)
	return s.Mode == predicate.Subscript
}

// postgresText escapes backslashes, which mean themselves in some sessions only.
func postgresText(b *strings.Builder, s string) {
	if strings.IndexByte(s, '\\') < 0 {
		quotedText(b, s)
		return
	}
	b.WriteString("E'" + strings.NewReplacer(`\`, `\\`, `'`, `''`).Replace(s) + "'")
}

func postgresDecimal(_ *printer, r *big.Rat, digits int, _ predicate.Type) string {
	s := r.FloatString(digits)
	if digits == 0 {
		s += "e0" // without it, it would be an integer
	}
	return s
}
