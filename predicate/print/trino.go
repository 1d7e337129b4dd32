package print

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/agnes-data/da/predicate"
)

// trino is how Trino is written.
var trino = &dialect{
	nanGuard: " OR is_nan($1)", noTruthTests: true, pattern: namedEscape,
	element: func(*strings.Builder, predicate.Step) bool { return false }, // an element that is not there fails
	text:    quotedText, bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, "X'%X'", v) }, float: exponentFloat,
	decimal: func(p *printer, r *big.Rat, digits int, t predicate.Type) string {
		return "DECIMAL '" + pointDecimal(p, r, digits, t) + "'"
	},
	uuids: true, datetimeWord: "TIMESTAMP", timestampWord: "TIMESTAMP", timestampZone: " UTC", nanosecondWord: "TIMESTAMP",
	fourDigitYears: true,
}
