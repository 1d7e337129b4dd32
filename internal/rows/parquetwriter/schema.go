package parquetwriter

import (
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// Physical types of Parquet.
const (
	boolean    = 0
	int32s     = 1
	int64s     = 2
	float      = 4
	double     = 5
	byteArray  = 6
	fixedBytes = 7
)

// Older and newer names of what values mean, as the engine writes them.
const (
	asUTF8            = 0
	asDecimal         = 5
	asDate            = 6
	asTimeMicros      = 8
	asTimestampMicros = 10
	asUint8           = 11
	asUint16          = 12
	asUint32          = 13
	asUint64          = 14
	asInt8            = 15
	asInt16           = 16
	asInt32           = 17
	asInt64           = 18
	asNothing         = -1

	logicalDecimal   = 5
	logicalTime      = 7
	logicalTimestamp = 8

	unitMicros = 2
	unitNanos  = 3
)

// wideBytes is the size of a decimal of more than 18 digits.
const wideBytes = 16

// leaf is a column of the file.
type leaf struct {
	name      string
	kind      int64 // physical type
	converted int64
	unsigned  bool
	decimal   arrow.DecimalType // nil: none
	time      int16             // logicalTime, logicalTimestamp or 0
	unit      int16
	utc       bool
	width     int // bytes of a value in memory; of texts, what each takes beyond its bytes
}

// Takes reports whether Write knows all types of a schema.
func Takes(schema *arrow.Schema) bool {
	_, ok := leaves(schema)
	return ok
}

func leaves(schema *arrow.Schema) ([]leaf, bool) {
	all := make([]leaf, schema.NumFields())
	seen := map[string]bool{}
	for i, f := range schema.Fields() {
		l, ok := leafOf(f)
		name := strings.ToLower(f.Name)
		if !ok || f.Name == "" || seen[name] {
			return nil, false
		}
		seen[name], all[i] = true, l
	}
	return all, len(all) > 0
}

// leafOf describes a column whose type is known.
func leafOf(f arrow.Field) (leaf, bool) {
	if f.Metadata.FindKey("ARROW:extension:name") >= 0 {
		return leaf{}, false
	}
	l := leaf{name: f.Name, converted: asNothing}
	integer := func(kind, converted int64, unsigned bool) (leaf, bool) {
		l.kind, l.converted, l.unsigned, l.width = kind, converted, unsigned, 4
		if kind == int64s {
			l.width = 8
		}
		return l, true
	}
	switch t := f.Type.(type) {
	case *arrow.Int8Type:
		return integer(int32s, asInt8, false)
	case *arrow.Int16Type:
		return integer(int32s, asInt16, false)
	case *arrow.Int32Type:
		return integer(int32s, asInt32, false)
	case *arrow.Int64Type:
		return integer(int64s, asInt64, false)
	case *arrow.Uint8Type:
		return integer(int32s, asUint8, true)
	case *arrow.Uint16Type:
		return integer(int32s, asUint16, true)
	case *arrow.Uint32Type:
		return integer(int32s, asUint32, true)
	case *arrow.Uint64Type:
		return integer(int64s, asUint64, true)
	case *arrow.Date32Type:
		return integer(int32s, asDate, false)
	case *arrow.Float32Type:
		l.kind, l.width = float, 4
	case *arrow.Float64Type:
		l.kind, l.width = double, 8
	case *arrow.BooleanType:
		l.kind, l.width = boolean, 1
	case *arrow.StringType:
		l.kind, l.converted, l.width = byteArray, asUTF8, 4
	case *arrow.BinaryType:
		l.kind, l.width = byteArray, 4
	case arrow.DecimalType:
		return l.decimalOf(t)
	case *arrow.Time64Type:
		l.kind, l.converted, l.width = int64s, asTimeMicros, 8
		l.time, l.unit = logicalTime, unitMicros
		return l, t.Unit == arrow.Microsecond
	case *arrow.TimestampType:
		return l.timestampOf(t)
	default:
		return leaf{}, false
	}
	return l, true
}

// decimalOf accepts decimals of 128 bits, and shorter ones that are as wide in memory
// as in the file.
func (l leaf) decimalOf(t arrow.DecimalType) (leaf, bool) {
	l.decimal, l.converted = t, asDecimal
	precision, scale := t.GetPrecision(), t.GetScale()
	switch {
	case precision <= 9:
		l.kind, l.width = int32s, 4
	case precision <= 18:
		l.kind, l.width = int64s, 8
	default:
		l.kind, l.width = fixedBytes, wideBytes
	}
	fits := t.ID() == arrow.DECIMAL128 || t.BitWidth() == 8*l.width
	return l, fits && precision > 0 && scale >= 0 && scale <= precision && precision <= 38
}

// timestampOf knows two units. The engine stores the others in another unit than
// they come in.
func (l leaf) timestampOf(t *arrow.TimestampType) (leaf, bool) {
	l.kind, l.width, l.time, l.utc = int64s, 8, logicalTimestamp, t.TimeZone != ""
	switch {
	case t.Unit == arrow.Microsecond:
		l.unit, l.converted = unitMicros, asTimestampMicros
		return l, true
	case t.Unit == arrow.Nanosecond && !l.utc:
		l.unit = unitNanos
		return l, true
	}
	return l, false
}

// element writes the column's element of the schema.
func (l leaf) element(t *thrift) {
	t.number(1, tI32, l.kind)
	if l.kind == fixedBytes {
		t.number(2, tI32, wideBytes)
	}
	const optional = 1
	t.number(3, tI32, optional)
	t.bytes(4, []byte(l.name))
	if l.converted != asNothing {
		t.number(6, tI32, l.converted)
	}
	if l.decimal != nil {
		t.number(7, tI32, int64(l.decimal.GetScale()))
		t.number(8, tI32, int64(l.decimal.GetPrecision()))
		t.structField(10, func() {
			t.structField(logicalDecimal, func() {
				t.number(1, tI32, int64(l.decimal.GetScale()))
				t.number(2, tI32, int64(l.decimal.GetPrecision()))
			})
		})
	}
	if l.time != 0 {
		t.structField(10, func() {
			t.structField(l.time, func() {
				t.bool(1, l.utc)
				t.structField(2, func() { t.structField(l.unit, func() {}) })
			})
		})
	}
}
