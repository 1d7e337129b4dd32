package ooxml

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/strictjson"
)

// MaxOperations bounds those of one call.
const MaxOperations = 10_000

// CheckCount refuses a call without operations, or with too many.
func CheckCount(n int) error {
	if n == 0 {
		return Invalid("Give at least one.", "there are no operations")
	}
	if n > MaxOperations {
		return Invalid("Divide them into several calls.", "%d operations are more than %d", n, MaxOperations)
	}
	return nil
}

// UnknownOperation returns the error for an operation that is not one of known.
func UnknownOperation(op string, known []string) error {
	return Invalid("The operations are "+strings.Join(known, ", ")+".", "there is no operation %q", op)
}

// At adds to err which operation, counted from 0, caused it.
func At(index int, op string, err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf("operation %d (%s): %s", index+1, op, e.Message)
	c.Details = map[string]any{"operation": index + 1, "op": op}
	for k, v := range e.Details {
		c.Details[k] = v
	}
	return &c
}

// InCell adds to err which cell caused it.
func InCell(cell string, err error) error {
	var e *api.Error
	if !errors.As(err, &e) {
		return err
	}
	c := *e
	c.Message = fmt.Sprintf("cell %s: %s", cell, e.Message)
	c.Details = map[string]any{"cell": cell}
	return &c
}

// Decode reads the JSON of an operation. Fields that it does not have are refused:
// they would be passed over in silence.
func Decode(data []byte, into any) error {
	if err := strictjson.Decode(data, into); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) {
			return Invalid("Give it as the operation's schema says.", "an operation's field %s cannot be a JSON %s", strings.TrimPrefix(wrong.Field, "plain."), wrong.Value)
		}
		return Invalid("", "an operation is not as it should be: %s", strings.TrimPrefix(err.Error(), "json: "))
	}
	return checkFields(data, reflect.TypeOf(into))
}

// checkFields refuses fields that belong to another operation than the one given:
// what they say would not be done.
func checkFields(data []byte, t reflect.Type) error {
	var given map[string]json.RawMessage
	var op string
	if json.Unmarshal(data, &given) != nil || json.Unmarshal(given["op"], &op) != nil {
		return nil //nolint:nilerr // check says so
	}
	own := FieldsOf(t, op)
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if !slices.ContainsFunc(own, func(own string) bool { return strings.EqualFold(own, name) }) {
			return Invalid("Its fields are "+strings.Join(own, ", ")+".", "%s has no field %q: another operation has it", op, name)
		}
	}
	return nil
}

// FieldsOf lists the fields that a struct of operations has for op: those with op in
// their tag "of", and those without such a tag, which all operations have.
func FieldsOf(t reflect.Type, op string) (names []string) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for i := range t.NumField() {
		f := t.Field(i)
		if f.Anonymous {
			names = append(names, FieldsOf(f.Type, op)...)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if of, limited := f.Tag.Lookup("of"); !limited || slices.Contains(strings.Fields(of), op) {
			names = append(names, name)
		}
	}
	return names
}
