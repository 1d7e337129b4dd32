package iceberg

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/source/listed"
)

// field is a column, or a field of a struct; an element, a key or a value has no
// name of its own.
type field struct {
	ID       int             `json:"id"`
	Name     string          `json:"name"`
	Required bool            `json:"required"`
	Type     dataType        `json:"type"`
	Doc      string          `json:"doc,omitempty"`
	Default  json.RawMessage `json:"initial-default,omitempty"`
}

// dataType is a type of Iceberg's.
type dataType struct {
	name                string  // of a simple type
	fields              []field // of a struct
	element, key, value *field  // of a list, or a map
	raw                 json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (t dataType) MarshalJSON() ([]byte, error) { return t.raw, nil }

// UnmarshalJSON implements json.Unmarshaler.
func (t *dataType) UnmarshalJSON(b []byte) error {
	t.raw = append(json.RawMessage(nil), b...)
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.name)
	}
	var of struct {
		Type                string
		Fields              []field
		ElementID           int `json:"element-id"`
		Element, Key, Value *dataType
		KeyID               int `json:"key-id"`
		ValueID             int `json:"value-id"`
	}
	if err := json.Unmarshal(b, &of); err != nil {
		return err
	}
	switch {
	case of.Type == "struct":
		t.fields = append([]field{}, of.Fields...)
	case of.Type == "list" && of.Element != nil:
		t.element = &field{ID: of.ElementID, Name: "element", Type: *of.Element}
	case of.Type == "map" && of.Key != nil && of.Value != nil:
		t.key, t.value = &field{ID: of.KeyID, Name: "key", Type: *of.Key}, &field{ID: of.ValueID, Name: "value", Type: *of.Value}
	default:
		t.name = of.Type
	}
	return nil
}

// simple are the engine's types.
var simple = map[string]string{
	"boolean": "BOOLEAN", "int": "INTEGER", "long": "BIGINT", "float": "FLOAT", "double": "DOUBLE", "date": "DATE", "time": "TIME",
	"timestamp": "TIMESTAMP", "timestamptz": "TIMESTAMP WITH TIME ZONE", "timestamp_ns": "TIMESTAMP_NS", "timestamptz_ns": "TIMESTAMP WITH TIME ZONE",
	"string": "VARCHAR", "uuid": "UUID", "binary": "BLOB", "variant": "VARIANT",
}

var decimal = lazyregexp.New(`^decimal\((\d+), ?(\d+)\)$`)

// naming chooses the name of a field of a struct.
type naming func(*field) string

func logical(f *field) string { return f.Name }

// engine is the engine's name of a type.
func (t *dataType) engine(named naming) (string, error) {
	switch {
	case t.fields != nil:
		parts := make([]string, len(t.fields))
		for i := range t.fields {
			typ, err := t.fields[i].Type.engine(named)
			if err != nil {
				return "", err
			}
			parts[i] = duckdb.Quote(named(&t.fields[i])) + " " + typ
		}
		if len(parts) == 0 {
			return "", listed.Refused("a struct without fields")
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")", nil
	case t.element != nil:
		typ, err := t.element.Type.engine(named)
		return typ + "[]", err
	case t.key != nil:
		key, err := t.key.Type.engine(named)
		if err != nil {
			return "", err
		}
		value, err := t.value.Type.engine(named)
		return fmt.Sprintf("MAP(%s, %s)", key, value), err
	}
	if m := decimal().FindStringSubmatch(t.name); m != nil {
		return fmt.Sprintf("DECIMAL(%s,%s)", m[1], m[2]), nil
	}
	if strings.HasPrefix(t.name, "fixed[") {
		return "BLOB", nil
	}
	if typ, ok := simple[t.name]; ok {
		return typ, nil
	}
	return "", listed.Refused(fmt.Sprintf("a column of type %q", t.name))
}

// nanos reports whether a type holds nanoseconds that the engine cuts.
func (t *dataType) nanos() bool {
	for _, f := range t.inside() {
		if f.Type.nanos() {
			return true
		}
	}
	return t.name == "timestamptz_ns"
}

// defaults reports whether fields inside have defaults for files that lack them.
func (t *dataType) defaults() bool {
	for _, f := range t.inside() {
		if len(f.Default) > 0 && string(f.Default) != "null" || f.Type.defaults() {
			return true
		}
	}
	return false
}

// inside are the fields that a type consists of.
func (t *dataType) inside() (fields []*field) {
	for i := range t.fields {
		fields = append(fields, &t.fields[i])
	}
	for _, f := range []*field{t.element, t.key, t.value} {
		if f != nil {
			fields = append(fields, f)
		}
	}
	return fields
}

// rebuilt gives the fields of a value that was read their own names: named has
// those in the files.
func (t *dataType) rebuilt(value string, named naming) (string, bool) {
	switch {
	case t.fields != nil:
		parts, differ := make([]string, len(t.fields)), false
		for i := range t.fields {
			f := &t.fields[i]
			part, deep := f.Type.rebuilt("("+value+")."+duckdb.Quote(named(f)), named)
			parts[i], differ = duckdb.Quote(f.Name)+" := "+part, differ || deep || named(f) != f.Name
		}
		if differ {
			return "CASE WHEN " + value + " IS NOT NULL THEN struct_pack(" + strings.Join(parts, ", ") + ") END", true
		}
	case t.element != nil:
		if each, ok := t.element.Type.rebuilt("x", named); ok {
			return "list_transform(" + value + ", lambda x: " + each + ")", true
		}
	case t.key != nil:
		key, first := t.key.Type.rebuilt("x.key", named)
		val, second := t.value.Type.rebuilt("x.value", named)
		if first || second {
			return "map_from_entries(list_transform(map_entries(" + value + "), lambda x: struct_pack(key := " + key + ", value := " + val + ")))", true
		}
	}
	return value, false
}

// renamedInside reports whether any schema of the table's history gives a field
// inside of a column another name, or another field its name: the engine finds
// these by names.
func (m *metadata) renamedInside() bool {
	names, places := map[int]string{}, map[string]int{}
	var differ func(parent int, t *dataType) bool
	differ = func(parent int, t *dataType) bool {
		for _, f := range t.inside() {
			place := fmt.Sprintf("%d %s", parent, f.Name)
			name, known := names[f.ID]
			id, taken := places[place]
			if known && name != f.Name || taken && id != f.ID || differ(f.ID, &f.Type) {
				return true
			}
			names[f.ID], places[place] = f.Name, f.ID
		}
		return false
	}
	for i := range m.Schemas {
		for j := range m.Schemas[i].Fields {
			if f := &m.Schemas[i].Fields[j]; differ(f.ID, &f.Type) {
				return true
			}
		}
	}
	return false
}
