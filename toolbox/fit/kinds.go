package fit

import (
	"encoding/binary"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"

	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// wide is an integer of 128 bits: a huge one, or a decimal without its point.
type wide = decimal128.Num

// kindOf returns the *kind of a field's values; nil if their order is
// meaningless.
func kindOf(field arrow.Field) any {
	switch name := arrowjson.TypeName(field); name {
	case "integer":
		return integerKind(field)
	case "decimal":
		return decimalKind(field)
	case "float":
		if f := readFloat(field.Type); f != nil {
			return &kind[float64]{read: f, less: floatLess, sum: func() adder[float64] { return &floatSum{} }}
		}
	case "string":
		if !isText(storage(field.Type)) {
			return nil
		}
		return &kind[string]{read: readText, less: func(a, b string) bool { return a < b }, keep: keepText}
	case "boolean", "date", "time", "timestamp", "timestamptz":
		if read := readInteger(storage(field.Type)); read != nil {
			return &kind[int64]{read: read, less: intLess}
		}
	}
	return nil
}

func integerKind(field arrow.Field) any {
	t := storage(field.Type)
	if read := readInteger(t); read != nil {
		return &kind[int64]{read: read, less: intLess, sum: func() adder[int64] { return &intSum{} }}
	}
	if t.ID() == arrow.UINT64 {
		return &kind[uint64]{read: readUint64, less: func(a, b uint64) bool { return a < b }, sum: func() adder[uint64] { return &uintSum{} }}
	}
	if b, ok := t.(*arrow.FixedSizeBinaryType); ok && b.ByteWidth == 16 && !arrowjson.Unsigned(field) {
		return &kind[wide]{read: readHuge, less: wide.Less, sum: func() adder[wide] { return &wideSum{} }}
	}
	return decimalKind(field)
}

func decimalKind(field arrow.Field) any {
	d, ok := field.Type.(*arrow.Decimal128Type)
	if !ok {
		return nil
	}
	return &kind[wide]{read: readDecimal, less: wide.Less, sum: func() adder[wide] { return &wideSum{scale: d.Scale} }}
}

// isText reports whether readText reads t.
func isText(t arrow.DataType) bool {
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	return t.ID() == arrow.STRING || t.ID() == arrow.LARGE_STRING || t.ID() == arrow.STRING_VIEW
}

func storage(t arrow.DataType) arrow.DataType {
	if x, ok := t.(arrow.ExtensionType); ok {
		return x.StorageType()
	}
	return t
}

func stored(arr arrow.Array) arrow.Array {
	if x, ok := arr.(array.ExtensionArray); ok {
		return x.Storage()
	}
	return arr
}

func intLess(a, b int64) bool { return a < b }

// floatLess orders as the engine does: NaN is the largest value. It distinguishes
// -0 from 0, which are written differently.
func floatLess(a, b float64) bool {
	return a < b || a == 0 && b == 0 && math.Signbit(a) && !math.Signbit(b) || math.IsNaN(b) && !math.IsNaN(a)
}

// readInteger returns a reader for values stored as integers of up to 64 bits;
// nil for other types.
func readInteger(t arrow.DataType) func(arrow.Array) func(int) int64 {
	switch t.ID() {
	case arrow.BOOL:
		return func(arr arrow.Array) func(int) int64 {
			a := stored(arr).(*array.Boolean)
			return func(i int) int64 {
				if a.Value(i) {
					return 1
				}
				return 0
			}
		}
	case arrow.INT8:
		return reader[int8]
	case arrow.INT16:
		return reader[int16]
	case arrow.INT32:
		return reader[int32]
	case arrow.INT64:
		return reader[int64]
	case arrow.UINT8:
		return reader[uint8]
	case arrow.UINT16:
		return reader[uint16]
	case arrow.UINT32:
		return reader[uint32]
	case arrow.DATE32:
		return reader[arrow.Date32]
	case arrow.DATE64:
		return reader[arrow.Date64]
	case arrow.TIME32:
		return reader[arrow.Time32]
	case arrow.TIME64:
		return reader[arrow.Time64]
	case arrow.TIMESTAMP:
		return reader[arrow.Timestamp]
	}
	return nil
}

func reader[T ~int8 | ~int16 | ~int32 | ~int64 | ~uint8 | ~uint16 | ~uint32](arr arrow.Array) func(int) int64 {
	a := stored(arr).(interface{ Value(int) T })
	return func(i int) int64 { return int64(a.Value(i)) }
}

func readUint64(arr arrow.Array) func(int) uint64 { return stored(arr).(*array.Uint64).Value }

func readFloat(t arrow.DataType) func(arrow.Array) func(int) float64 {
	switch t.ID() {
	case arrow.FLOAT32:
		return func(arr arrow.Array) func(int) float64 {
			a := arr.(*array.Float32)
			return func(i int) float64 { return float64(a.Value(i)) }
		}
	case arrow.FLOAT64:
		return func(arr arrow.Array) func(int) float64 { return arr.(*array.Float64).Value }
	}
	return nil
}

func readDecimal(arr arrow.Array) func(int) wide { return arr.(*array.Decimal128).Value }

// readHuge reads the engine's own storage, least significant byte first.
func readHuge(arr arrow.Array) func(int) wide {
	a := stored(arr).(*array.FixedSizeBinary)
	return func(i int) wide {
		v := a.Value(i)
		return decimal128.New(int64(binary.LittleEndian.Uint64(v[8:])), binary.LittleEndian.Uint64(v))
	}
}

// readText reads texts, including dictionary-encoded ones.
func readText(arr arrow.Array) func(int) string {
	arr = stored(arr)
	if d, ok := arr.(*array.Dictionary); ok {
		words := d.Dictionary().(array.StringLike)
		return func(i int) string { return words.Value(d.GetValueIndex(i)) }
	}
	return arr.(array.StringLike).Value
}
