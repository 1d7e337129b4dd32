// Package strictyaml reads YAML, and so JSON, into values. It refuses unknown fields, and
// names their line.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/internal/words/suggest"
)

// Decode reads the YAML of a file that people write into a value, without fields that
// it does not have. An empty file leaves the value as it is. The error says in which
// line, in words of the file.
func Decode(text string, into any) error {
	err := yaml.NewDecoder(bytes.NewReader([]byte(text)), yaml.DisallowUnknownField()).Decode(into)
	if err == nil || errors.Is(err, io.EOF) {
		return nil
	}
	said := err.Error()
	var at yaml.Error
	if errors.As(err, &at) {
		said = worded(err, at.GetMessage()) + meant(at.GetMessage(), reflect.TypeOf(into))
		if t := at.GetToken(); t != nil && t.Position != nil {
			said = fmt.Sprintf("line %d: %s", t.Position.Line, said)
		}
	}
	return errors.New(said)
}

// meant suggests a known field for an unknown one.
func meant(said string, t reflect.Type) string {
	name, unknown := strings.CutPrefix(said, `unknown field "`)
	if !unknown {
		return ""
	}
	name = strings.TrimSuffix(name, `"`)
	var all []string
	fieldsOf(t, map[reflect.Type]bool{}, &all)
	if near := suggest.Near(name, all); len(near) > 0 && !slices.Contains(all, name) { // a known name belongs elsewhere in the file
		return "; did you mean " + near[0] + "?"
	}
	return ""
}

func fieldsOf(t reflect.Type, seen map[reflect.Type]bool, all *[]string) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		fieldsOf(t.Elem(), seen, all)
	case reflect.Struct:
		if seen[t] {
			return
		}
		seen[t] = true
		for i := range t.NumField() {
			if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" && name != "-" && !slices.Contains(*all, name) {
				*all = append(*all, name)
			}
			fieldsOf(t.Field(i).Type, seen, all)
		}
	}
}

// worded says in words of the file that a value is of another type than is needed.
func worded(err error, said string) string {
	var value *yaml.TypeError
	var node *yaml.UnexpectedNodeTypeError
	var number *yaml.OverflowError
	switch {
	case errors.As(err, &value):
		return kindOf(value.SrcType) + " stands where " + kindOf(value.DstType) + " is needed"
	case errors.As(err, &number):
		return "the number " + number.SrcNum + " is too large"
	case errors.As(err, &node):
		return nodeKind(node.Actual) + " stands where " + nodeKind(node.Expected) + " is needed"
	}
	return said
}

// kindOf is what people call values of a type.
func kindOf(t reflect.Type) string {
	switch {
	case t == nil:
		return "another value"
	case t.Kind() == reflect.Pointer:
		return kindOf(t.Elem())
	case t.Kind() >= reflect.Int && t.Kind() <= reflect.Float64:
		return "a number"
	case t.Kind() == reflect.Slice:
		return "a list"
	case t.Kind() == reflect.Bool:
		return "true or false"
	case t.Kind() == reflect.String:
		return "a text"
	}
	return fields
}

// fields is what people call a mapping.
const fields = "a set of fields"

func nodeKind(t ast.NodeType) string {
	switch t {
	case ast.SequenceType:
		return "a list"
	case ast.MappingType, ast.MappingValueType:
		return fields
	case ast.IntegerType, ast.FloatType:
		return "a number"
	case ast.BoolType:
		return "true or false"
	case ast.NullType:
		return "nothing"
	}
	return "a text"
}
