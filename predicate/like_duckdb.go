package predicate

import (
	"regexp"
	"strings"
)

// bounded returns an equivalent match that DuckDB can evaluate in time
// proportional to the text; nil if the pattern already is one.
//
// For each % the engine tries the rest of the pattern at every position of the
// text. With several of them that can take years, and no deadline stops it. The
// engine avoids this only for constant patterns that consist of % and text and
// respect case. Other patterns are converted to that form, or to regular
// expressions.
func bounded(x Expr, pattern string, escape rune, ignoreCase, negated bool) Expr {
	parts, _ := SplitPattern(pattern, escape)
	places, simple := shape(parts)
	if places < 2 || simple && !ignoreCase {
		return nil
	}
	if ignoreCase {
		x = &Call{Op: operations().byName[DuckDB]["lower"][0], Args: []Expr{x}, T: Type{Kind: KindString}}
	}
	if simple {
		return &Like{X: x, Patterns: []Expr{textLiteral(plainText(parts))}, Negated: negated}
	}
	e := &Call{Op: operations().byName[DuckDB]["regexp_full_match"][0], Args: []Expr{x, textLiteral(regexpOf(parts, ignoreCase))},
		T: Type{Kind: KindBool}}
	if negated {
		return &Not{X: e}
	}
	return e
}

func textLiteral(s string) *Literal { return &Literal{T: Type{Kind: KindString}, Value: s} }

// shape counts the % that are followed by something, and reports whether a
// pattern consists only of % and text without escapes.
func shape(parts []patternPart) (places int, simple bool) {
	simple = true
	for i, part := range parts {
		switch {
		case part.Wild && part.R == '%':
			if i < len(parts)-1 {
				places++
			}
		case part.Wild, strings.ContainsRune(`%_\`, part.R):
			simple = false
		}
	}
	return places, simple
}

// plainText is a simple pattern in lower case.
func plainText(parts []patternPart) string {
	var b strings.Builder
	for _, part := range parts {
		b.WriteRune(part.R)
	}
	return strings.ToLower(b.String())
}

// regexpOf writes a pattern as a regular expression.
func regexpOf(parts []patternPart, fold bool) string {
	var b strings.Builder
	b.WriteString("(?s)")
	for _, part := range parts {
		text := string(part.R)
		switch {
		case part.Wild && part.R == '%':
			b.WriteString(".*")
			continue
		case part.Wild:
			b.WriteByte('.')
			continue
		case fold:
			text = strings.ToLower(text)
		}
		b.WriteString(regexp.QuoteMeta(text))
	}
	return b.String()
}
