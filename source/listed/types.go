package listed

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Field is a column, or a field of a struct, as the metadata of Delta and of Iceberg
// have it. An element, a key or a value has no name of its own.
type Field struct {
	ID       int             `json:"id"`
	Name     string          `json:"name"`
	Required bool            `json:"required"`
	Type     Type            `json:"type"`
	Doc      string          `json:"doc,omitempty"`
	Default  json.RawMessage `json:"initial-default,omitempty"`
	// Delta has instead of most of these:
	Nullable bool          `json:"nullable,omitempty"`
	Metadata FieldMetadata `json:"metadata,omitzero"`
}

// FieldMetadata are Delta's notes about a field.
type FieldMetadata struct {
	Comment  string `json:"comment"`
	ID       *int64 `json:"delta.columnMapping.id"`
	Physical string `json:"delta.columnMapping.physicalName"`
	// Changes are the types that the field, or what is inside of it, had before.
	Changes json.RawMessage `json:"delta.typeChanges"`
	// Collations say by which rules the writer's engine compares the texts in it.
	Collations map[string]string `json:"__COLLATIONS"`
}

// Type is a type as metadata nest it.
type Type struct {
	Name                string  // of a simple type, as its format calls it
	Fields              []Field // of a struct
	Element, Key, Value *Field  // of a list, or a map
	raw                 json.RawMessage
}

// MarshalJSON implements json.Marshaler.
func (t Type) MarshalJSON() ([]byte, error) { return t.raw, nil }

// UnmarshalJSON implements json.Unmarshaler.
func (t *Type) UnmarshalJSON(b []byte) error {
	t.raw = append(json.RawMessage(nil), b...)
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.Name)
	}
	var of struct {
		Type                            string
		Fields                          []Field
		Element, Key, Value             *Type // Iceberg's
		ElementID                       int   `json:"element-id"`
		KeyID                           int   `json:"key-id"`
		ValueID                         int   `json:"value-id"`
		ElementType, KeyType, ValueType *Type // Delta's
	}
	if err := json.Unmarshal(b, &of); err != nil {
		return err
	}
	inside := func(name string, id int, either, or *Type) *Field {
		if either == nil {
			either = or
		}
		if either == nil {
			return nil
		}
		return &Field{ID: id, Name: name, Type: *either}
	}
	switch of.Type {
	case "struct":
		t.Fields = append([]Field{}, of.Fields...)
		return nil
	case "list", "array":
		t.Element = inside("element", of.ElementID, of.Element, of.ElementType)
	case "map":
		t.Key, t.Value = inside("key", of.KeyID, of.Key, of.KeyType), inside("value", of.ValueID, of.Value, of.ValueType)
	}
	if t.Element == nil && (t.Key == nil || t.Value == nil) {
		t.Name, t.Key, t.Value = of.Type, nil, nil
	}
	return nil
}

// Inside are the fields that a type consists of.
func (t *Type) Inside() (fields []*Field) {
	for i := range t.Fields {
		fields = append(fields, &t.Fields[i])
	}
	for _, f := range []*Field{t.Element, t.Key, t.Value} {
		if f != nil {
			fields = append(fields, f)
		}
	}
	return fields
}

// Naming chooses the name of a field of a struct: its own, or that in the files.
type Naming func(*Field) string

// Logical is a field's own name.
func Logical(f *Field) string { return f.Name }

var decimal = lazyregexp.New(`^decimal\((\d+), ?(\d+)\)$`)

// ScaleOf is the scale of a decimal type.
func ScaleOf(typ string) (int, bool) {
	m := decimal().FindStringSubmatch(typ)
	if m == nil {
		return 0, false
	}
	n, err := strconv.Atoi(m[2])
	return n, err == nil
}

// Distinct refuses fields that have one name for the engine.
func Distinct(fields []Field) error {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.Name
	}
	if a, b, same := duckdb.SameName(names); same {
		return Refused(fmt.Sprintf("it has columns or fields %q and %q, whose names differ only in case", a, b))
	}
	return nil
}

// Engine is the engine's name of a type; simple has those of the simple types of the
// format, but for decimals.
func (t *Type) Engine(simple map[string]string, named Naming) (string, error) {
	switch {
	case t.Fields != nil:
		if err := Distinct(t.Fields); err != nil {
			return "", err
		}
		parts := make([]string, len(t.Fields))
		for i := range t.Fields {
			typ, err := t.Fields[i].Type.Engine(simple, named)
			if err != nil {
				return "", err
			}
			parts[i] = duckdb.Quote(named(&t.Fields[i])) + " " + typ
		}
		if len(parts) == 0 {
			return "", Refused("a struct without fields")
		}
		return "STRUCT(" + strings.Join(parts, ", ") + ")", nil
	case t.Element != nil:
		typ, err := t.Element.Type.Engine(simple, named)
		return typ + "[]", err
	case t.Key != nil:
		key, err := t.Key.Type.Engine(simple, named)
		if err != nil {
			return "", err
		}
		value, err := t.Value.Type.Engine(simple, named)
		return fmt.Sprintf("MAP(%s, %s)", key, value), err
	}
	if m := decimal().FindStringSubmatch(t.Name); m != nil {
		return fmt.Sprintf("DECIMAL(%s,%s)", m[1], m[2]), nil
	}
	family, _, _ := strings.Cut(t.Name, "[")
	if typ, ok := simple[family]; ok {
		return typ, nil
	}
	return "", Refused(fmt.Sprintf("a column of type %q", t.Name))
}

// Renamed gives the fields of a value that was read their own names, if any differ:
// named has those in the files. absent, if it is not nil, returns the value of a field
// that the files lack.
func (t *Type) Renamed(value string, named Naming, absent func(*Field) (string, bool)) (string, bool) {
	switch {
	case t.Fields != nil:
		parts, differ := make([]string, len(t.Fields)), false
		for i := range t.Fields {
			f := &t.Fields[i]
			part, deep := "", absent != nil
			if deep {
				part, deep = absent(f)
			}
			if !deep {
				part, deep = f.Type.Renamed("("+value+")."+duckdb.Quote(named(f)), named, absent)
			}
			parts[i], differ = duckdb.Quote(f.Name)+" := "+part, differ || deep || named(f) != f.Name
		}
		if differ {
			return "CASE WHEN " + value + " IS NOT NULL THEN struct_pack(" + strings.Join(parts, ", ") + ") END", true
		}
	case t.Element != nil:
		if each, ok := t.Element.Type.Renamed("x", named, absent); ok {
			return "list_transform(" + value + ", lambda x: " + each + ")", true
		}
	case t.Key != nil:
		key, first := t.Key.Type.Renamed("x.key", named, absent)
		val, second := t.Value.Type.Renamed("x.value", named, absent)
		if first || second {
			return "map_from_entries(list_transform(map_entries(" + value + "), lambda x: struct_pack(key := " + key + ", value := " + val + ")))",
				true
		}
	}
	return value, false
}
