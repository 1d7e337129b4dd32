package toolbox

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode"

	"github.com/google/jsonschema-go/jsonschema"
)

// Arguments that hold optional ones of some tools.
const (
	options = "options"
	asRead  = "read_as"
)

// respelled returns arguments as the schema has them. It renames those that are
// spelled as in JavaScript (numberFormat becomes number_format), and moves those that
// belong in options or read_as there, since models that know such APIs write them that way. What
// the schema does not have either way stays, and is refused later.
func respelled(data json.RawMessage, s *jsonschema.Schema) json.RawMessage {
	if s == nil {
		return data
	}
	var changed any
	switch data = bytes.TrimSpace(data); {
	case len(data) > 0 && data[0] == '{' && len(s.Properties) > 0:
		var object map[string]json.RawMessage
		if json.Unmarshal(data, &object) != nil {
			return data
		}
		renameFields(object, s)
		intoOptions(object, options, s.Properties[options])
		intoOptions(object, asRead, s.Properties[asRead])
		for name, value := range object {
			object[name] = respelled(value, s.Properties[name])
		}
		changed = object
	case len(data) > 0 && data[0] == '[' && s.Items != nil:
		var list []json.RawMessage
		if json.Unmarshal(data, &list) != nil {
			return data
		}
		for i, item := range list {
			list[i] = respelled(item, s.Items)
		}
		changed = list
	default:
		return data
	}
	out, err := json.Marshal(changed)
	if err != nil {
		return data
	}
	return out
}

// renameFields gives the fields of an object the names of the schema.
func renameFields(object map[string]json.RawMessage, s *jsonschema.Schema) {
	for name, value := range object {
		known := snake(name)
		if _, given := object[known]; given || s.Properties[name] != nil || !knows(s, known) {
			continue
		}
		delete(object, name)
		object[known] = value
	}
}

// knows reports whether an object has a field, or its options have.
func knows(s *jsonschema.Schema, name string) bool {
	for _, within := range []*jsonschema.Schema{s, s.Properties[options], s.Properties[asRead]} {
		if within != nil && within.Properties[name] != nil {
			return true
		}
	}
	return false
}

// intoOptions moves arguments into the one, holder, that has them.
func intoOptions(object map[string]json.RawMessage, holder string, s *jsonschema.Schema) {
	if s == nil {
		return
	}
	var within map[string]json.RawMessage
	if given := object[holder]; given != nil && json.Unmarshal(given, &within) != nil {
		return
	}
	moved := false
	for name := range s.Properties {
		value, given := object[name]
		if _, twice := within[name]; !given || twice {
			continue
		}
		if within == nil {
			within = map[string]json.RawMessage{}
		}
		within[name], moved = value, true
		delete(object, name)
	}
	if text, err := json.Marshal(within); moved && err == nil {
		object[holder] = text
	}
}

// snake is a name in the spelling of schemas.
func snake(name string) string {
	var b strings.Builder
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}
