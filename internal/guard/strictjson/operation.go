package strictjson

import (
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

// fieldsOf lists the fields that a struct of operations has for op: those with op in
// their tag "of", and those without such a tag, which all operations have.
func fieldsOf(t reflect.Type, op string) (names []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, fieldsOf(f.Type, op)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if of, limited := f.Tag.Lookup("of"); !limited || slices.Contains(strings.Fields(of), op) {
			names = append(names, name)
		}
	}
	return names
}
