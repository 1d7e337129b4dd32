package spark

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// dataType is a type as the schema of a plan has it.
type dataType struct {
	name   string         // in the dialect of predicates
	arrow  arrow.DataType // of the rows; nil: they are read as text
	called string         // what Spark calls it
	fields []api.Column   // of a struct, also of one in a list
	binary bool           // texts are compared by their bytes
}

// simple are the types without parts, by the number of their field in DataType.
var simple = map[protowire.Number]dataType{
	1: {called: "VOID"}, 2: {name: "BLOB", arrow: arrow.BinaryTypes.Binary}, 3: {name: "BOOLEAN", arrow: arrow.FixedWidthTypes.Boolean},
	4: {name: "TINYINT", arrow: arrow.PrimitiveTypes.Int8}, 5: {name: "SMALLINT", arrow: arrow.PrimitiveTypes.Int16},
	6: {name: "INTEGER", arrow: arrow.PrimitiveTypes.Int32}, 7: {name: "BIGINT", arrow: arrow.PrimitiveTypes.Int64},
	8: {name: "FLOAT", arrow: arrow.PrimitiveTypes.Float32}, 9: {name: "DOUBLE", arrow: arrow.PrimitiveTypes.Float64},
	12: {name: "VARCHAR", arrow: arrow.BinaryTypes.String}, 13: {name: "VARCHAR", arrow: arrow.BinaryTypes.String},
	14: {name: "DATE", arrow: arrow.FixedWidthTypes.Date32}, 15: {name: "TIMESTAMP WITH TIME ZONE", arrow: arrow.FixedWidthTypes.Timestamp_us},
	16: {name: "TIMESTAMP", arrow: &arrow.TimestampType{Unit: arrow.Microsecond}},
	17: {called: "INTERVAL"}, 18: {called: "INTERVAL YEAR TO MONTH"}, 19: {called: "INTERVAL DAY TO SECOND"}, 25: {called: "VARIANT"},
	28: {called: "TIME"},
	26: {called: "GEOMETRY"}, 27: {called: "GEOGRAPHY"}, 24: {called: "a type without a name"}, 23: {called: "a type of a program"},
}

// readType reads a DataType. One with a part that has no type of its own here is read
// as text.
func readType(b []byte) (t dataType, err error) {
	err = each(b, func(n protowire.Number, _ uint64, body []byte) error {
		switch n {
		case 10:
			t, err = decimalType(body)
		case 11:
			t = simple[12]
			collation, err := at(body, 2)
			t.binary = len(collation) == 0 || string(collation) == "UTF8_BINARY"
			return err
		case 20:
			t, err = listType(body)
		case 21:
			t, err = structType(body)
		case 22:
			t, err = mapType(body)
		default:
			t = simple[n]
			t.binary = true
		}
		return err
	})
	if err == nil && t.arrow == nil {
		if t.called == "" {
			t.called = "a type that is not known"
		}
		t.name = "VARCHAR"
	}
	return t, err
}

func decimalType(b []byte) (dataType, error) {
	precision, scale := int32(10), int32(0)
	err := each(b, func(n protowire.Number, v uint64, _ []byte) error {
		switch n {
		case 1:
			scale = int32(v)
		case 2:
			precision = int32(v)
		}
		return nil
	})
	return dataType{name: fmt.Sprintf("DECIMAL(%d,%d)", precision, scale), arrow: &arrow.Decimal128Type{Precision: precision, Scale: scale},
		binary: true}, err
}

func listType(b []byte) (dataType, error) {
	inner, err := partType(b, 1)
	return listOf(inner), err
}

func listOf(inner dataType) dataType {
	t := dataType{called: "ARRAY of " + inner.called, fields: inner.fields, binary: inner.binary}
	if inner.arrow != nil {
		t.name, t.arrow = inner.name+"[]", arrow.ListOf(inner.arrow)
	}
	return t
}

func mapType(b []byte) (dataType, error) {
	key, err := partType(b, 1)
	if err != nil {
		return key, err
	}
	value, err := partType(b, 2)
	return mapOf(key, value), err
}

func mapOf(key, value dataType) dataType {
	t := dataType{called: "MAP of " + key.called + value.called, binary: key.binary && value.binary}
	if key.arrow != nil && value.arrow != nil {
		t.name, t.arrow = "MAP("+key.name+", "+value.name+")", arrow.MapOf(key.arrow, value.arrow)
	}
	return t
}

func partType(b []byte, n protowire.Number) (dataType, error) {
	inner, err := at(b, n)
	if err != nil {
		return dataType{}, err
	}
	return readType(inner)
}

func structType(b []byte) (dataType, error) {
	fields, err := readFields(b)
	return structOf(fields), err
}

func structOf(fields []column) dataType {
	t := dataType{called: "STRUCT", binary: true}
	var names []string
	var of []arrow.Field
	for _, f := range fields {
		t.binary = t.binary && f.binary
		if f.dataType.arrow == nil {
			t.called += " with " + f.called
			return t
		}
		names = append(names, predicate.QuoteIdent(predicate.DuckDB, f.Name)+" "+f.dataType.name)
		of = append(of, arrow.Field{Name: f.Name, Type: f.dataType.arrow, Nullable: true})
		t.fields = append(t.fields, f.Column)
	}
	t.name, t.arrow = "STRUCT("+strings.Join(names, ", ")+")", arrow.StructOf(of...)
	return t
}

// column is a column, or a field of a struct.
type column struct {
	api.Column
	dataType
}

// readFields reads the fields of a struct, as which a plan's columns come.
func readFields(b []byte) (fields []column, err error) {
	err = each(b, func(_ protowire.Number, _ uint64, body []byte) error {
		var c column
		var metadata []byte
		if err := each(body, func(n protowire.Number, v uint64, body []byte) (err error) {
			switch n {
			case 1:
				c.Name = string(body)
			case 2:
				c.dataType, err = readType(body)
			case 3:
				c.Nullable = v != 0
			case 4:
				metadata = body
			}
			return err
		}); err != nil {
			return err
		}
		// Texts of a fixed length are compared as if they were padded.
		c.binary = c.binary && !bytes.Contains(metadata, []byte(`"__CHAR_VARCHAR_TYPE_STRING":"char(`))
		c.Type, c.Fields, c.Description = c.dataType.name, c.dataType.fields, comment(metadata)
		fields = append(fields, c)
		return nil
	})
	return fields, err
}
