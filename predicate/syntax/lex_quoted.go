package syntax

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
)

// prefixedString returns the length of a string prefix (E, r, b, U& …) that
// is right before a quote, or 0.
func (l *lexer) prefixedString() int {
	i := l.at
	for i < len(l.src) && i-l.at < 2 && (l.src[i] >= 'a' && l.src[i] <= 'z' || l.src[i] >= 'A' && l.src[i] <= 'Z' || l.src[i] == '&') {
		i++
	}
	if i >= len(l.src) || i == l.at || l.src[i] != '\'' && l.src[i] != '"' {
		return 0
	}
	prefix := strings.ToLower(l.src[l.at:i])
	if !HasWord(l.d.stringPrefixes, prefix) || l.src[i] == '"' && !l.d.backslashStrings && prefix != "u&" {
		return 0
	}
	return i - l.at
}

func (l *lexer) quotedWithPrefix(n int) error {
	prefix := strings.ToLower(l.src[l.at : l.at+n])
	if l.d.backslashStrings {
		return l.backslashString(n, strings.Contains(prefix, "r"), strings.Contains(prefix, "b"))
	}
	switch prefix {
	case "e":
		return l.escapeString(n)
	case "x", "b":
		return &Fault{Kind: api.KindBytesLiteralRaw, At: l.at, Found: l.src[l.at:l.at+n+1] + "…'",
			Msg:  "bit and hexadecimal string literals are not allowed",
			Hint: `Bytes are compared as text with escapes, against a column of bytes: '\xDE\xAD' in DuckDB, '\xdead' in PostgreSQL.`}
	}
	return &Fault{Kind: api.KindBadLiteral, At: l.at, Found: l.src[l.at : l.at+n+1],
		Msg:  fmt.Sprintf("strings with the prefix %s are not allowed", l.src[l.at:l.at+n]),
		Hint: "Write the characters themselves: the text is UTF-8."}
}

func (l *lexer) quoted() error {
	c := l.src[l.at]
	switch {
	case l.d.BacktickNames && c == '`':
		return l.backtick()
	case l.d.backslashStrings && (c == '\'' || c == '"' && !l.d.doubleNames):
		return l.backslashString(0, false, false)
	case c == '$':
		return l.dollar()
	case c == '`':
		return &Fault{Kind: api.KindSyntaxError, At: l.at, Found: "`", Expected: `"`,
			Msg: "backticks don't quote names in this dialect", Hint: `Quote a name in double quotes: "name".`}
	}
	return l.doubled(c)
}

// doubled reads '…' or "…" where the quote itself is written twice.
func (l *lexer) doubled(q byte) error {
	var b strings.Builder
	for i := l.at + 1; i < len(l.src); {
		j := strings.IndexByte(l.src[i:], q)
		if j < 0 {
			break
		}
		b.WriteString(l.src[i : i+j])
		i += j + 1
		if i < len(l.src) && l.src[i] == q {
			b.WriteByte(q)
			i++
			continue
		}
		if q == '"' {
			if b.Len() == 0 {
				return &Fault{Kind: api.KindSyntaxError, At: l.at, Found: `""`, Expected: "a name", Msg: "a quoted name can't be empty"}
			}
			l.add(TokenQuoted, i, b.String())
			return nil
		}
		l.add(TokenString, i, b.String())
		return nil
	}
	return l.unclosed(l.at)
}

func (l *lexer) unclosed(at int) error {
	hint := "Write a quote inside of text twice: 'it''s'."
	if l.d.backslashStrings {
		hint = `Write a quote inside of text with a backslash: 'it\'s'.`
	}
	return &Fault{Kind: api.KindSyntaxError, At: at, Found: "an open quote", Expected: "a closing quote",
		Msg: "the quote that opens here is never closed", Hint: hint}
}

