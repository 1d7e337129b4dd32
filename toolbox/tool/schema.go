package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/internal/words/suggest"
)

// schemas lists the schemas of types with their own JSON encoding.
var schemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[json.RawMessage](): {}, // a value of any type
}

// inputSchema is the schema of a tool's arguments.
func inputSchema(t reflect.Type) *jsonschema.Schema {
	s := schemaOf(t)
	plain(s, true)
	return s
}

// outputSchema is the schema of a tool's answer: the fields of t, and the next
// call. Later versions may add fields. It does not mention the marks around data:
// clients load all schemas before their first call, and each answer explains the
// marks.
func outputSchema(t reflect.Type) *jsonschema.Schema {
	s := schemaOf(t)
	plain(s, false)
	s.Properties["next"] = &jsonschema.Schema{Type: "object"}
	s.PropertyOrder = append([]string{"next"}, s.PropertyOrder...)
	return s
}

func schemaOf(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: schemas})
	if err != nil {
		panic(fmt.Sprintf("schema of %v: %v", t, err)) // our own structs are always valid
	}
	s.Type, s.Types = "object", nil // also for a pointer, which is never nil
	if s.Properties == nil {
		s.Properties = map[string]*jsonschema.Schema{}
	}
	return s
}

// plain shortens a schema as far as possible: our lists are never null. closed
// keeps the rejection of unknown properties.
func plain(s *jsonschema.Schema, closed bool) {
	if s == nil {
		return
	}
	if len(s.Types) == 2 && slices.Contains(s.Types, "null") && (s.Items != nil || closed) {
		s.Types = slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" })
		s.Type, s.Types = s.Types[0], nil
	}
	if !closed && len(s.Properties) > 0 {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		plain(p, closed)
	}
	plain(s.Items, closed)
}

// readArguments validates a call's arguments against the schema and decodes them.
// Errors are worded so that a model can correct the call.
func readArguments(data json.RawMessage, resolved *jsonschema.Resolved, s *jsonschema.Schema, into any) error {
	if len(data) == 0 || string(data) == "null" {
		data = json.RawMessage("{}")
	}
	var given map[string]any
	if err := json.Unmarshal(data, &given); err != nil {
		return badArguments("the arguments are not a JSON object", "", nil)
	}
	known := slices.Sorted(maps.Keys(s.Properties))
	for _, name := range slices.Sorted(maps.Keys(given)) {
		if s.Properties[name] == nil {
			return badArguments(fmt.Sprintf("there is no argument '%s'", api.Clip(name, 60)), name, known)
		}
	}
	for _, name := range s.Required {
		if _, ok := given[name]; !ok {
			return badArguments(fmt.Sprintf("the argument '%s' is missing", name), "", known)
		}
	}
	err := resolved.Validate(given)
	if err == nil {
		err = json.Unmarshal(data, into)
	}
	if err != nil {
		m := whichArgument().FindStringSubmatch(err.Error())
		if m == nil || s.Properties[m[1]] == nil {
			return badArguments("the arguments do not fit their schema: "+cause(err), "", known)
		}
		return BadValue("the argument '"+m[1]+"' does not fit its schema: "+cause(err),
			allowed(m[1], s.Properties[m[1]])+fields(s.Properties[m[1]], given[m[1]]))
	}
	return nil
}

// whichArgument extracts the argument from the path in a validation error.
var whichArgument = lazyregexp.New(`/properties/([a-z_]+)`)

// cause returns the innermost of a chain of errors, which says what is wrong.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return api.Clip(err.Error(), 300)
		}
		err = inner
	}
}

// allowed says which values an argument accepts.
func allowed(name string, s *jsonschema.Schema) string {
	types := s.Types
	if s.Type != "" {
		types = []string{s.Type}
	}
	text := name + " is of type " + strings.Join(slices.DeleteFunc(slices.Clone(types), func(t string) bool { return t == "null" }), " or ")
	if s.Items != nil && s.Items.Type != "" {
		text += ", its items of type " + s.Items.Type
	}
	if s.Description != "" {
		text += ": " + s.Description
	}
	return text + "."
}

// fields says which fields an object has, or each object of a list, and which of
// them is meant by a wrong name that was given, or which value by a wrong value.
func fields(s *jsonschema.Schema, given any) string {
	if s.Items != nil {
		list, _ := given.([]any)
		for _, item := range list {
			if text := fields(s.Items, item); text != "" {
				return text
			}
		}
		return ""
	}
	object, _ := given.(map[string]any)
	known := slices.Sorted(maps.Keys(s.Properties))
	for _, name := range slices.Sorted(maps.Keys(object)) {
		own := s.Properties[name]
		switch {
		case len(known) == 0:
		case own == nil:
			return meant(name, known) + " Its fields are " + strings.Join(known, ", ") + "."
		case len(own.Enum) > 0 && !slices.Contains(own.Enum, object[name]):
			var values []string
			for _, v := range own.Enum {
				values = append(values, fmt.Sprint(v))
			}
			return meant(fmt.Sprint(object[name]), values) + " Its " + name + " is one of " + strings.Join(values, ", ") + "."
		default:
			if text := fields(own, object[name]); text != "" {
				return text
			}
		}
	}
	return ""
}

// meant asks whether one of the known names was meant by a wrong one; "" if none is
// near it.
func meant(name string, known []string) string {
	if near := suggest.Near(name, known); len(near) > 0 {
		return " Did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// badArguments returns the error for wrong arguments; name is the unknown one, if
// not empty.
func badArguments(message, name string, known []string) error {
	e := &api.Error{Code: api.CodeUsage, Kind: api.KindArguments, Message: message}
	if len(known) == 0 {
		e.Hint = "This tool takes no arguments."
		return e
	}
	e.Hint = "Arguments are " + strings.Join(known, ", ") + "."
	if near := suggest.Near(name, known); name != "" && len(near) > 0 {
		e.Hint = "Did you mean " + strings.Join(near, " or ") + "? " + e.Hint
	}
	return e
}

// BadValue returns the error for a wrong value of an argument.
func BadValue(message, hint string) error {
	return &api.Error{Code: api.CodeUsage, Kind: api.KindArguments, Message: message, Hint: hint}
}
