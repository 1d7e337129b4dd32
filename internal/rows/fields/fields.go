// Package fields writes texts as fields of CSV and TSV. It writes neither NULL nor
// rows: these are of a format.
package fields

import "bytes"

// AppendTSV adds a text as linear TSV has it: what would end a field or a row is a
// backslash and a letter, so that each row is one line and each text can be read
// back.
func AppendTSV(dst, text []byte) []byte {
	for _, c := range text {
		switch c {
		case '\t':
			dst = append(dst, `\t`...)
		case '\n':
			dst = append(dst, `\n`...)
		case '\r':
			dst = append(dst, `\r`...)
		case '\\':
			dst = append(dst, `\\`...)
		default:
			dst = append(dst, c)
		}
	}
	return dst
}

// Where there is no comma, other readers may guess that one of delimiters is it. A
// value of inTimes alone is a date or a time, which they leave whole.
const (
	delimiters = ";\t|~^¦§¬\x1f\x01 :/*#&="
	inTimes    = "0123456789-:.+TZ"
)

// AppendCSV adds a text as RFC 4180 has it. It quotes texts that need it. These
// include empty text, to distinguish it from NULL, \N, which readers take for NULL,
// text with blanks at its ends and, in a file of one column, text with another
// delimiter, since no comma there shows which one it is.
func AppendCSV(dst, text []byte, alone bool) []byte {
	plain := len(text) > 0 && text[0] != ' ' && text[len(text)-1] != ' ' && !bytes.Equal(text, []byte(`\N`))
	if alone && bytes.ContainsAny(text, delimiters) {
		plain = plain && len(text) >= len("00:00:00") && len(bytes.Trim(text, inTimes)) == 0
	}
	if plain && !bytes.ContainsAny(text, ",\"\r\n") {
		return append(dst, text...)
	}
	dst = append(dst, '"')
	for {
		i := bytes.IndexByte(text, '"')
		if i < 0 {
			return append(append(dst, text...), '"')
		}
		dst = append(append(dst, text[:i+1]...), '"')
		text = text[i+1:]
	}
}
