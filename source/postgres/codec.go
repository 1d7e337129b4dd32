package postgres

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// codec says how the values of a column are transferred: what is selected, in
// which format, and into which Arrow array the values go.
type codec struct {
	arrow arrow.DataType
	meta  arrow.Metadata // metadata of the field: names an extension type
	// decode returns a function that appends values in binary format to a builder
	// of the type; it is also used inside lists and records.
	decode decoder
	// column creates a collector for a column; nil: a builder with decode.
	column func() vector
	// text says that the engine is asked for text: either the type has no binary
	// format, or text is less work for the engine, whose binary output functions
	// allocate a kilobyte for each value.
	text bool
	// cast is the SQL type that the column is selected as; empty: its own.
	cast string
	// note says what is lost, as a sentence without a full stop.
	note string
}

// vector returns a collector for a column.
func (c codec) vector() vector {
	if c.column != nil {
		return c.column()
	}
	b := array.NewBuilder(memory.NewGoAllocator(), c.arrow)
	return &built{b, c.decode(b)}
}

// format is the number that the protocol has for the form of a column.
func (c codec) format() int16 {
	if c.text {
		return 0
	}
	return 1
}

// field is the codec's Arrow field.
func (c codec) field(name string) arrow.Field {
	return arrow.Field{Name: name, Type: c.arrow, Nullable: true, Metadata: c.meta}
}

// Types of PostgreSQL whose numbers are the same in every database.
const (
	oidBool, oidBytea, oidName, oidInt8, oidInt2, oidInt4, oidText           = 16, 17, 19, 20, 21, 23, 25
	oidJSON, oidFloat4, oidFloat8, oidBpchar, oidVarchar, oidDate, oidTime   = 114, 700, 701, 1042, 1043, 1082, 1083
	oidTimestamp, oidTimestamptz, oidInterval, oidNumeric, oidUUID, oidJSONB = 1114, 1184, 1186, 1700, 2950, 3802
)

// fixedCodec is the codec of values of a fixed width.
func fixedCodec[T arrow.FixedWidthType](typ arrow.DataType, read reading[T]) codec {
	return codec{arrow: typ, decode: into(read), column: func() vector { return &fixed[T]{typ: typ, read: read} }}
}

// runsCodec is the codec of values whose bytes are used as they arrive.
func runsCodec(typ arrow.DataType, decode decoder) codec {
	return codec{arrow: typ, decode: decode, column: func() vector { return &runs{typ: typ, ends: make([]int32, 1)} }}
}

// textCodec returns the codec of a type that is requested as text. Inside other
// types it is decoded.
func textCodec(decode decoder) codec {
	c := runsCodec(arrow.BinaryTypes.String, decode)
	c.text = true
	return c
}

func (c codec) as(extension string) codec {
	c.meta = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{extension, ""})
	return c
}

// plainCodecs are the codecs of types that need no further information.
var plainCodecs = map[uint32]codec{
	oidBool:        boolCodec(),
	oidInt2:        intCodec(arrow.PrimitiveTypes.Int16, readInt2),
	oidInt4:        intCodec(arrow.PrimitiveTypes.Int32, readInt4),
	oidInt8:        intCodec(arrow.PrimitiveTypes.Int64, readInt8),
	oidFloat4:      fixedCodec(arrow.PrimitiveTypes.Float32, readFloat4),
	oidFloat8:      fixedCodec(arrow.PrimitiveTypes.Float64, readFloat8),
	oidText:        textCodec(decodeText),
	oidVarchar:     textCodec(decodeText),
	oidBpchar:      textCodec(decodeText),
	oidName:        textCodec(decodeText),
	oidBytea:       runsCodec(arrow.BinaryTypes.Binary, into(readBytes)),
	oidJSON:        textCodec(decodeText).as("arrow.json"),
	oidJSONB:       textCodec(decodeJSONB).as("arrow.json"),
	oidUUID:        codec{arrow: &arrow.FixedSizeBinaryType{ByteWidth: 16}, decode: into(readUUID)}.as("arrow.uuid"),
	oidDate:        fixedCodec(arrow.FixedWidthTypes.Date32, readDate),
	oidTime:        fixedCodec(arrow.FixedWidthTypes.Time64us, readTime),
	oidTimestamp:   fixedCodec(&arrow.TimestampType{Unit: arrow.Microsecond}, readTimestamp),
	oidTimestamptz: fixedCodec(&arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, readTimestamp),
	oidInterval:    {arrow: arrow.BinaryTypes.String, decode: decodeInterval, note: textOf(&pgType{name: "interval"})},
}

func boolCodec() codec {
	return codec{arrow: arrow.FixedWidthTypes.Boolean, decode: into(readBool), text: true, column: func() vector { return &flags{} }}
}

// intCodec is the codec of whole numbers. A column of them is requested as text,
// which is less work for the engine; inside other types they are binary.
func intCodec[T int16 | int32 | int64](typ arrow.DataType, decode reading[T]) codec {
	c := fixedCodec(typ, readIntText[T])
	c.decode, c.text = into(decode), true
	return c
}

// codec returns the codec of a type. Types without a codec of their own are
// selected as text.
func (ts types) codec(d declared, depth int) codec {
	d = ts.base(d)
	if c, ok := plainCodecs[d.oid]; ok {
		return c
	}
	t := ts[d.oid]
	asText := textCodec(decodeText)
	asText.cast, asText.note = "text", textOf(t)
	switch {
	case t == nil || depth > maxTypeDepth:
		return asText
	case d.oid == oidNumeric:
		return numericCodec(d, t)
	case t.kind == "e":
		asText.cast = "" // its binary form is its label
		return asText
	case t.elem != 0 && d.dims <= 1:
		return ts.list(t, d, depth)
	case t.kind == "c":
		return ts.record(t, asText, depth)
	}
	return asText
}

func numericCodec(d declared, t *pgType) codec {
	precision, scale, ok := precisionOf(d.mod)
	if !ok || precision > 38 || scale < 0 || scale > precision {
		c := textCodec(decodeNumericText)
		c.note = textOf(t)
		return c
	}
	typ := &arrow.Decimal128Type{Precision: precision, Scale: scale}
	c := fixedCodec(typ, readDecimalText(int(scale)))
	c.decode, c.text = into(readDecimal(int(scale))), true
	return c
}

// list is the codec of arrays with one dimension. If the elements must be cast,
// the whole array is cast.
func (ts types) list(t *pgType, d declared, depth int) codec {
	elem := ts.codec(declared{oid: t.elem, mod: d.mod}, depth+1)
	c := codec{arrow: arrow.ListOfField(elem.field("l")), decode: decodeList(elem), note: elem.note}
	if elem.cast != "" {
		c.cast = elem.cast + "[]"
	}
	return c
}

// record is the codec of a composite type all of whose fields have codecs of their
// own.
func (ts types) record(t *pgType, asText codec, depth int) codec {
	c := codec{}
	var fields []arrow.Field
	var decoders []codec
	for _, f := range t.fields {
		part := ts.codec(f.declared, depth+1)
		if part.cast != "" {
			asText.note = fmt.Sprintf("the composite type %s becomes text: its field %s has no form of its own", t.name, f.name)
			return asText
		}
		if part.note != "" {
			c.note = part.note
		}
		fields, decoders = append(fields, part.field(f.name)), append(decoders, part)
	}
	if len(fields) == 0 {
		return asText
	}
	c.arrow, c.decode = arrow.StructOf(fields...), decodeRecord(decoders)
	return c
}
