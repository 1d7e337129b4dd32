package output

import (
	"bytes"

	"github.com/agnes-data/da/internal/arrowjson"
	"github.com/agnes-data/da/internal/printable"
)

// csvEncoder writes RFC 4180, with \n as the end of line.
type csvEncoder struct {
	names   []string
	visible bool // spell out what a terminal would act on
	scratch []byte
}

func (e *csvEncoder) head(dst []byte) []byte {
	for j, name := range e.names {
		if j > 0 {
			dst = append(dst, ',')
		}
		dst = e.field(dst, []byte(name))
	}
	return append(dst, '\n')
}

func (e *csvEncoder) row(dst []byte, columns []*arrowjson.Column, i int) []byte {
	var kind arrowjson.Kind
	for j, c := range columns {
		if j > 0 {
			dst = append(dst, ',')
		}
		e.scratch, kind = c.AppendText(e.scratch[:0], i)
		switch kind {
		case arrowjson.Null:
		case arrowjson.Bool, arrowjson.Number, arrowjson.BigNumber:
			dst = append(dst, e.scratch...)
		default:
			dst = e.field(dst, e.scratch)
		}
	}
	return append(dst, '\n')
}

func (e *csvEncoder) tail(dst []byte) []byte { return dst }

// field quotes what needs it; the empty text does, to differ from NULL.
func (e *csvEncoder) field(dst, text []byte) []byte {
	if e.visible {
		text = []byte(printable.Text(string(text)))
	}
	if len(text) > 0 && !bytes.ContainsAny(text, ",\"\r\n") {
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

// tsvEncoder writes tab-separated values without quotes.
type tsvEncoder struct {
	names   []string
	visible bool // spell out what a terminal would act on
	scratch []byte
}

func (e *tsvEncoder) head(dst []byte) []byte {
	for j, name := range e.names {
		if j > 0 {
			dst = append(dst, '\t')
		}
		dst = e.field(dst, []byte(name))
	}
	return append(dst, '\n')
}

func (e *tsvEncoder) row(dst []byte, columns []*arrowjson.Column, i int) []byte {
	var kind arrowjson.Kind
	for j, c := range columns {
		if j > 0 {
			dst = append(dst, '\t')
		}
		e.scratch, kind = c.AppendText(e.scratch[:0], i)
		if kind == arrowjson.Null {
			dst = append(dst, `\N`...)
			continue
		}
		dst = e.field(dst, e.scratch)
	}
	return append(dst, '\n')
}

func (e *tsvEncoder) tail(dst []byte) []byte { return dst }

func (e *tsvEncoder) field(dst, text []byte) []byte {
	start := len(dst)
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
	if e.visible {
		dst = append(dst[:start], printable.Line(string(dst[start:]))...)
	}
	return dst
}
