package clickhouse

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/agnes-data/da/predicate"
)

// codec says how the values of a column are read.
type codec struct {
	name string // the name of the type in DuckDB
	// base is the column as predicates see it, and cast what is sent of it; %s is the
	// column. Empty: as it is.
	base, cast string
	bytes      bool   // a text stands for bytes
	nanos      bool   // a point in time stands for one without zone
	key        string // what orders the values as DuckDB does; %s is the column; empty: themselves
	note       string // what is lost, as a sentence without a full stop
	refused    string // why it cannot be read
}

// node is a type of the engine: its name, and what is in its parentheses.
type node struct {
	name string
	args []node
	// label is the name of a field.
	label string
}

// plain are the types whose Arrow form is right, with their names in DuckDB.
var plain = map[string]string{
	"Int8": "TINYINT", "Int16": "SMALLINT", "Int32": "INTEGER", "Int64": "BIGINT", "UInt8": "UTINYINT", "UInt16": "USMALLINT",
	"UInt32": "UINTEGER", "UInt64": "UBIGINT",
	"Float32": "FLOAT", "Float64": "DOUBLE", "Bool": "BOOLEAN", "String": "VARCHAR", "UUID": "UUID", "Date": "DATE", "Date32": "DATE",
}

// shapes are other names of types: how deep the lists of points are.
var shapes = map[string]int{"Point": 0, "Ring": 1, "LineString": 1, "MultiPoint": 1, "Polygon": 2, "MultiLineString": 2, "MultiPolygon": 3}

// form is a type as it travels.
type form struct {
	typ     string // the engine's type to cast to; that of the node if it is not changed
	duck    string
	changed bool
	note    string
}

// text is the form of types that Arrow has not, or has in another meaning.
func text(note string) form { return form{typ: "String", duck: "VARCHAR", changed: true, note: note} }

const maxPrecision = 38

// form says how a type travels, or why it cannot.
func (n node) form() (f form, refused string) {
	if duck, ok := plain[n.name]; ok {
		return form{typ: n.name, duck: duck}, ""
	}
	if depth, ok := shapes[n.name]; ok {
		shape := node{name: "Tuple", args: []node{{name: "Float64"}, {name: "Float64"}}}
		for range depth {
			shape = node{name: "Array", args: []node{shape}}
		}
		f, refused = shape.form()
		f.changed = true
		return f, refused
	}
	switch n.name {
	case "Nullable", "LowCardinality", "SimpleAggregateFunction":
		if len(n.args) == 0 {
			break
		}
		f, refused = n.args[len(n.args)-1].form()
		if n.name == "Nullable" {
			f.typ = "Nullable(" + f.typ + ")"
		}
		return f, refused
	case "FixedString":
		return form{typ: n.String(), duck: "BLOB"}, ""
	case "Decimal":
		if len(n.args) == 2 && n.args[0].number() <= maxPrecision {
			return form{typ: n.String(), duck: fmt.Sprintf("DECIMAL(%s,%s)", n.args[0].name, n.args[1].name)}, ""
		}
		return text(fmt.Sprintf("%s has more than %d digits and becomes text", n, maxPrecision)), ""
	case "DateTime", "DateTime64":
		if n.nanos() {
			return text(n.String() + " in a list or tuple has nanoseconds and becomes text"), ""
		}
		return form{typ: "DateTime64(6, 'UTC')", duck: "TIMESTAMP WITH TIME ZONE", changed: true}, ""
	case "Enum8", "Enum16":
		return text(""), ""
	case "BFloat16":
		return form{typ: "Float32", duck: "FLOAT", changed: true}, ""
	case "Time", "Time64":
		return text("TIME holds spans of up to 999 hours and becomes text"), ""
	case "Array":
		return n.list(n.args)
	case "Nested":
		return n.list([]node{{name: "Tuple", args: n.args}})
	case "Tuple":
		return n.tuple()
	case "Map":
		return n.entries()
	case "AggregateFunction":
		return form{duck: n.String()}, n.String() + " holds a state of the engine, not a value"
	}
	if strings.HasPrefix(n.name, "Interval") {
		return form{typ: "Int64", duck: "BIGINT", changed: true, note: n.name + " becomes the number of its units"}, ""
	}
	return text(fmt.Sprintf("the type %s becomes text", n)), ""
}

func (n node) list(of []node) (f form, refused string) {
	if len(of) != 1 {
		return text(fmt.Sprintf("the type %s becomes text", n)), ""
	}
	f, refused = of[0].form()
	f.typ, f.duck, f.changed = "Array("+f.typ+")", f.duck+"[]", f.changed || n.name == "Nested"
	return f, refused
}

func (n node) tuple() (f form, refused string) {
	if len(n.args) == 0 {
		return text("an empty tuple becomes text"), ""
	}
	var types, ducks []string
	for i, a := range n.args {
		of, no := a.form()
		if no != "" {
			refused = no
		}
		label, typed := strconv.Itoa(i+1), of.typ
		if a.label != "" {
			label, typed = a.label, quote(a.label)+" "+of.typ
		}
		f.changed = f.changed || of.changed
		if of.note != "" {
			f.note = of.note
		}
		types, ducks = append(types, typed), append(ducks, predicate.QuoteIdent(predicate.DuckDB, label)+" "+of.duck)
	}
	f.typ, f.duck = "Tuple("+strings.Join(types, ", ")+")", "STRUCT("+strings.Join(ducks, ", ")+")"
	return f, refused
}

func (n node) entries() (f form, refused string) {
	if len(n.args) != 2 {
		return text("a map becomes text"), ""
	}
	key, no := n.args[0].form()
	value, none := n.args[1].form()
	return form{typ: "Map(" + key.typ + ", " + value.typ + ")", duck: "MAP(" + key.duck + ", " + value.duck + ")",
		changed: key.changed || value.changed, note: key.note + value.note}, no + none
}

// nanos reports whether a point in time has more than six digits behind the second.
func (n node) nanos() bool {
	return n.name == "DateTime64" && len(n.args) > 0 && n.args[0].number() > 6
}

func (n node) number() int {
	i, err := strconv.Atoi(n.name)
	if err != nil {
		return maxPrecision + 1
	}
	return i
}

// String writes the type as the engine does.
func (n node) String() string {
	s := n.name
	if n.args != nil {
		parts := make([]string, len(n.args))
		for i, a := range n.args {
			parts[i] = a.String()
		}
		s += "(" + strings.Join(parts, ", ") + ")"
	}
	if n.label != "" {
		s = quote(n.label) + " " + s
	}
	return s
}

// inner is the type without what only says how it is stored.
func (n node) inner() (of node, nullable bool) {
	for (n.name == "Nullable" || n.name == "LowCardinality" || n.name == "SimpleAggregateFunction") && len(n.args) > 0 {
		nullable = nullable || n.name == "Nullable"
		n = n.args[len(n.args)-1]
	}
	return n, nullable
}

// codecOf returns the codec of a type as the catalog spells it, and whether its values
// may be NULL. Types that have no codec of their own become text.
func codecOf(spelt string) (c codec, nullable bool) {
	n, err := parseType(spelt)
	if err != nil {
		return codec{name: "VARCHAR", refused: "its type " + spelt + " is not understood"}, true
	}
	of, nullable := n.inner()
	f, refused := n.form()
	to := func(typ string) string { return "CAST(%s AS " + strings.ReplaceAll(typ, "%", "%%") + ")" }
	c = codec{name: f.duck, note: f.note, refused: refused}
	switch {
	case of.name == "DateTime" || of.name == "DateTime64":
		c.base, c.cast = "toTimeZone(%s, 'UTC')", to(f.typ)
		if of.nanos() {
			typ := "DateTime64(9, 'UTC')"
			if nullable {
				typ = "Nullable(" + typ + ")"
			}
			c = codec{name: "TIMESTAMP_NS", base: c.base, cast: to(typ), nanos: true,
				note: of.String() + " has nanoseconds and becomes a time in UTC without zone"}
		}
	case of.name == "FixedString":
		c.base, c.bytes = "concat(%s, '')", true // else trailing zeros do not count
	case of.name == "JSON" || of.name == "Object":
		c = codec{name: "JSON"}
	case f.changed:
		c.base = to(f.typ)
	case of.name == "UUID":
		c.key = "toString(%s)"
	case strings.HasPrefix(of.name, "Float"):
		c.key = "isNaN(%s)"
	}
	return c, nullable
}
