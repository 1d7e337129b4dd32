package untrusted

import (
	"bytes"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/words/printable"
)

// JSON returns a JSON document in whose strings everything that cannot be seen
// is spelt out: after decoding, an escape character is the text \x1b, a
// direction override the text \u202e. Line feeds and tabs stay, being escaped
// by JSON itself. Keys are treated as values are; what is clean is returned as
// it is.
//
// The document must be valid JSON.
func JSON(doc []byte) []byte {
	var out bytes.Buffer
	done := 0 // of doc, bytes that are in out
	replace := func(from, to int, r rune) {
		out.Write(doc[done:from])
		for _, c := range []byte(printable.Line(string(r))) {
			if c == '\\' {
				out.WriteByte('\\')
			}
			out.WriteByte(c)
		}
		done = to
	}
	for i := 0; i < len(doc); {
		switch c := doc[i]; {
		case c == '\\' && i+1 < len(doc):
			r, size := escape(doc[i:])
			if r != '\n' && r != '\t' && printable.Hazardous(r) {
				replace(i, i+size, r)
			}
			i += size
		case c == 0x7f:
			replace(i, i+1, rune(c))
			i++
		case c < utf8.RuneSelf:
			i++
		default:
			r, size := utf8.DecodeRune(doc[i:])
			if printable.Hazardous(r) {
				replace(i, i+size, r)
			}
			i += size
		}
	}
	if done == 0 {
		return doc
	}
	out.Write(doc[done:])
	return out.Bytes()
}

// escape reads the escape that text begins with, and returns what it stands for
// and its length in bytes.
func escape(text []byte) (rune, int) {
	switch text[1] {
	case 'n':
		return '\n', 2
	case 't':
		return '\t', 2
	case 'r':
		return '\r', 2
	case 'b':
		return '\b', 2
	case 'f':
		return '\f', 2
	case 'u':
		r := unit(text)
		if utf16.IsSurrogate(r) && len(text) >= 12 && text[6] == '\\' && text[7] == 'u' {
			if pair := utf16.DecodeRune(r, unit(text[6:])); pair != utf8.RuneError {
				return pair, 12
			}
		}
		return r, min(6, len(text))
	}
	return rune(text[1]), 2
}

// unit reads \uXXXX.
func unit(text []byte) rune {
	if len(text) < 6 {
		return utf8.RuneError
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return utf8.RuneError
	}
	return rune(n)
}