// dollar reads $tag$…$tag$, or refuses a parameter.
func (l *lexer) dollar() error {
	rest := l.src[l.at:]
	if len(rest) > 1 && IsDigit(rest[1]) {
		return l.parameter(rest)
	}
	end := 1
	for end < len(rest) && (IsWordByte(rest[end]) || rest[end] >= utf8.RuneSelf) {
		end++
	}
	if !l.d.dollarStrings || end >= len(rest) || rest[end] != '$' {
		if end > 1 {
			return l.parameter(rest)
		}
		return l.strangeRune(l.at, '$')
	}
	tag := rest[:end+1]
	j := strings.Index(rest[len(tag):], tag)
	if j < 0 {
		return l.unclosed(l.at)
	}
	l.add(TokenString, l.at+j+2*len(tag), rest[len(tag):len(tag)+j])
	return nil
}

// escapeString reads E'…' with C escapes.
func (l *lexer) escapeString(prefix int) error {
	var b []byte
	for i := l.at + prefix + 1; i < len(l.src); {
		c := l.src[i]
		switch {
		case c == '\'' && i+1 < len(l.src) && l.src[i+1] == '\'':
			b = append(b, '\'')
			i += 2
		case c == '\'':
			if !utf8.Valid(b) || strings.IndexByte(string(b), 0) >= 0 {
				return &Fault{Kind: api.KindBadLiteral, At: l.at, Msg: "the escapes in this string don't make valid text",
					Found: l.src[l.at : i+1], Expected: "UTF-8 text without NUL"}
			}
			l.add(TokenString, i+1, string(b))
			return nil
		case c == '\\':
			n, out, ok := cEscape(l.src[i:], l.d.unicodeEscapes)
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

func (l *lexer) badEscape(at int) error {
	end := min(at+2, len(l.src))
	for end < len(l.src) && !utf8.RuneStart(l.src[end]) {
		end++
	}
	return &Fault{Kind: api.KindBadLiteral, At: at, Found: l.src[at:end],
		Msg: fmt.Sprintf("%q is not an escape that can be used here", l.src[at:end]), Hint: `A backslash itself is written \\ in such a string.`}
}

// cEscape decodes one escape of E'…' and returns its length in the source.
func cEscape(s string, unicode bool) (n int, out []byte, ok bool) {
	if len(s) < 2 {
		return 0, nil, false
	}
	c := s[1]
	switch c {
	case 'b', 'f', 'n', 'r', 't':
		return 2, []byte{"\b\f\n\r\t"[strings.IndexByte("bfnrt", c)]}, true
	case 'x':
		return numeric(s, 2, 2, 1, 16)
	case 'u', 'U':
		// DuckDB accepts these escapes but fails at them.
		if !unicode {
			return 0, nil, false
		}
		size := 4
		if c == 'U' {
			size = 8
		}
		return codePoint(s, size)
	}
	if c >= '0' && c <= '7' {
		return numeric(s, 1, 3, 1, 8)
	}
	if c >= utf8.RuneSelf || IsWordByte(c) {
		// Engines accept the letter itself, but nobody writes that on purpose.
		return 0, nil, false
	}
	return 2, []byte{c}, true
}

// numeric decodes between least and most digits from s[from:] as one byte.
func numeric(s string, from, most, least, base int) (int, []byte, bool) {
	end := from
	for end < len(s) && end < from+most && IsHex(s[end]) && (base == 16 || s[end] >= '0' && s[end] <= '7') {
		end++
	}
	if end-from < least {
		return 0, nil, false
	}
	v, err := strconv.ParseUint(s[from:end], base, 16)
	if err != nil || v > 255 {
		return 0, nil, false
	}
	return end, []byte{byte(v)}, true
}

// codePoint decodes \uXXXX or \UXXXXXXXX.
func codePoint(s string, size int) (int, []byte, bool) {
	if len(s) < 2+size {
		return 0, nil, false
	}
	for _, c := range []byte(s[2 : 2+size]) {
		if !IsHex(c) {
			return 0, nil, false
		}
	}
	v, err := strconv.ParseUint(s[2:2+size], 16, 32)
	if err != nil || v > utf8.MaxRune || v >= 0xD800 && v < 0xE000 {
		return 0, nil, false
	}
	return 2 + size, utf8.AppendRune(nil, rune(v)), true
}
