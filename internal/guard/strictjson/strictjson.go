// Package strictjson decodes JSON objects whose fields people and models write by
// hand. Unknown fields are refused: they would be ignored silently. It does not
// judge values.
package strictjson

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/words/suggest"
)

// Decode decodes an object into a struct. Its error says which field the struct
// does not have, and which one was probably meant. Numbers in fields of any type
// keep their digits.
func Decode(data []byte, into any) error {
	var given map[string]json.RawMessage
	if json.Unmarshal(data, &given) == nil {
		have := fields(reflect.TypeOf(into))
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if slices.ContainsFunc(have, func(field string) bool { return strings.EqualFold(field, name) }) {
				continue
			}
			if near := suggest.Near(name, have); len(near) > 0 {
				return fmt.Errorf("there is no field %.80q; did you mean %q?", name, near[0])
			}
			return fmt.Errorf("there is no field %.80q; the fields are %s", name, strings.Join(have, ", "))
		}
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields() // in objects inside of this one
	d.UseNumber()
	return d.Decode(into)
}

// fields lists the names of a struct's fields in JSON.
func fields(t reflect.Type) (names []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			names = append(names, fields(f.Type)...)
		case name == "":
			names = append(names, f.Name)
		case name != "-":
			names = append(names, name)
		}
	}
	return names
}
