package bigquery

import (
	"fmt"
	"strings"

	"cloud.google.com/go/bigquery"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// column is a column and how its values are read.
type column struct {
	api.Column
	// item is the select item: the column, or a cast of it under its name.
	item string
	// warning says what the cast loses; empty if nothing.
	warning string
	field   *bigquery.FieldSchema
}

func columnOf(f *bigquery.FieldSchema) column {
	c := column{Column: describe(f), field: f}
	name := predicate.QuoteIdent(predicate.GoogleSQL, f.Name)
	c.item = name
	why := unfit(f)
	switch {
	case why == "":
	case f.Repeated:
		c.item = "TO_JSON_STRING(" + name + ") AS " + name
		c.warning = fmt.Sprintf("column %s becomes JSON text: %s", name, why)
	case f.Type == bigquery.RecordFieldType:
		// TO_JSON_STRING would turn NULL into text, too.
		c.item = "IF(" + name + " IS NULL, NULL, TO_JSON_STRING(" + name + ")) AS " + name
		c.warning = fmt.Sprintf("column %s becomes JSON text: %s", name, why)
	case f.Type == bigquery.IntervalFieldType:
		c.item = intervalText(name) + " AS " + name
		c.warning = fmt.Sprintf("column %s becomes text: %s", name, why)
	default:
		c.item = "CAST(" + name + " AS STRING) AS " + name
		c.warning = fmt.Sprintf("column %s becomes text: %s", name, why)
	}
	return c
}

// intervalText writes an interval as the local engine reads it: years and months,
// days, and time, each with its sign, because they cannot be converted into each
// other.
func intervalText(name string) string {
	part := func(p string) string { return "EXTRACT(" + p + " FROM " + name + ")" }
	months := part("YEAR") + " * 12 + " + part("MONTH")
	micros := "((" + part("HOUR") + " * 60 + " + part("MINUTE") + ") * 60 + " + part("SECOND") + ") * 1000000 + " + part("MICROSECOND")
	return "CONCAT(CAST(" + months + " AS STRING), ' months ', CAST(" + part("DAY") + " AS STRING), ' days ', CAST(" + micros +
		" AS STRING), ' microseconds')"
}

// unfit returns the reason why a field's values cannot be read unchanged; empty if
// they can.
func unfit(f *bigquery.FieldSchema) string {
	switch f.Type {
	case bigquery.BigNumericFieldType:
		return "a BIGNUMERIC has up to 76 digits, parquet has 38"
	case bigquery.IntervalFieldType:
		return "parquet cuts an INTERVAL to milliseconds and has no negative ones"
	case bigquery.RangeFieldType:
		return "parquet has no RANGE"
	case bigquery.RecordFieldType:
		for _, sub := range f.Schema {
			if why := unfit(sub); why != "" {
				return why
			}
		}
	}
	return ""
}

func describe(f *bigquery.FieldSchema) api.Column {
	c := api.Column{Name: f.Name, Type: typeName(f), Nullable: !f.Required && !f.Repeated, Description: f.Description, Collation: f.Collation}
	for _, sub := range f.Schema {
		c.Fields = append(c.Fields, describe(sub))
	}
	return c
}

// scalars are the names in GoogleSQL of the API's types.
var scalars = map[bigquery.FieldType]string{
	bigquery.IntegerFieldType: "INT64", bigquery.FloatFieldType: "FLOAT64", bigquery.BooleanFieldType: "BOOL",
}

// typeName is a field's type as GoogleSQL writes it, for people.
func typeName(f *bigquery.FieldSchema) string {
	return spelled(f, func(name string) string { return name }, parameters)
}

// spelled writes a field's type with names and parameters as they are wanted.
func spelled(f *bigquery.FieldSchema, named func(string) string, parameters func(*bigquery.FieldSchema) string) string {
	name, ok := scalars[f.Type]
	switch {
	case ok:
	case f.Type == bigquery.RecordFieldType:
		members := make([]string, len(f.Schema))
		for i, sub := range f.Schema {
			members[i] = named(sub.Name) + " " + spelled(sub, named, parameters)
		}
		name = "STRUCT<" + strings.Join(members, ", ") + ">"
	case f.Type == bigquery.RangeFieldType && f.RangeElementType != nil:
		name = "RANGE<" + string(f.RangeElementType.Type) + ">"
	default:
		name = string(f.Type) + parameters(f)
	}
	if f.Repeated {
		return "ARRAY<" + name + ">"
	}
	return name
}

// parameters writes the parameters of a type, if it has any.
func parameters(f *bigquery.FieldSchema) string {
	switch {
	case f.Precision > 0 && f.Scale > 0:
		return fmt.Sprintf("(%d, %d)", f.Precision, f.Scale)
	case f.Precision > 0:
		return fmt.Sprintf("(%d)", f.Precision)
	case f.MaxLength > 0:
		return fmt.Sprintf("(%d)", f.MaxLength)
	}
	return ""
}
