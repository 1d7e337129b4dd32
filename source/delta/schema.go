package delta

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/source/listed"
)

// field is a column, or a field of a struct.
type field struct {
	Name     string   `json:"name"`
	Type     dataType `json:"type"`
	Nullable bool     `json:"nullable"`
	Metadata struct {
		Comment  string `json:"comment"`
		ID       *int64 `json:"delta.columnMapping.id"`
		Physical string `json:"delta.columnMapping.physicalName"`
	} `json:"metadata"`
}

// dataType is a type of Delta's.
type dataType struct {
	name                string    // of a simple type
	fields              []field   // of a struct
	element, key, value *dataType // of an array, or a map
}

// UnmarshalJSON implements json.Unmarshaler.
func (t *dataType) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &t.name)
	}
	var of struct {
		Type                            string
		Fields                          []field
		ElementType, KeyType, ValueType *dataType
	}
	if err := json.Unmarshal(b, &of); err != nil {
		return err
	}
	switch {
	case of.Type == "struct":
		t.fields = append([]field{}, of.Fields...)
	case of.Type == "array" && of.ElementType != nil:
		t.element = of.ElementType
	case of.Type == "map" && of.KeyType != nil && of.ValueType != nil:
		t.key, t.value = of.KeyType, of.ValueType
	default:
		t.name = of.Type
	}
	return nil
}

// simple are the engine's types.
var simple = map[string]string{
	"boolean": "BOOLEAN", "byte": "TINYINT", "short": "SMALLINT", "integer": "INTEGER", "long": "BIGINT", "float": "FLOAT", "double": "DOUBLE",
	"string": "VARCHAR", "binary": "BLOB", "date": "DATE", "timestamp": "TIMESTAMP WITH TIME ZONE", "timestamp_ntz": "TIMESTAMP", "variant": "VARIANT",
}

var decimal = lazyregexp.New(`^decimal\((\d+), ?(\d+)\)$`)

// naming chooses the name of a field: its own, or that in the files.
type naming func(*field) string

func logical(f *field) string { return f.Name }

func physical(f *field) string {
	if f.Metadata.Physical != "" {
		return f.Metadata.Physical
	}
	return f.Name
}

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
		typ, err := t.element.engine(named)
		return typ + "[]", err
	case t.key != nil:
		key, err := t.key.engine(named)
		if err != nil {
			return "", err
		}
		value, err := t.value.engine(named)
		return fmt.Sprintf("MAP(%s, %s)", key, value), err
	}
	if m := decimal().FindStringSubmatch(t.name); m != nil {
		return fmt.Sprintf("DECIMAL(%s,%s)", m[1], m[2]), nil
	}
	if typ, ok := simple[t.name]; ok {
		return typ, nil
	}
	return "", listed.Refused(fmt.Sprintf("a column of type %q", t.name))
}

// renamed gives the fields of a value their own names, if those in the files
// differ.
func (t *dataType) renamed(value string) (string, bool) {
	switch {
	case t.fields != nil:
		parts, any := make([]string, len(t.fields)), false
		for i := range t.fields {
			f := &t.fields[i]
			part, deep := f.Type.renamed("(" + value + ")." + duckdb.Quote(physical(f)))
			parts[i], any = duckdb.Quote(f.Name)+" := "+part, any || deep || physical(f) != f.Name
		}
		if any {
			return "CASE WHEN " + value + " IS NOT NULL THEN struct_pack(" + strings.Join(parts, ", ") + ") END", true
		}
	case t.element != nil:
		if each, ok := t.element.renamed("x"); ok {
			return "list_transform(" + value + ", lambda x: " + each + ")", true
		}
	case t.key != nil:
		key, first := t.key.renamed("x.key")
		val, second := t.value.renamed("x.value")
		if first || second {
			return "map_from_entries(list_transform(map_entries(" + value + "), lambda x: struct_pack(key := " + key + ", value := " + val + ")))", true
		}
	}
	return value, false
}
