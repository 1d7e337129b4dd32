package predicate

import "strings"

// like prints the matching of patterns. A constant pattern is read and written
// anew with the escape of the dialect.
func (p *printer) like(e *Like) {
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
	p.b.WriteString(notWord(e.Negated) + word)
	p.pattern(e, e.Patterns[0])
}

// bounded prints the match with one pattern, if it needs a form of its own.
func (p *printer) bounded(e *Like, pattern Expr, negated bool) bool {
	l, written := pattern.(*Literal)
	switch {
	case p.d != DuckDB || written && l.Value == nil:
		return false
	case !written:
		p.refuse("LIKE with a pattern that is computed")
		return true
	}
	form := bounded(e.X, l.Value.(string), e.Escape, e.IgnoreCase, negated)
	if form != nil {
		p.expr(form, rankOperand)
	}
	return form != nil
}

// pattern prints one pattern and its escape.
func (p *printer) pattern(e *Like, pattern Expr) {
	l, ok := pattern.(*Literal)
	if p.d == MySQL {
		p.patternMySQL(e, l)
		return
	}
	if ok && l.Value != nil && p.d != DuckDB && e.Escape == '\\' {
		p.text(l.Value.(string))
		return
	}
	if ok && l.Value != nil {
		parts, _ := splitPattern(l.Value.(string), e.Escape)
		const escape = '\\'
		var b strings.Builder
		escaped := false
		for _, part := range parts {
			if !part.wild && (part.r == '%' || part.r == '_' || part.r == escape) {
				b.WriteRune(escape)
				escaped = true
			}
			b.WriteRune(part.r)
		}
		if !escaped && p.d == DuckDB {
			p.text(b.String())
			return
		}
		p.text(b.String())
		if p.d == DuckDB {
			p.b.WriteString(` ESCAPE '\'`)
		}
		return
	}
	p.expr(pattern, rankOperand)
	switch {
	case p.d == GoogleSQL && e.Escape != '\\':
		p.refuse("LIKE with this escape character")
	case p.d == Postgres && e.Escape != '\\':
		p.b.WriteString(" ESCAPE ")
		p.text(escapeText(e.Escape))
	case p.d == DuckDB && e.Escape != 0:
		p.b.WriteString(" ESCAPE ")
		p.text(escapeText(e.Escape))
	}
}

func escapeText(r rune) string {
	if r == 0 {
		return ""
	}
	return string(r)
}

// likeMany prints LIKE ANY and LIKE ALL, as a chain where the dialect has none.
func (p *printer) likeMany(e *Like, word string) {
	if p.d != GoogleSQL {
		if !leaves([]Expr{e.X}) {
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
			p.pattern(e, pattern)
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
		p.pattern(e, pattern)
	}
	p.b.WriteByte(')')
}
