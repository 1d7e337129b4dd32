package config

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"

	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// field is a possible key of a mapping with the function that reads its value.
type field struct {
	key  string
	read func(n ast.Node)
}

// entry is a key with its value, as the file has them.
type entry struct {
	key   string
	keyAt position
	value ast.Node
}

// entries returns the keys of a mapping in file order, without duplicates. An
// empty value counts as an empty mapping, because all its keys may be commented
// out.
func (r *reader) entries(n ast.Node, what string) []entry {
	if n == nil || n.Type() == ast.NullType || !r.plain(n) {
		return nil
	}
	var values []*ast.MappingValueNode
	switch n := n.(type) {
	case *ast.MappingNode:
		values = n.Values
	case *ast.MappingValueNode:
		values = []*ast.MappingValueNode{n}
	default:
		r.faultAt(nodePosition(n), "%s is %s; it must be a mapping of keys to values, as in 'key: value'", what, describe(n))
		return nil
	}
	first := map[string]position{}
	out := make([]entry, 0, len(values))
	for _, v := range values {
		if !r.plain(v.Key) {
			continue
		}
		at := nodePosition(v.Key)
		key, ok := keyText(v.Key)
		if !ok {
			r.faultAt(at, "a key must be plain text")
			continue
		}
		if p, dup := first[key]; dup {
			r.faultAt(at, "key %q is there twice; the first is in line %d", key, p.line)
			continue
		}
		first[key] = at
		out = append(out, entry{key, at, v.Value})
	}
	return out
}

// keyText returns a key as it is written: `123` and `true` are keys like any
// other.
func keyText(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.BoolNode, *ast.NullNode:
		return n.GetToken().Value, true
	}
	return "", false
}

// mapping reads a mapping with known keys.
func (r *reader) mapping(n ast.Node, what string, fields []field) {
	r.readFields(r.entries(n, what), fields)
}

// readFields reads entries with known keys, and returns the positions of the existing
// ones.
func (r *reader) readFields(entries []entry, fields []field) map[string]position {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = f.key
	}
	seen := map[string]position{}
	for _, e := range entries {
		known := false
		for _, f := range fields {
			if f.key == e.key {
				known = true
				seen[e.key] = e.keyAt
				if r.plain(e.value) {
					f.read(e.value)
				}
			}
		}
		if !known {
			r.faultAt(e.keyAt, "unknown key %q; %s", e.key, choose(e.key, names))
		}
	}
	return seen
}

// section reads a nested mapping.
func (r *reader) section(what string, fields []field) func(ast.Node) {
	return func(n ast.Node) { r.mapping(n, what, fields) }
}

// text reads a string. A check returns advice, or "" if the value is valid.
func (r *reader) text(dst *string, checks ...func(string) string) func(ast.Node) {
	return func(n ast.Node) {
		if scalar, ok := n.(ast.ScalarNode); ok && n.Type() != ast.NullType { // what is no text may be no valid text either
			for _, check := range checks {
				if right := check(fmt.Sprint(scalar.GetValue())); right != "" {
					r.faultAt(nodePosition(n), "%s", right)
					return
				}
			}
		}
		if s, ok := r.asText(n); ok {
			*dst = s
		}
	}
}

func (r *reader) asText(n ast.Node) (string, bool) {
	switch n := n.(type) {
	case *ast.StringNode:
		return n.Value, true
	case *ast.LiteralNode:
		return n.Value.Value, true
	}
	switch n.Type() {
	case ast.IntegerType, ast.FloatType, ast.BoolType:
		r.faultAt(nodePosition(n), "must be text; put it in quotes: %q", n.GetToken().Value)
	default:
		r.faultAt(nodePosition(n), "must be text, and is %s", describe(n))
	}
	return "", false
}

var plainInteger = lazyregexp.New(`^-?(0|[1-9][0-9]*)$`)

// integer reads a whole number within bounds.
func (r *reader) integer(dst *int64, low, high int64) func(ast.Node) {
	return func(n ast.Node) {
		digits := n.GetToken().Value
		v, err := strconv.ParseInt(digits, 10, 64)
		switch {
		case n.Type() == ast.StringType && plainInteger().MatchString(digits) && err == nil:
			r.faultAt(nodePosition(n), "must be a number; take the quotes away")
		case !plainInteger().MatchString(digits) || n.Type() == ast.NullType:
			r.faultAt(nodePosition(n), "must be a whole number from %d to %d in plain digits, and is %s", low, high, describe(n))
		case err != nil || v < low || v > high:
			r.faultAt(nodePosition(n), "must be a whole number from %d to %d", low, high)
		default:
			*dst = v
		}
	}
}

// number reads a number that is not negative.
func (r *reader) number(dst *float64) func(ast.Node) {
	return func(n ast.Node) {
		var v float64
		var err error
		switch n.Type() {
		case ast.IntegerType, ast.FloatType:
			v, err = strconv.ParseFloat(n.GetToken().Value, 64)
		default:
			err = fmt.Errorf("not a number")
		}
		if err != nil || !(v >= 0 && v <= 1e15) {
			r.faultAt(nodePosition(n), "must be a number that is not negative")
			return
		}
		*dst = v
	}
}

func (r *reader) boolean(dst *bool) func(ast.Node) {
	return func(n ast.Node) {
		b, ok := n.(*ast.BoolNode)
		if !ok {
			r.faultAt(nodePosition(n), "must be true or false, and is %s", describe(n))
			return
		}
		*dst = b.Value
	}
}

// texts reads a list of strings.
func (r *reader) texts(dst *[]string) func(ast.Node) {
	return func(n ast.Node) {
		for _, item := range r.list(n) {
			if s, ok := r.asText(item); ok {
				*dst = append(*dst, s)
			}
		}
	}
}

// list returns the items of a list; an empty value is an empty list.
func (r *reader) list(n ast.Node) []ast.Node {
	if n.Type() == ast.NullType {
		return nil
	}
	seq, ok := n.(*ast.SequenceNode)
	if !ok {
		r.faultAt(nodePosition(n), "must be a list, each item on a line that begins with a dash, and is %s", describe(n))
		return nil
	}
	var out []ast.Node
	for _, item := range seq.Values {
		if r.plain(item) {
			out = append(out, item)
		}
	}
	return out
}

// notEmpty is a check that rejects empty texts.
func notEmpty(s string) string {
	if strings.TrimSpace(s) == "" {
		return "must not be empty"
	}
	return ""
}
