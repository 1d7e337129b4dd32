package arrowjson

import "github.com/apache/arrow-go/v18/arrow"

// TypeName returns an engine-independent name for the type of a field's values:
// integer, decimal, float, boolean, string, date, time, timestamp, timestamptz,
// interval, json, uuid, blob, list, struct, map, union or null.
func TypeName(field arrow.Field) string {
	ext, t := extensionOf(field)
	switch ext.name {
	case extBool8:
		return "boolean"
	case extUUID:
		return "uuid"
	case extJSON:
		return "json"
	case extOpaque:
		switch ext.opaque {
		case opaqueHugeint, opaqueUhugeint, opaqueBignum:
			return "integer"
		case opaqueBit:
			return "string"
		case opaqueTimeTZ:
			return "time"
		}
	}
	if d, ok := t.(*arrow.DictionaryType); ok {
		t = d.ValueType
	}
	if stamp, ok := t.(*arrow.TimestampType); ok && stamp.TimeZone != "" {
		return "timestamptz"
	}
	if name := typeNames[t.ID()]; name != "" {
		return name
	}
	if arrow.IsInteger(t.ID()) {
		return "integer"
	}
	if d, ok := t.(arrow.DecimalType); ok {
		if d.GetScale() == 0 {
			return "integer" // as which huge ones travel
		}
		return "decimal"
	}
	return t.Name()
}

var typeNames = map[arrow.Type]string{
	arrow.NULL: "null", arrow.BOOL: "boolean",
	arrow.FLOAT16: "float", arrow.FLOAT32: "float", arrow.FLOAT64: "float",
	arrow.STRING: "string", arrow.LARGE_STRING: "string", arrow.STRING_VIEW: "string",
	arrow.BINARY: "blob", arrow.LARGE_BINARY: "blob", arrow.BINARY_VIEW: "blob", arrow.FIXED_SIZE_BINARY: "blob",
	arrow.DATE32: "date", arrow.DATE64: "date", arrow.TIME32: "time", arrow.TIME64: "time", arrow.TIMESTAMP: "timestamp",
	arrow.INTERVAL_MONTHS: "interval", arrow.INTERVAL_DAY_TIME: "interval", arrow.INTERVAL_MONTH_DAY_NANO: "interval",
	arrow.DURATION: "interval",
	arrow.LIST:     "list", arrow.LARGE_LIST: "list", arrow.FIXED_SIZE_LIST: "list", arrow.LIST_VIEW: "list", arrow.LARGE_LIST_VIEW: "list",
	arrow.STRUCT: "struct", arrow.MAP: "map", arrow.SPARSE_UNION: "union", arrow.DENSE_UNION: "union",
}

// Unsigned reports whether a field's values are the engine's unsigned huge
// integers, whose storage looks the same as that of signed ones.
func Unsigned(field arrow.Field) bool {
	ext, _ := extensionOf(field)
	return ext.opaque == opaqueUhugeint
}
