package arrowjson

import (
	"github.com/apache/arrow-go/v18/arrow"
)

// Kind says what kind of text a value is, and so how JSON writes it.
type Kind uint8

// The kinds of values.
const (
	Null      Kind = iota // no text
	Bool                  // true or false
	Number                // a JSON number
	BigNumber             // a number that a float64 would change or cannot represent: a string in JSON
	Text                  // plain text: a string in JSON
	JSON                  // a JSON value already: a list, an object, or a JSON column's own
)

// appender appends the text of value i to dst.
type appender func(dst []byte, i int) ([]byte, Kind)

// Column reads the values of one column of one batch. It is valid as long as
// the batch is, and serves one goroutine.
type Column struct {
	text appender
	// start, if set, reads at least the first n characters of a value that is not
	// NULL.
	start   func(dst []byte, i, n int) []byte
	arr     arrow.Array
	scratch []byte
}

// Bind makes arr readable. It needs the field in addition to the array because
// extension types are often only in the field's metadata.
func Bind(field arrow.Field, arr arrow.Array) *Column {
	return &Column{text: bind(field, arr), start: bindStart(field, arr), arr: arr}
}

// AppendText appends the plain text of value i to dst, as CSV or a table show it
// before quoting. It is not escaped.
func (c *Column) AppendText(dst []byte, i int) ([]byte, Kind) {
	return c.text(dst, i)
}

// AppendJSON adds value i to dst as JSON, on one line.
func (c *Column) AppendJSON(dst []byte, i int) []byte {
	var kind Kind
	c.scratch, kind = c.text(c.scratch[:0], i)
	switch kind {
	case Null:
		return append(dst, "null"...)
	case BigNumber, Text:
		return AppendString(dst, c.scratch)
	}
	return append(dst, c.scratch...)
}

// Numeric reports whether the values of the field are numbers, which people
// expect to be aligned to the right.
func Numeric(field arrow.Field) bool {
	ext, storage := extensionOf(field)
	switch ext.name {
	case "":
	case extOpaque:
		return ext.opaque == opaqueHugeint || ext.opaque == opaqueUhugeint || ext.opaque == opaqueBignum
	default:
		return false
	}
	return arrow.IsInteger(storage.ID()) || arrow.IsFloating(storage.ID()) || arrow.IsDecimal(storage.ID())
}
