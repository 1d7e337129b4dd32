package postgres

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
)

// codec is how the values of a column travel: what is selected, and which Arrow
// array the wire's binary form goes into.
type codec struct {
	arrow arrow.DataType
	meta  arrow.Metadata // of the field: names an extension type
	// decode makes what appends values to a builder of the type.
	decode decoder
	// cast is the SQL type that the column is selected as; empty: its own.
	cast string
	// text says that the engine is asked for its text instead.
	text bool
	// note says what stays behind, as a sentence without a full stop.
	note string
}

// field is the codec's Arrow field.
func (c codec) field(name string) arrow.Field {
	return arrow.Field{Name: name, Type: c.arrow, Nullable: true, Metadata: c.meta}
}

func extension(name string) arrow.Metadata {
	return arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{name, ""})
}

// Types of PostgreSQL that have numbers of their own since ever.
const (
	oidBool, oidBytea, oidName, oidInt8, oidInt2, oidInt4, oidText           = 16, 17, 19, 20, 21, 23, 25
	oidJSON, oidFloat4, oidFloat8, oidBpchar, oidVarchar, oidDate, oidTime   = 114, 700, 701, 1042, 1043, 1082, 1083
	oidTimestamp, oidTimestamptz, oidInterval, oidNumeric, oidUUID, oidJSONB = 1114, 1184, 1186, 1700, 2950, 3802
)

// plainCodecs are the types that need nothing but their number.
var plainCodecs = map[uint32]codec{
	oidBool:        {arrow: arrow.FixedWidthTypes.Boolean, decode: decodeBool},
	oidInt2:        {arrow: arrow.PrimitiveTypes.Int16, decode: decodeInt2},
	oidInt4:        {arrow: arrow.PrimitiveTypes.Int32, decode: decodeInt4},
	oidInt8:        {arrow: arrow.PrimitiveTypes.Int64, decode: decodeInt8},
	oidFloat4:      {arrow: arrow.PrimitiveTypes.Float32, decode: decodeFloat4},
	oidFloat8:      {arrow: arrow.PrimitiveTypes.Float64, decode: decodeFloat8},
	oidText:        {arrow: arrow.BinaryTypes.String, decode: decodeText},
	oidVarchar:     {arrow: arrow.BinaryTypes.String, decode: decodeText},
	oidBpchar:      {arrow: arrow.BinaryTypes.String, decode: decodeText},
	oidName:        {arrow: arrow.BinaryTypes.String, decode: decodeText},
	oidBytea:       {arrow: arrow.BinaryTypes.Binary, decode: decodeBytes},
	oidJSON:        {arrow: arrow.BinaryTypes.String, meta: extension("arrow.json"), decode: decodeText},
	oidJSONB:       {arrow: arrow.BinaryTypes.String, meta: extension("arrow.json"), decode: decodeJSONB},
	oidUUID:        {arrow: &arrow.FixedSizeBinaryType{ByteWidth: 16}, meta: extension("arrow.uuid"), decode: decodeUUID},
	oidDate:        {arrow: arrow.FixedWidthTypes.Date32, decode: decodeDate},
	oidTime:        {arrow: arrow.FixedWidthTypes.Time64us, decode: decodeTime},
	oidTimestamp:   {arrow: &arrow.TimestampType{Unit: arrow.Microsecond}, decode: decodeTimestamp},
	oidTimestamptz: {arrow: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, decode: decodeTimestamp},
	oidInterval:    {arrow: arrow.BinaryTypes.String, decode: decodeInterval, note: textOf(&pgType{name: "interval"})},
}

// codec finds how values of a type travel. What has no form of its own is
// selected as text.
func (ts types) codec(d declared, depth int) codec {
	d = ts.base(d)
	if c, ok := plainCodecs[d.oid]; ok {
		return c
	}
	t := ts[d.oid]
	asText := codec{arrow: arrow.BinaryTypes.String, decode: decodeText, cast: "text", note: textOf(t)}
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
		return codec{arrow: arrow.BinaryTypes.String, decode: decodeNumericText, note: textOf(t)}
	}
	return codec{arrow: &arrow.Decimal128Type{Precision: precision, Scale: scale}, decode: decodeDecimal(scale)}
}

// list is an array of one dimension. Elements that must be cast are cast with
// the array.
func (ts types) list(t *pgType, d declared, depth int) codec {
	elem := ts.codec(declared{oid: t.elem, mod: d.mod}, depth+1)
	c := codec{arrow: arrow.ListOfField(elem.field("l")), decode: decodeList(elem), note: elem.note}
	if elem.cast != "" {
		c.cast = elem.cast + "[]"
	}
	return c
}

// record is a composite type, all of whose fields have forms of their own.
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
