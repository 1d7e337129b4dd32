package predicate

import (
	"fmt"
	"strings"
)

// The forms that MySQL alone needs. What is printed means the same as elsewhere
// where texts are compared by their bytes without padding, where the session is
// in UTC, and where quotes make texts: a source sees to that.

// nullSafe prints a comparison that takes NULL for a value.
func (p *printer) nullSafe(e *Compare) {
	if e.Op == Distinct {
		p.b.WriteString("NOT ")
	}
	p.b.WriteByte('(')
	p.expr(e.Left, rankOperand)
	p.b.WriteString(" <=> ")
	p.expr(e.Right, rankOperand)
	p.b.WriteByte(')')
}

// patternMySQL prints a constant pattern with an escape that is not the one of
// texts, whose meaning depends on the session.
func (p *printer) patternMySQL(e *Like, l *Literal) {
	if l == nil || l.Value == nil {
		p.refuse("LIKE with a computed pattern")
		return
	}
	const escape = '!'
	parts, _ := splitPattern(l.Value.(string), e.Escape)
	var b strings.Builder
	for _, part := range parts {
		if !part.wild && (part.r == '%' || part.r == '_' || part.r == escape) {
			b.WriteRune(escape)
		}
		b.WriteRune(part.r)
	}
	p.text(b.String())
	p.b.WriteString(" ESCAPE '!'")
}

// textMySQL prints a text with backslashes, which mean themselves in some
// sessions only.
func (p *printer) textMySQL(s string) {
	fmt.Fprintf(&p.b, "CONVERT(X'%X' USING utf8mb4)", s)
}
