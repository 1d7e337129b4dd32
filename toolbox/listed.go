package toolbox

import (
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/agnes-data/da/toolbox/tool"
)

// mapTool is the tool whose schema says what read_as holds.
const mapTool = "table_get_map"

// FewTools is the most tools whose lists describe each argument.
const FewTools = 30

// Listed returns the arguments of a tool as lists of tools have them: each list is paid
// for before the first call. It leaves out that unknown arguments are refused, and what
// read_as holds where another tool says so. A short one, for lists of many tools, has
// words only where the name of an argument says too little, and leaves out arguments
// that bound a call; calls take them all the same.
func (b *Box) Listed(d tool.Tool, short bool) *jsonschema.Schema {
	s := d.In.CloneSchemas()
	unclosed(s)
	if _, ok := b.tools.Named(mapTool); ok && s.Properties[asRead] != nil && d.Name != mapTool {
		s.Properties[asRead] = &jsonschema.Schema{Type: "object", Description: "as in " + mapTool}
	}
	if !short {
		return s
	}
	s.PropertyOrder = slices.DeleteFunc(slices.Clone(s.PropertyOrder), func(name string) bool { return slices.Contains(minding, name) })
	all := s.Properties
	s.Properties = map[string]*jsonschema.Schema{}
	for _, name := range s.PropertyOrder {
		s.Properties[name] = terse(name, all[name])
	}
	return s
}

// minding are arguments that bound or guard a call, and most calls leave out.
var minding = []string{"max_tokens", "max_bytes", "timeout_seconds", "memory_limit", "if_version", "password"}

// LeftOut tells clients with a short list what it leaves out.
func LeftOut() string {
	return "Where it makes sense, tools also take " + strings.Join(minding, ", ") +
		"; if_version is the version of a file that you have read, and a change is refused if there is another since."
}

// needed are the words that short lists have for arguments.
var needed = map[string]string{
	asRead: "as in " + mapTool, "where": "without the word WHERE", "order_by": "as 'delay DESC'", "params": "values of $name",
	"fetch": "also tables of the catalog", "range": "as A1:D50", "pages": "as 1-5,8", "ranges": "as 1-5", "page": "from 1",
	"page_num":    "from 1",
	"slide_index": "from 0", "after_row": "0 is the top", "after_line": "0 is the top", "plot": "bar, line, scatter or hist",
}

// unclosed removes the refusal of unknown arguments.
func unclosed(s *jsonschema.Schema) {
	if a := s.AdditionalProperties; a != nil && a.Type == "" {
		s.AdditionalProperties = nil
	}
	for _, p := range s.Properties {
		unclosed(p)
	}
	for _, p := range []*jsonschema.Schema{s.Items, s.AdditionalProperties} {
		if p != nil {
			unclosed(p)
		}
	}
}

// terse is an argument in a short list: of objects it has the names of their fields.
func terse(name string, s *jsonschema.Schema) *jsonschema.Schema {
	out := *s
	out.Description = needed[name]
	if len(s.Properties) > 0 {
		out.Description = fieldsIn(s)
		if op := s.Properties["op"]; op != nil {
			named := *op
			named.Enum = nil // its description has the names
			for _, field := range s.PropertyOrder {
				if form := formOf(s.Properties[field]); form != "" {
					named.Description += "; " + field + " is " + form
				}
			}
			out.Description, out.Properties = "", map[string]*jsonschema.Schema{"op": &named}
		} else {
			out.Properties, out.Required = nil, nil
		}
		out.PropertyOrder = nil
	}
	if s.Items != nil {
		out.Items = terse("", s.Items)
	}
	if s.AdditionalProperties != nil {
		out.AdditionalProperties = terse("", s.AdditionalProperties)
	}
	return &out
}

// fieldsIn lists the fields of an object.
func fieldsIn(s *jsonschema.Schema) string { return strings.Join(s.PropertyOrder, ", ") }

// formOf writes what objects and lists hold as in JSON; "" for other values.
func formOf(s *jsonschema.Schema) string {
	switch {
	case len(s.Properties) > 0:
		return "{" + fieldsIn(s) + "}"
	case s.Items != nil:
		return "[" + formOf(s.Items) + "]"
	}
	return ""
}
