package ooxml

import (
	"bytes"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Escape escapes s for the text of an element or attribute. Characters that XML
// cannot contain become U+FFFD; CheckText refuses them beforehand.
func Escape(s string) string {
	var b strings.Builder
	for _, r := range s {
		switch {
		case r == '&':
			b.WriteString("&amp;")
		case r == '<':
			b.WriteString("&lt;")
		case r == '>':
			b.WriteString("&gt;")
		case r == '"':
			b.WriteString("&quot;")
		case r == '\r' || r == '\n' || r == '\t':
			b.WriteString("&#" + strconv.Itoa(int(r)) + ";")
		case !allowed(r):
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

func allowed(r rune) bool {
	return r >= ' ' && r != 0xfffe && r != 0xffff || r == '\t' || r == '\n' || r == '\r'
}

// CheckText refuses characters that XML cannot contain. what names the text.
func CheckText(what, s string) error {
	if !utf8.ValidString(s) {
		return Invalid("Give the text in UTF-8.", "%s is not in UTF-8", what)
	}
	for i, r := range s {
		if !allowed(r) {
			return Invalid("Leave the character out.", "%s has the control character %U at byte %d, which an office document cannot hold", what, r,
				i)
		}
	}
	return nil
}

// unescape decodes XML text. There are no custom entities, since document types
// are refused.
func unescape(b []byte) []byte {
	if inner, ok := bytes.CutPrefix(b, []byte("<![CDATA[")); ok {
		return bytes.TrimSuffix(inner, []byte("]]>"))
	}
	if bytes.IndexByte(b, '&') < 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		end := bytes.IndexByte(b[i:min(i+12, len(b))], ';')
		if b[i] != '&' || end < 0 {
			out = append(out, b[i])
			continue
		}
		r := entity(string(b[i+1 : i+end]))
		if r < 0 {
			out = append(out, b[i])
			continue
		}
		out = utf8.AppendRune(out, r)
		i += end
	}
	return out
}

func entity(name string) rune {
	switch name {
	case "amp":
		return '&'
	case "lt":
		return '<'
	case "gt":
		return '>'
	case "quot":
		return '"'
	case "apos":
		return '\''
	}
	digits, base := strings.TrimPrefix(name, "#"), 10
	if hex, ok := strings.CutPrefix(digits, "x"); ok {
		digits, base = hex, 16
	}
	if v, err := strconv.ParseUint(digits, base, 21); err == nil && strings.HasPrefix(name, "#") {
		return rune(v) //nolint:gosec // 21 bits
	}
	return -1
}
