package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// backslashString reads a string or bytes literal of GoogleSQL after a prefix of
// n bytes: single or triple quoted, raw or with escapes.
func (l *lexer) backslashString(n int, raw, bytes bool) error {
	open := l.at + n
	q := l.src[open]
	quote := string(q)
	if strings.HasPrefix(l.src[open:], strings.Repeat(quote, 3)) && !l.d.plainStrings {
		quote = strings.Repeat(quote, 3)
	}
	var b []byte
	for i := open + len(quote); i < len(l.src); {
		c := l.src[i]
		switch {
		case l.d.plainStrings && strings.HasPrefix(l.src[i:], quote+quote):
			b = append(b, q)
			i += 2
		case strings.HasPrefix(l.src[i:], quote):
			if !bytes && !utf8.Valid(b) {
				return &Fault{Kind: api.KindBadLiteral, At: l.at, Msg: "the escapes in this string don't make valid text"}
			}
			kind := TokenString
			if bytes {
				kind = TokenBytes
			}
			double := q == '"'
			l.add(kind, i+len(quote), string(b))
			l.toks[len(l.toks)-1].double = double
			return nil
		case len(quote) == 1 && (c == '\n' || c == '\r') && !l.d.plainStrings:
			return &Fault{Kind: api.KindSyntaxError, At: i, Found: "a line break", Expected: "a closing quote",
				Msg: "a quoted string ends on its line", Hint: "Text of several lines goes between three quotes: '''text'''."}
		case c == '\\' && raw:
			// A raw string keeps both the backslash and the next character.
			if i+1 >= len(l.src) {
				return l.unclosed(l.at)
			}
			b = append(b, c, l.src[i+1])
			i += 2
		case c == '\\':
			size, out, ok := googleEscape(l.src[i:], bytes)
			if l.d.plainStrings {
				size, out, ok = plainEscape(l.src[i:])
			}
			if !ok {
				return l.badEscape(i)
			}
			b = append(b, out...)
			i += size
		case l.d.plainStrings:
			b = append(b, c)
			i++
		case c == '\r' && i+1 < len(l.src) && l.src[i+1] == '\n':
			// GoogleSQL reads every line break in a literal as a newline.
			b = append(b, '\n')
			i += 2
		case c == '\r':
			b = append(b, '\n')
			i++
		default:
			b = append(b, c)
			i++
		}
	}
	return l.unclosed(l.at)
}

// googleEscape decodes one escape of a GoogleSQL literal.
func googleEscape(s string, bytes bool) (n int, out []byte, ok bool) {
	if len(s) < 2 {
		return 0, nil, false
	}
	c := s[1]
	if i := strings.IndexByte("abfnrtv\\?\"'`", c); i >= 0 {
		return 2, []byte{"\a\b\f\n\r\t\v\\?\"'`"[i]}, true
	}
	switch {
	case c == 'x' || c == 'X':
		n, out, ok = exactly(s, 2, 2, 16)
	case c >= '0' && c <= '3':
		n, out, ok = exactly(s, 1, 3, 8)
	case c == 'u' && !bytes:
		return codePoint(s, 4)
	case c == 'U' && !bytes:
		return codePoint(s, 8)
	}
	if ok && !bytes {
		// In text these escapes are a code point, not a byte.
		out = utf8.AppendRune(nil, rune(out[0]))
	}
	return n, out, ok
}

// plainEscape decodes what engines read alike. Those of patterns keep their backslash.
func plainEscape(s string) (n int, out []byte, ok bool) {
	if len(s) < 2 {
		return 0, nil, false
	}
	if i := strings.IndexByte("bnrt\\\"'", s[1]); i >= 0 {
		return 2, []byte{"\b\n\r\t\\\"'"[i]}, true
	}
	return 2, []byte(s[:2]), s[1] == '%' || s[1] == '_'
}

func exactly(s string, from, size, base int) (int, []byte, bool) {
	n, out, ok := numeric(s, from, size, size, base)
	return n, out, ok && n == from+size
}

// backtick reads a quoted identifier of GoogleSQL.
func (l *lexer) backtick() error {
	var b []byte
	for i := l.at + 1; i < len(l.src); {
		c := l.src[i]
		switch {
		case c == '`':
			if len(b) == 0 || !utf8.Valid(b) || strings.IndexByte(string(b), 0) >= 0 {
				return &Fault{Kind: api.KindSyntaxError, At: l.at, Found: l.src[l.at : i+1], Expected: "a name", Msg: "this is not a name"}
			}
			l.add(TokenQuoted, i+1, string(b))
			return nil
		case c == '\n' || c == '\r':
			return l.unclosed(l.at)
		case c == '\\':
			n, out, ok := googleEscape(l.src[i:], false)
			if !ok {
				return l.badEscape(i)
			}
			b = append(b, out...)
			i += n
		default:
			b = append(b, c)
			i++
		}
	}
	return l.unclosed(l.at)
}

// WriteEscaped writes s for between two quote characters.
func WriteEscaped(b *strings.Builder, s string, quote rune) {
	for _, r := range s {
		switch {
		case r == quote || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u2028' || r == '\u2029' || r == '\ufeff':
			fmt.Fprintf(b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
}
