package profile

import (
	"encoding/json"
	"slices"
	"strings"
)

// Value is a value with how often it occurs.
type Value struct {
	Value json.RawMessage `json:"value"`
	N     int64           `json:"n"`
}

// Text is the value for people.
func (v Value) Text() string { return TextOf(v.Value) }

// TextOf is a value of JSON for people; the text of NULL is empty.
func TextOf(value json.RawMessage) string {
	var text string
	if json.Unmarshal(value, &text) != nil {
		text = string(value)
	}
	return text
}

// Kind is what a type's values are to a profile.
type Kind int

// Kinds of types; those of Other are only counted.
const (
	Other Kind = iota
	Number
	Text
	Moment // dates and timestamps
	Flag
	Clock // times of day, and others that have an order
)

// KindOf returns the kind of an engine's type, by its name.
func KindOf(typ string) Kind {
	name, _, _ := strings.Cut(typ, "(")
	switch {
	case strings.HasSuffix(typ, "]"):
		return Other
	case slices.Contains([]string{"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT",
		"UHUGEINT", "FLOAT", "DOUBLE", "DECIMAL"}, name):
		return Number
	case name == "VARCHAR" || name == "ENUM":
		return Text
	case name == "DATE" || strings.HasPrefix(name, "TIMESTAMP"):
		return Moment
	case name == "BOOLEAN":
		return Flag
	case strings.HasPrefix(name, "TIME") || name == "UUID":
		return Clock
	}
	return Other
}

// DateForm is the form of a text that likely is a date or a timestamp, as a regular
// expression of all engines.
const DateForm = "^([0-9]{4}[-/.][01]?[0-9][-/.][0-3]?[0-9]([ T][0-9:.,+Z -]*)?|[0-3]?[0-9][-/.][0-3]?[0-9][-/.](19|20)[0-9]{2}|(19|20)[0-9]{2}[01][0-9][0-3][0-9])$"

// Sentinel is a value that some data use in place of NULL.
type Sentinel struct {
	sql   string
	Value json.RawMessage
}

// Holds is the condition that a column has the value, in the SQL of all engines.
func (s Sentinel) Holds(v string) string {
	if s.Value[0] == '"' && !strings.HasPrefix(s.sql, "'") {
		return "CAST(" + v + " AS DATE) = " + s.sql
	}
	if s.Value[0] == '"' {
		return "lower(trim(" + v + ")) = " + s.sql
	}
	return v + " = " + s.sql
}

// Sentinels are such values of each kind.
var Sentinels = map[Kind][]Sentinel{
	Number: {{"-1", json.RawMessage("-1")}, {"-999", json.RawMessage("-999")}, {"-9999", json.RawMessage("-9999")},
		{"9999", json.RawMessage("9999")}, {"99999", json.RawMessage("99999")}, {"999999", json.RawMessage("999999")}},
	Text: {{"''", json.RawMessage(`""`)}, {"'n/a'", json.RawMessage(`"N/A"`)}, {"'na'", json.RawMessage(`"NA"`)},
		{"'null'", json.RawMessage(`"NULL"`)}, {"'none'", json.RawMessage(`"None"`)}, {"'unknown'", json.RawMessage(`"Unknown"`)},
		{"'-'", json.RawMessage(`"-"`)}, {"'?'", json.RawMessage(`"?"`)}},
	Moment: {{"DATE '9999-12-31'", json.RawMessage(`"9999-12-31"`)}, {"DATE '1900-01-01'", json.RawMessage(`"1900-01-01"`)},
		{"DATE '1970-01-01'", json.RawMessage(`"1970-01-01"`)}},
}
