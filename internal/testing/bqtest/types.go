package bqtest

import (
	"fmt"
	"strconv"
	"strings"

	bq "google.golang.org/api/bigquery/v2"
)

// typ is a type of GoogleSQL. The kind is its name; "" is the type of NULL.
type typ struct {
	kind             string
	elem             *typ    // of an ARRAY
	fields           []field // of a STRUCT
	precision, scale int     // of NUMERIC(p, s), 0: none given
}

type field struct {
	name string
	typ  typ
}

func scalar(kind string) typ { return typ{kind: kind} }

func (t typ) is(kinds ...string) bool {
	for _, k := range kinds {
		if t.kind == k {
			return true
		}
	}
	return false
}

func (t typ) numeric() bool { return t.is("INT64", "FLOAT64", "NUMERIC") }

// engineTypes are the types of the engine that hold the values. A BIGNUMERIC
// has more digits than any number there: it is kept as text, and nothing can be
// computed with it.
var engineTypes = map[string]string{
	"BOOL": "BOOLEAN", "INT64": "BIGINT", "FLOAT64": "DOUBLE", "NUMERIC": "DECIMAL(38,9)", "BIGNUMERIC": "VARCHAR", "STRING": "VARCHAR",
	"BYTES": "BLOB", "DATE": "DATE", "TIME": "TIME", "DATETIME": "TIMESTAMP", "TIMESTAMP": "TIMESTAMPTZ", "INTERVAL": "INTERVAL",
	"JSON": "JSON", "GEOGRAPHY": "VARCHAR",
}

func (t typ) engine() string {
	switch t.kind {
	case "ARRAY":
		return t.elem.engine() + "[]"
	case "STRUCT":
		members := make([]string, len(t.fields))
		for i, f := range t.fields {
			members[i] = quote(f.name) + " " + f.typ.engine()
		}
		return "STRUCT(" + strings.Join(members, ", ") + ")"
	case "":
		return "BIGINT" // as BigQuery types a bare NULL
	}
	return engineTypes[t.kind]
}

// parseType reads a type as GoogleSQL writes it.
func parseType(text string) (typ, error) {
	p := &typeParser{rest: text}
	t, err := p.typ()
	if err == nil && strings.TrimSpace(p.rest) != "" {
		err = fmt.Errorf("type %q: %q is left over", text, p.rest)
	}
	return t, err
}

type typeParser struct{ rest string }

func (p *typeParser) eat(s string) bool {
	p.rest = strings.TrimLeft(p.rest, " ")
	ok := strings.HasPrefix(p.rest, s)
	p.rest = strings.TrimPrefix(p.rest, s)
	return ok
}

func (p *typeParser) word() string {
	p.rest = strings.TrimLeft(p.rest, " ")
	i := strings.IndexAny(p.rest+" ", " <>(),")
	word := p.rest[:i]
	p.rest = p.rest[i:]
	return word
}

func (p *typeParser) typ() (typ, error) {
	t := scalar(strings.ToUpper(p.word()))
	switch {
	case t.kind == "ARRAY" && p.eat("<"):
		elem, err := p.typ()
		if err == nil && !p.eat(">") {
			err = fmt.Errorf("an ARRAY is not closed")
		}
		t.elem = &elem
		return t, err
	case t.kind == "STRUCT" && p.eat("<"):
		for {
			name := p.word()
			ft, err := p.typ()
			if err != nil {
				return t, err
			}
			t.fields = append(t.fields, field{name, ft})
			if !p.eat(",") {
				break
			}
		}
		if !p.eat(">") {
			return t, fmt.Errorf("a STRUCT is not closed")
		}
		return t, nil
	}
	if t.kind == "DECIMAL" {
		t.kind = "NUMERIC"
	}
	if _, ok := engineTypes[t.kind]; !ok {
		return t, fmt.Errorf("unknown type %q", t.kind)
	}
	if p.eat("(") {
		var err error
		if t.precision, err = strconv.Atoi(p.word()); err == nil && p.eat(",") {
			t.scale, err = strconv.Atoi(p.word())
		}
		if err != nil || !p.eat(")") {
			return t, fmt.Errorf("the parameters of %s cannot be read", t.kind)
		}
	}
	return t, nil
}

// restTypes are the names that the REST API has for some types.
var restTypes = map[string]string{"INT64": "INTEGER", "FLOAT64": "FLOAT", "BOOL": "BOOLEAN", "STRUCT": "RECORD"}

// schema is a column in the form of the REST API.
func (t typ) schema(name, mode, description string) *bq.TableFieldSchema {
	if t.kind == "ARRAY" {
		return t.elem.schema(name, "REPEATED", description)
	}
	f := &bq.TableFieldSchema{Name: name, Type: t.kind, Mode: mode, Description: description}
	if rest, ok := restTypes[t.kind]; ok {
		f.Type = rest
	}
	if t.kind == "" {
		f.Type = "INTEGER"
	}
	if t.is("NUMERIC", "BIGNUMERIC") {
		f.Precision, f.Scale = int64(t.precision), int64(t.scale)
	} else {
		f.MaxLength = int64(t.precision)
	}
	for _, sub := range t.fields {
		f.Fields = append(f.Fields, sub.typ.schema(sub.name, "NULLABLE", ""))
	}
	return f
}
