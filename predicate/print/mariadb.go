package print

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/predicate"
)

// mySQL is how MariaDB is written.
var mySQL = &dialect{
	nullSafeEqual: true, pattern: mysqlPattern,
	text: mysqlText, bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, "X'%X'", v) }, float: exponentFloat, decimal: pointDecimal,
	datetimeWord: "TIMESTAMP", timestampWord: "TIMESTAMP", fourDigitYears: true,
}

// mysqlPattern prints a constant pattern with its own escape character, because
// the meaning of a backslash depends on the session.
func mysqlPattern(p *printer, e *predicate.Like, pattern predicate.Expr) {
	text, written := writtenPattern(pattern)
	if !written {
		p.refuse("LIKE with a computed pattern")
		return
	}
	text, _ = escapedPattern(text, e.Escape, '!')
	p.text(text)
	p.b.WriteString(" ESCAPE '!'")
}

// mysqlText writes a text with backslashes as bytes, because only some sessions
// treat a backslash literally.
func mysqlText(b *strings.Builder, s string) {
	if strings.IndexByte(s, '\\') < 0 {
		quotedText(b, s)
		return
	}
	fmt.Fprintf(b, "CONVERT(X'%X' USING utf8mb4)", s)
}
