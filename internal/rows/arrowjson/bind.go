package arrowjson

import (
	"encoding/base64"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// bind chooses the appender of a column once, so that reading a value is one
// call without a decision about types.
func bind(field arrow.Field, arr arrow.Array) appender {
	ext, _ := extensionOf(field)
	if x, ok := arr.(array.ExtensionArray); ok {
		arr = x.Storage()
	}
	if text := bindExtension(ext, arr); text != nil {
		return nullable(arr, text)
	}
	for _, family := range []func(arrow.Array) appender{bindInteger, bindReal, bindText, bindTemporal} {
		if text := family(arr); text != nil {
			return nullable(arr, text)
		}
	}
	if text := bindNested(arr); text != nil {
		return nullable(arr, text)
	}
	// A type that is new in arrow-go: use its own text.
	return nullable(arr, func(dst []byte, i int) ([]byte, Kind) { return append(dst, arr.ValueStr(i)...), Text })
}

// nullable adds the test for NULL to text, unless no value is NULL.
func nullable(arr arrow.Array, text appender) appender {
	if arr.NullN() == 0 {
		return text
	}
	return func(dst []byte, i int) ([]byte, Kind) {
		if arr.IsNull(i) {
			return dst, Null
		}
		return text(dst, i)
	}
}

func bindText(arr arrow.Array) appender {
	switch a := arr.(type) {
	case *array.Boolean:
		return func(dst []byte, i int) ([]byte, Kind) { return strconv.AppendBool(dst, a.Value(i)), Bool }
	case array.StringLike:
		return func(dst []byte, i int) ([]byte, Kind) { return append(dst, a.Value(i)...), Text }
	case interface{ Value(int) []byte }: // every binary type
		return func(dst []byte, i int) ([]byte, Kind) {
			return base64.StdEncoding.AppendEncode(dst, a.Value(i)), Text
		}
	case *array.Null: // it has no validity bitmap
		return func(dst []byte, _ int) ([]byte, Kind) { return dst, Null }
	}
	return nil
}
