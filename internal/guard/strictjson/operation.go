package strictjson

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
)

// DecodeOperation decodes an operation, one of known. Fields of others are refused
// like those that none has: what they say would not be done.
func DecodeOperation(data []byte, into any, known []string) error {
	var given map[string]json.RawMessage
	var op string
	if json.Unmarshal(data, &given) == nil && json.Unmarshal(given["op"], &op) == nil && slices.Contains(known, op) {
		own := fieldsOf(reflect.TypeOf(into), op)
		for _, name := range slices.Sorted(maps.Keys(given)) {
			if !slices.ContainsFunc(own, func(own string) bool { return strings.EqualFold(own, name) }) {
				hint := "Its fields are " + strings.Join(own, ", ") + "."
				if near := suggest.Near(name, own); len(near) > 0 {
					hint = "Did you mean '" + near[0] + "'? " + hint
				}
				return invalid(hint, "%s has no field %.80q", op, name)
			}
		}
	}
	err := Decode(data, into)
	var wrong *json.UnmarshalTypeError
	switch {
	case errors.As(err, &wrong):
		return invalid("Give it as the operation's schema says.", "an operation's field %s cannot be a JSON %s",
			strings.TrimPrefix(wrong.Field, "plain."), wrong.Value)
	case err != nil:
		return invalid("", "an operation is not as it should be: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return nil
}

func invalid(hint, format string, args ...any) error {
	return &api.Error{Code: api.CodeValidation, Message: fmt.Sprintf(format, args...), Hint: hint}
}

// Operations describes the operations that a struct holds, as "add_sheet: sheet".
// Those with the same fields are told together.
func Operations[Operation any](names []string) (told []string) {
	var kinds []string // of operations, by their fields
	of := map[string][]string{}
	for _, name := range names {
		own := slices.DeleteFunc(fieldsOf(reflect.TypeFor[Operation](), name), func(field string) bool { return field == "op" })
		fields := strings.Join(own, ", ")
		if of[fields] == nil {
			kinds = append(kinds, fields)
		}
		of[fields] = append(of[fields], name)
	}
	for _, fields := range kinds {
		told = append(told, strings.Join(of[fields], ", ")+": "+fields)
	}
	return told
}

// Form is an operation as people fill it in.
type Form struct {
	Op     string  `json:"op"`
	Fields []Field `json:"fields"`
}

// Field is a value of an operation.
type Field struct {
	Name string `json:"name"`
	// Kind says how it is written: text, number, yes_no, lines of texts, a table of rows
	// with tabs, or json.
	Kind  string `json:"kind"`
	About string `json:"about,omitempty"`
}

// Forms are the operations with their fields.
func Forms[Operation any](names []string) (out []Form) {
	for _, name := range names {
		form := Form{Op: name, Fields: []Field{}}
		for _, f := range structFields(reflect.TypeFor[Operation](), name) {
			if field := nameOf(f); field != "op" {
				kind, about := written(f.Type)
				form.Fields = append(form.Fields, Field{field, kind, cmp.Or(f.Tag.Get("jsonschema"), about)})
			}
		}
		out = append(out, form)
	}
	return out
}

// written is how people write a value of a type, and which fields it has.
func written(t reflect.Type) (kind, about string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return "text", ""
	case reflect.Bool:
		return "yes_no", ""
	case reflect.Int, reflect.Float64:
		return "number", ""
	case reflect.Struct:
		return "json", "an object of " + strings.Join(fields(t), ", ")
	case reflect.Slice:
		switch of := t.Elem(); of.Kind() {
		case reflect.String:
			return "lines", ""
		case reflect.Slice:
			return "table", ""
		case reflect.Struct:
			return "json", "a list of objects of " + strings.Join(fields(of), ", ")
		}
	}
	return "json", ""
}

// fieldsOf lists the names of the fields that a struct of operations has for op.
func fieldsOf(t reflect.Type, op string) (names []string) {
	for _, f := range structFields(t, op) {
		names = append(names, nameOf(f))
	}
	return names
}

func nameOf(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// structFields lists the fields that a struct of operations has for op: those with op in
// their tag "of", and those without such a tag, which all operations have.
func structFields(t reflect.Type, op string) (out []reflect.StructField) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			out = append(out, structFields(f.Type, op)...)
			continue
		}
		if of, limited := f.Tag.Lookup("of"); !limited || slices.Contains(strings.Fields(of), op) {
			out = append(out, f)
		}
	}
	return out
}
