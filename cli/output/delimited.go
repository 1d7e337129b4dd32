package output

import (
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/fields"
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
	alone := len(names) == 1
	field := func(dst, text []byte) []byte {
		if visible {
			text = []byte(printable.Text(string(text)))
		}
		return fields.AppendCSV(dst, text, alone)
	}
	return &delimitedEncoder{names: names, separator: ',', field: field}
}

// newTSV uses escapes instead of quotes.
func newTSV(names []string, visible bool) *delimitedEncoder {
	field := fields.AppendTSV
	if visible {
		field = func(dst, text []byte) []byte {
			return append(dst, printable.Line(string(fields.AppendTSV(nil, text)))...)
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
