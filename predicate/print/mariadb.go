package print

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/predicate"
)

// mySQL is how MariaDB is written.
var mySQL = &dialect{
	nullSafeEqual: true, pattern: namedEscape,
	text: mysqlText, bytes: func(b *strings.Builder, v []byte) { fmt.Fprintf(b, "X'%X'", v) }, float: exponentFloat, decimal: pointDecimal,
	datetimeWord: "TIMESTAMP", timestampWord: "TIMESTAMP", fourDigitYears: true,
}

// namedEscape prints a constant pattern with its own escape character, where the
// meaning of a backslash depends on the session, or there is no other.
func namedEscape(p *printer, e *predicate.Like, pattern predicate.Expr) {
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
