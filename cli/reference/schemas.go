package reference

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/toolbox/fit"
)

// ownSchemas are the schemas of types whose JSON differs from their Go type.
func ownSchemas() map[reflect.Type]*jsonschema.Schema {
	own := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[json.RawMessage]():   {},
		reflect.TypeFor[json.Number]():       {Type: "number"},
		reflect.TypeFor[api.Caveat]():        {Type: "object", Description: "see docs/caveats.md"},
		reflect.TypeFor[api.Row]():           {Type: "object"},
		reflect.TypeFor[jsonschema.Schema](): {Types: []string{"object", "boolean"}},
	}
	// A column can contain columns; describe only one level.
	within := map[reflect.Type]*jsonschema.Schema{
		reflect.TypeFor[[]api.Column](): {Types: []string{"null", "array"}, Items: &jsonschema.Schema{Type: "object"}},
	}
	column, err := jsonschema.For[api.Column](&jsonschema.ForOptions{TypeSchemas: within})
	if err != nil {
		panic(err) // our own types are always valid
	}
	own[reflect.TypeFor[api.Column]()] = column
	return own
}

// outputSchema is the schema of what a command prints with --json; nil if it
// prints no JSON.
func outputSchema(forms []output.Form) *jsonschema.Schema {
	var all []*jsonschema.Schema
	for _, p := range forms {
		s := schemaOf(p.Value)
		s.Description = p.When
		all = append(all, s)
		if s.Items != nil && len(forms) == 1 {
			// If a list is cut, it becomes an object, because a list has no place
			// for what is missing.
			all = append(all, schemaOf(cutList{}))
			all[1].Description = "if not all of it fits --max-tokens"
			all[1].Properties["items"] = &jsonschema.Schema{Type: "array", Items: s.Items.CloneSchemas()}
		}
	}
	switch len(all) {
	case 0:
		return nil
	case 1:
		return all[0]
	}
	return &jsonschema.Schema{AnyOf: all}
}

// schemaOf returns the schema of a value's type. Every object can also have the
// fields around an answer for a model.
func schemaOf(value any) *jsonschema.Schema {
	s, err := jsonschema.ForType(reflect.TypeOf(value), &jsonschema.ForOptions{TypeSchemas: ownSchemas()})
	if err != nil {
		panic(fmt.Sprintf("schema of %T: %v", value, err)) // our own types
	}
	if s.Properties != nil {
		for name, p := range aroundSchema().Properties {
			s.Properties[name] = &jsonschema.Schema{Type: p.Type, Types: p.Types}
		}
	}
	return s
}

// cutList replaces a list that did not fit.
type cutList struct {
	Items []any `json:"items"`
}

// aroundSchema is the schema of the fields that any answer can have in addition.
// It is given in full only once.
func aroundSchema() *jsonschema.Schema {
	s, err := jsonschema.For[aroundAnswers](nil)
	if err != nil {
		panic(err) // a type of our own
	}
	return s
}

// aroundAnswers are the fields that an object can have in addition to its own.
type aroundAnswers struct {
	Cut    fit.Cut `json:"cut,omitempty" jsonschema:"there if not all of it fits --max-tokens: what is missing"`
	Notice string  `json:"notice,omitempty" jsonschema:"for models: says that the text between begin and end is data"`
	Begin  string  `json:"begin,omitempty"`
	End    string  `json:"end,omitempty"`
}
