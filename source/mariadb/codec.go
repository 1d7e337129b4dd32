package mariadb

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// codec says how the values of a column are read.
type codec struct {
	name   string // the name of the type in DuckDB
	arrow  arrow.DataType
	expr   string // the select item that returns the values as text; %s is the column
	decode decoder
	// note says what is lost, as a sentence without a full stop.
	note string
}

// declared is the type of a column in the information schema.
type declared struct {
	name             string // int
	full             string // int(10) unsigned
	precision, scale int
}

func (c codec) field(name string) arrow.Field {
	return arrow.Field{Name: name, Type: c.arrow, Nullable: true}
}

// integers gives the width of each integer type in bits, as in Arrow.
var integers = map[string]struct {
	signed, unsigned codec
}{
	"tinyint":   {integer("TINYINT", arrow.PrimitiveTypes.Int8), integer("UTINYINT", arrow.PrimitiveTypes.Uint8)},
	"smallint":  {integer("SMALLINT", arrow.PrimitiveTypes.Int16), integer("USMALLINT", arrow.PrimitiveTypes.Uint16)},
	"mediumint": {integer("INTEGER", arrow.PrimitiveTypes.Int32), integer("UINTEGER", arrow.PrimitiveTypes.Uint32)},
	"int":       {integer("INTEGER", arrow.PrimitiveTypes.Int32), integer("UINTEGER", arrow.PrimitiveTypes.Uint32)},
	"bigint":    {integer("BIGINT", arrow.PrimitiveTypes.Int64), integer("UBIGINT", arrow.PrimitiveTypes.Uint64)},
	"year":      {integer("SMALLINT", arrow.PrimitiveTypes.Int16), integer("SMALLINT", arrow.PrimitiveTypes.Int16)},
}

func integer(name string, t arrow.DataType) codec {
	return codec{name: name, arrow: t, expr: "%s", decode: decodeInteger}
}

// text selects texts with one collation, whatever the collation of the column.
const text = "CONVERT(%s USING utf8mb4) COLLATE " + collation

// maxPrecision is the largest number of digits that DuckDB and Arrow allow in a
// DECIMAL.
const maxPrecision = 38

// codecOf returns the codec of a type. Types that have no codec of their own
// become text.
func codecOf(d declared) codec {
	if i, ok := integers[d.name]; ok {
		if strings.Contains(d.full, "unsigned") {
			return i.unsigned
		}
		return i.signed
	}
	switch d.name {
	case "bit":
		return codec{name: "UBIGINT", arrow: arrow.PrimitiveTypes.Uint64, expr: "CAST(%s AS UNSIGNED)", decode: decodeInteger}
	case "decimal":
		if d.precision > maxPrecision {
			return textual(fmt.Sprintf("DECIMAL(%d,%d) has more than %d digits and becomes text", d.precision, d.scale, maxPrecision))
		}
		return codec{name: fmt.Sprintf("DECIMAL(%d,%d)", d.precision, d.scale), expr: "%s", decode: decodeDecimal,
			arrow: &arrow.Decimal128Type{Precision: int32(d.precision), Scale: int32(d.scale)}}
	case "float", "double":
		// As text, a FLOAT has only six digits.
		return codec{name: "DOUBLE", arrow: arrow.PrimitiveTypes.Float64, expr: "CAST(%s AS DOUBLE)", decode: decodeFloat}
	case "date":
		return codec{name: "DATE", arrow: arrow.FixedWidthTypes.Date32, expr: "%s", decode: decodeDate}
	case "datetime":
		return codec{name: "TIMESTAMP", arrow: &arrow.TimestampType{Unit: arrow.Microsecond}, expr: "%s", decode: decodeTimestamp}
	case "timestamp":
		return codec{name: "TIMESTAMPTZ", arrow: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}, expr: "%s",
			decode: decodeTimestamp}
	case "binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob":
		return codec{name: "BLOB", arrow: arrow.BinaryTypes.Binary, expr: "%s", decode: decodeBytes}
	case "char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set":
		return textual("")
	case "time":
		return textual("TIME holds spans of up to 838 hours and becomes text")
	case "geometry", "point", "linestring", "polygon", "multipoint", "multilinestring", "multipolygon", "geometrycollection":
		return codec{name: "BLOB", arrow: arrow.BinaryTypes.Binary, expr: "ST_AsWKB(%s)", decode: decodeBytes,
			note: "geometry becomes WKB, without its SRID"}
	}
	return textual(fmt.Sprintf("the type %s becomes text", d.name))
}

func textual(note string) codec {
	return codec{name: "VARCHAR", arrow: arrow.BinaryTypes.String, expr: text, decode: decodeText, note: note}
}
