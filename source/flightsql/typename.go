package flightsql

import (
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/extensions"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// names are the names of Arrow types in the dialects.
var names = map[predicate.Dialect]map[arrow.Type]string{
	predicate.DuckDB: {
		arrow.BOOL: "BOOLEAN", arrow.INT8: "TINYINT", arrow.INT16: "SMALLINT", arrow.INT32: "INTEGER", arrow.INT64: "BIGINT",
		arrow.UINT8: "UTINYINT", arrow.UINT16: "USMALLINT", arrow.UINT32: "UINTEGER", arrow.UINT64: "UBIGINT",
		arrow.FLOAT32: "FLOAT", arrow.FLOAT64: "DOUBLE",
		arrow.STRING: "VARCHAR", arrow.LARGE_STRING: "VARCHAR", arrow.STRING_VIEW: "VARCHAR",
		arrow.BINARY: "BLOB", arrow.LARGE_BINARY: "BLOB", arrow.BINARY_VIEW: "BLOB", arrow.FIXED_SIZE_BINARY: "BLOB",
		arrow.DATE32: "DATE", arrow.DATE64: "DATE", arrow.TIME32: "TIME", arrow.TIME64: "TIME",
		arrow.INTERVAL_MONTHS: "INTERVAL", arrow.INTERVAL_DAY_TIME: "INTERVAL", arrow.INTERVAL_MONTH_DAY_NANO: "INTERVAL",
	},
	predicate.Postgres: {
		arrow.BOOL: "boolean", arrow.INT8: "smallint", arrow.INT16: "smallint", arrow.INT32: "integer", arrow.INT64: "bigint",
		arrow.UINT8: "smallint", arrow.UINT16: "integer", arrow.UINT32: "bigint", arrow.UINT64: "numeric(20,0)",
		arrow.FLOAT32: "real", arrow.FLOAT64: "double precision",
		arrow.STRING: "text", arrow.LARGE_STRING: "text", arrow.STRING_VIEW: "text",
		arrow.BINARY: "bytea", arrow.LARGE_BINARY: "bytea", arrow.BINARY_VIEW: "bytea", arrow.FIXED_SIZE_BINARY: "bytea",
		arrow.DATE32: "date", arrow.DATE64: "date", arrow.TIME32: "time without time zone", arrow.TIME64: "time without time zone",
		arrow.INTERVAL_MONTHS: "interval", arrow.INTERVAL_DAY_TIME: "interval", arrow.INTERVAL_MONTH_DAY_NANO: "interval",
	},
}

// typeName returns the name of an Arrow type in the dialect, and the columns
// inside it. If the dialect has no such type, ok is false and the values are read
// as text.
func typeName(d predicate.Dialect, dt arrow.DataType) (name string, fields []api.Column, ok bool) {
	switch t := dt.(type) {
	case arrow.ExtensionType:
		return extensionName(d, t)
	case *arrow.DictionaryType:
		return typeName(d, t.ValueType)
	case arrow.DecimalType:
		if t.GetPrecision() > 38 {
			return "", nil, false
		}
		name = fmt.Sprintf("%s(%d,%d)", map[bool]string{true: "numeric", false: "DECIMAL"}[d == predicate.Postgres], t.GetPrecision(),
			t.GetScale())
		return name, nil, true
	case *arrow.TimestampType:
		return timestampName(d, t), nil, true
	case *arrow.ListType, *arrow.LargeListType, *arrow.FixedSizeListType:
		elem := dt.(interface{ Elem() arrow.DataType }).Elem()
		name, fields, ok = typeName(d, elem)
		return name + "[]", fields, ok
	case *arrow.StructType:
		return structName(d, t)
	}
	name, ok = names[d][dt.ID()]
	return name, nil, ok
}

func timestampName(d predicate.Dialect, t *arrow.TimestampType) string {
	switch {
	case d == predicate.Postgres && t.TimeZone != "":
		return "timestamp with time zone"
	case d == predicate.Postgres:
		return "timestamp without time zone"
	case t.TimeZone != "":
		return "TIMESTAMP WITH TIME ZONE"
	}
	return map[arrow.TimeUnit]string{
		arrow.Second: "TIMESTAMP_S", arrow.Millisecond: "TIMESTAMP_MS", arrow.Microsecond: "TIMESTAMP", arrow.Nanosecond: "TIMESTAMP_NS",
	}[t.Unit]
}

func extensionName(d predicate.Dialect, t arrow.ExtensionType) (string, []api.Column, bool) {
	spelt := func(s string) (string, []api.Column, bool) {
		if d == predicate.Postgres {
			s = strings.ToLower(s)
		}
		return s, nil, true
	}
	switch t := t.(type) {
	case *extensions.UUIDType:
		return spelt("UUID")
	case *extensions.JSONType:
		return spelt("JSON")
	case *extensions.Bool8Type:
		return spelt("BOOLEAN")
	case *extensions.OpaqueType:
		if word := strings.ToUpper(t.TypeName); d == predicate.DuckDB && (word == "HUGEINT" || word == "UHUGEINT") {
			return word, nil, true
		}
	}
	return "", nil, false
}

// structName writes the type of a STRUCT. PostgreSQL has no such type name.
func structName(d predicate.Dialect, t *arrow.StructType) (string, []api.Column, bool) {
	if d == predicate.Postgres {
		return "", nil, false
	}
	var parts []string
	var fields []api.Column
	for _, f := range t.Fields() {
		name, inner, ok := typeName(d, f.Type)
		if !ok {
			return "", nil, false
		}
		parts = append(parts, predicate.QuoteIdent(d, f.Name)+" "+name)
		fields = append(fields, api.Column{Name: f.Name, Type: name, Nullable: true, Fields: inner})
	}
	return "STRUCT(" + strings.Join(parts, ", ") + ")", fields, true
}
