package output

import (
	"bytes"

	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/tsv"
	"github.com/agnes-data/da/internal/words/printable"
)

// delimitedEncoder writes a header and rows of fields, one per line.
type delimitedEncoder struct {
	names     []string
	separator byte
	null      string
	field     func(dst, text []byte) []byte // appends a field with the quotes or escapes that it needs
	scratch   []byte
}

// newCSV writes RFC 4180 with \n as line ending. visible escapes characters that
// a terminal would act on.
func newCSV(names []string, visible bool) *delimitedEncoder {
	field := appendQuoted
	if visible {
		field = func(dst, text []byte) []byte { return appendQuoted(dst, []byte(printable.Text(string(text)))) }
	}
	return &delimitedEncoder{names: names, separator: ',', field: field}
}

// newTSV uses escapes instead of quotes.
func newTSV(names []string, visible bool) *delimitedEncoder {
	field := tsv.AppendEscaped
	if visible {
		field = func(dst, text []byte) []byte {
			return append(dst, printable.Line(string(tsv.AppendEscaped(nil, text)))...)
		}
	}
	return &delimitedEncoder{names: names, separator: '\t', null: `\N`, field: field}
}

func (e *delimitedEncoder) head(dst []byte) []byte {
	for j, name := range e.names {
		if j > 0 {
			dst = append(dst, e.separator)
		}
		dst = e.field(dst, []byte(name))
	}
	return append(dst, '\n')
}

func (e *delimitedEncoder) row(dst []byte, columns []*arrowjson.Column, i int) []byte {
	var kind arrowjson.Kind
	for j, c := range columns {
		if j > 0 {
			dst = append(dst, e.separator)
		}
		e.scratch, kind = c.AppendText(e.scratch[:0], i)
		switch kind {
		case arrowjson.Null:
			dst = append(dst, e.null...)
		case arrowjson.Bool, arrowjson.Number, arrowjson.BigNumber:
			dst = append(dst, e.scratch...)
		default:
			dst = e.field(dst, e.scratch)
		}
	}
	return append(dst, '\n')
}

func (e *delimitedEncoder) tail(dst []byte) []byte { return dst }

// appendQuoted quotes fields that need it. These include empty text, to
// distinguish it from NULL, \N, which readers take for NULL, and text with
// blanks at its ends.
func appendQuoted(dst, text []byte) []byte {
	plain := len(text) > 0 && text[0] != ' ' && text[len(text)-1] != ' ' && !bytes.Equal(text, []byte(`\N`))
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
