package arrowjson

import (
	"unicode/utf16"
	"unicode/utf8"

	"github.com/agnes-data/da/internal/words/printable"
)

const hexDigits = "0123456789abcdef"

// AppendString appends s to dst as a JSON string. In addition to what JSON
// requires, it escapes everything that a terminal might act on, which does not
// change the value.
func AppendString(dst, s []byte) []byte {
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		plain := i
		for i < len(s) && s[i] >= ' ' && s[i] < 0x7f && s[i] != '"' && s[i] != '\\' {
			i++
		}
		dst = append(dst, s[plain:i]...)
		if i == len(s) {
			break
		}
		r, size := utf8.DecodeRune(s[i:])
		dst = appendRune(dst, r, s[i:i+size])
		i += size
	}
	return append(dst, '"')
}

// appendRune appends one character that may need an escape.
func appendRune(dst []byte, r rune, raw []byte) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r == '\n':
		return append(dst, `\n`...)
	case r == '\r':
		return append(dst, `\r`...)
	case r == '\t':
		return append(dst, `\t`...)
	case r == utf8.RuneError: // also for invalid UTF-8
		return append(dst, "\uFFFD"...)
	case printable.Hazardous(r):
		return appendEscape(dst, r)
	}
	return append(dst, raw...)
}

func appendEscape(dst []byte, r rune) []byte {
	if high, low := utf16.EncodeRune(r); high != utf8.RuneError {
		return appendEscape(appendEscape(dst, high), low)
	}
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// appendHarmless adds JSON, in which such characters occur only inside strings,
// to dst with the escapes of AppendString.
func appendHarmless(dst, valid []byte) []byte {
	for i := 0; i < len(valid); {
		if valid[i] < 0x7f {
			dst = append(dst, valid[i])
			i++
			continue
		}
		r, size := utf8.DecodeRune(valid[i:])
		dst = appendRune(dst, r, valid[i:i+size])
		i += size
	}
	return dst
}

// Harmless returns valid JSON with the characters that a terminal might act on
// written as escapes.
func Harmless(valid []byte) []byte {
	return appendHarmless(make([]byte, 0, len(valid)), valid)
}
