package duckdb

import (
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
)

// MaxLists is how many lists, maps among them, may lie within one another in a
// parquet file: the engine takes twice the time to read it for each, for ever
// from some thirty on, and cannot be stopped in between.
const MaxLists = 16

// FewLists refuses a column of a parquet file whose type, as the engine prints it,
// has more than MaxLists lists within one another.
func FewLists(column, typ string) error {
	var lists int
	if t, err := parseType(typ); err == nil {
		lists = t.lists()
	} else { // perhaps nested too deeply to be parsed
		lists = strings.Count(typ, "[") + strings.Count(typ, "MAP(")
	}
	if lists > MaxLists {
		return fmt.Errorf("column %q has more than %d lists within one another", column, MaxLists)
	}
	return nil
}

// lists counts the lists within one another.
func (t typeName) lists() int {
	most := 0
	for _, f := range t.fields {
		most = max(most, f.typ.lists())
	}
	switch t.name {
	case "LIST", "ARRAY", "MAP":
		return most + 1
	}
	return most
}

// fewLists refuses a schema that has more than MaxLists lists within one another.
func fewLists(s *arrow.Schema) error {
	for i, f := range s.Fields() {
		if listsOf(f.Type) > MaxLists {
			return &Error{Type: "Invalid Input", Position: -1,
				Message: fmt.Sprintf("column %d has more than %d lists within one another: such a file could be written, and not read", i+1, MaxLists)}
		}
	}
	return nil
}

func listsOf(t arrow.DataType) int {
	nested, ok := t.(arrow.NestedType)
	if !ok {
		return 0
	}
	most := 0
	for _, f := range nested.Fields() {
		most = max(most, listsOf(f.Type))
	}
	if t.ID() == arrow.STRUCT {
		return most
	}
	return most + 1
}

// HasLists reports whether a type, as the engine prints it, may have lists within.
func HasLists(typ string) bool {
	return strings.Contains(typ, "[") || strings.Contains(typ, "MAP(") || strings.Contains(typ, "VARIANT")
}

// NamedFields refuses a column whose type has a field without a name: of such a type, the
// engine prints no names at all.
func NamedFields(column, typ string) error {
	if t, err := parseType(typ); err == nil && t.unnamed() {
		return fmt.Errorf("column %q has a field without a name, as parquet has for a UNION of DuckDB; write the column as JSON, or as text", column)
	}
	return nil
}

func (t typeName) unnamed() bool {
	return slices.ContainsFunc(t.fields, func(f typeField) bool { return t.name == "STRUCT" && f.name == "" || f.typ.unnamed() })
}
