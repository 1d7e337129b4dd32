package output

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/words/printable"
)

// markdownEncoder writes a GitHub Markdown table. It does not pad cells: that
// saves characters, and allows streaming.
type markdownEncoder struct {
	names   []string
	numeric []bool
	scratch []byte
}

func newMarkdown(schema *arrow.Schema) *markdownEncoder {
	e := &markdownEncoder{names: arrowjson.Names(schema)}
	for _, f := range schema.Fields() {
		e.numeric = append(e.numeric, arrowjson.Numeric(f))
	}
	return e
}

func (e *markdownEncoder) head(dst []byte) []byte {
	for _, name := range e.names {
		dst = append(dst, "| "...)
		dst = appendMarkdown(dst, name)
		dst = append(dst, ' ')
	}
	dst = append(dst, "|\n"...)
	for _, numeric := range e.numeric {
		if numeric {
			dst = append(dst, "| ---: "...)
		} else {
			dst = append(dst, "| --- "...)
		}
	}
	return append(dst, "|\n"...)
}

func (e *markdownEncoder) row(dst []byte, columns []*arrowjson.Column, i int) []byte {
	var kind arrowjson.Kind
	for _, c := range columns {
		dst = append(dst, "| "...)
		e.scratch, kind = c.AppendText(e.scratch[:0], i)
		switch kind {
		case arrowjson.Null:
			dst = append(dst, "*NULL*"...)
		case arrowjson.Bool, arrowjson.Number, arrowjson.BigNumber:
			dst = append(dst, e.scratch...)
		default:
			dst = appendMarkdown(dst, string(e.scratch))
		}
		dst = append(dst, ' ')
	}
	return append(dst, "|\n"...)
}

func (e *markdownEncoder) tail(dst []byte) []byte { return dst }

// appendMarkdown appends text escaped so that it is plain text: no markup, no
// HTML, no image that a viewer would load.
func appendMarkdown(dst []byte, text string) []byte {
	for n, line := range strings.Split(text, "\n") {
		if n > 0 {
			dst = append(dst, "<br>"...)
		}
		line = strings.TrimSuffix(line, "\r")
		before := ' '
		for i, r := range line {
			size := 1
			if r >= utf8.RuneSelf {
				_, size = utf8.DecodeRuneInString(line[i:])
			}
			switch {
			case marksUp(before, r, runeAt(line, i+size)):
				dst = append(dst, '\\', byte(r))
			case r == utf8.RuneError || printable.Hazardous(r):
				dst = append(dst, strings.ReplaceAll(printable.Line(line[i:i+size]), `\`, `\\`)...)
			default:
				dst = append(dst, line[i:i+size]...)
			}
			before = r
		}
	}
	return dst
}

// marksUp reports whether Markdown might act on r. An underscore inside a word is
// harmless and stays, so that names remain readable.
func marksUp(before, r, after rune) bool {
	switch r {
	case '\\', '|', '`', '*', '[', ']', '<', '~':
		return true
	case '&':
		return after == '#' || unicode.IsLetter(after)
	case '_':
		return !inWord(before) || !inWord(after)
	}
	return false
}

func runeAt(s string, i int) rune {
	r, _ := utf8.DecodeRuneInString(s[i:])
	return r
}

func inWord(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }
