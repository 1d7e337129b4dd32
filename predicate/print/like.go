package print

import (
	"strings"

	"github.com/agnes-data/da/predicate"
)

// like prints LIKE. It rewrites a constant pattern with the escape character of
// the dialect.
func (p *printer) like(e *predicate.Like) {
	p.foreign(e.As, "matching without regard to case or padding")
	word := " LIKE "
	if e.IgnoreCase {
		word = " ILIKE "
	}
	if len(e.Patterns) > 1 || e.All {
		p.likeMany(e, word)
		return
	}
	if p.bounded(e, e.Patterns[0], e.Negated) {
		return
	}
	p.expr(e.X, rankOperand)
	p.b.WriteString(notWord(e.Negated))
	p.b.WriteString(word)
	p.d.pattern(p, e, e.Patterns[0])
}

// bounded prints the match with one pattern if the engine needs a special form
// for it.
func (p *printer) bounded(e *predicate.Like, pattern predicate.Expr, negated bool) bool {
	l, written := pattern.(*predicate.Literal)
	switch {
	case p.t.LikeForm == nil || written && l.Value == nil:
		return false
	case !written:
		p.refuse("LIKE with a pattern that is computed")
		return true
	}
	form := p.t.LikeForm(e.X, l.Value.(string), e.Escape, e.IgnoreCase, negated)
	if form != nil {
		p.expr(form, rankOperand)
	}
	return form != nil
}

// backslashPattern prints a pattern for an engine whose escape is the backslash
// unless another is named.
func backslashPattern(p *printer, e *predicate.Like, pattern predicate.Expr) {
	text, written := writtenPattern(pattern)
	switch {
	case written && e.Escape == '\\':
		p.text(text)
	case written:
		text, _ = escapedPattern(text, e.Escape, '\\')
		p.text(text)
	default:
		p.expr(pattern, rankOperand)
		if e.Escape != '\\' {
			p.escapeClause(e.Escape)
		}
	}
}

// writtenPattern returns the text of a constant pattern.
func writtenPattern(pattern predicate.Expr) (string, bool) {
	l, ok := pattern.(*predicate.Literal)
	if !ok || l.Value == nil {
		return "", false
	}
	return l.Value.(string), true
}

// Escaped rewrites a pattern with another escape character.
func Escaped(pattern string, from, to rune) string {
	text, _ := escapedPattern(pattern, from, to)
	return text
}

// escapedPattern rewrites a pattern with another escape character, and reports
// whether it uses that character.
func escapedPattern(pattern string, from, to rune) (text string, escaped bool) {
	parts, _ := predicate.SplitPattern(pattern, from)
	var b strings.Builder
	for _, part := range parts {
		if !part.Wild && (part.R == '%' || part.R == '_' || part.R == to) {
			b.WriteRune(to)
			escaped = true
		}
		b.WriteRune(part.R)
	}
	return b.String(), escaped
}

// escapeClause prints the ESCAPE of a pattern; 0: no escape.
func (p *printer) escapeClause(escape rune) {
	if !p.t.EscapeClause {
		p.refuse("LIKE with this escape character")
	}
	p.b.WriteString(" ESCAPE ")
	p.text(escapeText(escape))
}

func escapeText(r rune) string {
	if r == 0 {
		return ""
	}
	return string(r)
}

// likeMany prints LIKE ANY and LIKE ALL, as a chain if the dialect has neither.
func (p *printer) likeMany(e *predicate.Like, word string) {
	if !p.t.LikeAny {
		if !predicate.Repeatable([]predicate.Expr{e.X}) {
			p.refuse("LIKE ANY of a computed value")
			return
		}
		join := " OR "
		if e.All {
			join = " AND "
		}
		p.b.WriteByte('(')
		for i, pattern := range e.Patterns {
			if i > 0 {
				p.b.WriteString(join)
			}
			if p.bounded(e, pattern, false) {
				continue
			}
			p.expr(e.X, rankOperand)
			p.b.WriteString(word)
			p.d.pattern(p, e, pattern)
		}
		p.b.WriteByte(')')
		return
	}
	p.expr(e.X, rankOperand)
	quantifier := "ANY ("
	if e.All {
		quantifier = "ALL ("
	}
	p.b.WriteString(word + quantifier)
	for i, pattern := range e.Patterns {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.d.pattern(p, e, pattern)
	}
	p.b.WriteByte(')')
}
