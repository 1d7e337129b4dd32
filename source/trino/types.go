package trino

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate"
)

// codec says how the values of a column are read.
type codec struct {
	name string // the name of the type in DuckDB
	// base is the column as predicates see it, and cast what is sent of it; %s is the
	// column. Empty: as it is.
	base, cast string
	typ        arrow.DataType
	fields     []api.Column // of a row, or of the rows in a list
	extension  string       // Arrow's name for what the type stands for
	note       string       // what is lost, as a sentence without a full stop
	refused    string       // why it cannot be read
}

func (c codec) field(name string) arrow.Field {
	f := arrow.Field{Name: name, Type: c.typ, Nullable: true}
	if c.extension != "" {
		f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{c.extension, ""})
	}
	return f
}

// simple are the types that travel as they are.
var simple = map[string]codec{
	"boolean": {name: "BOOLEAN", typ: arrow.FixedWidthTypes.Boolean},
	"tinyint": {name: "TINYINT", typ: arrow.PrimitiveTypes.Int8}, "smallint": {name: "SMALLINT", typ: arrow.PrimitiveTypes.Int16},
	"integer": {name: "INTEGER", typ: arrow.PrimitiveTypes.Int32}, "bigint": {name: "BIGINT", typ: arrow.PrimitiveTypes.Int64},
	"real": {name: "FLOAT", typ: arrow.PrimitiveTypes.Float32}, "double": {name: "DOUBLE", typ: arrow.PrimitiveTypes.Float64},
	"varchar": {name: "VARCHAR", typ: arrow.BinaryTypes.String}, "varbinary": {name: "BLOB", typ: arrow.BinaryTypes.Binary},
	"date": {name: "DATE", typ: arrow.FixedWidthTypes.Date32},
	"json": {name: "JSON", typ: arrow.BinaryTypes.String, extension: "arrow.json"},
	"uuid": {name: "UUID", typ: &arrow.FixedSizeBinaryType{ByteWidth: 16}, extension: "arrow.uuid"},
}

// states are types that hold the state of an aggregate, or what only functions read.
var states = map[string]bool{"hyperloglog": true, "p4hyperloglog": true, "qdigest": true, "tdigest": true, "setdigest": true,
	"color": true, "function": true, "geometry": true, "sphericalgeography": true, "kdbtree": true, "bingtile": true, "unknown": true}

// node is a type of the engine: its name in lower case, and what is in its parentheses.
type node struct {
	name  string
	args  []node
	label string // of a field
	zoned bool   // with time zone
}

// text is the codec of types that Arrow has not, or has not as precise.
func text(note string) codec {
	return codec{name: "VARCHAR", typ: arrow.BinaryTypes.String, base: "CAST(%s AS varchar)", note: note}
}

// codecOf returns the codec of a type. Types that have no codec of their own become text.
func codecOf(spelt string) codec {
	n, ok := parseType(spelt)
	if !ok {
		return text("the type " + spelt + " becomes text")
	}
	switch {
	case n.name == "char":
		return codec{name: "VARCHAR", typ: arrow.BinaryTypes.String, base: "trim(TRAILING ' ' FROM CAST(%s AS varchar))"}
	case n.name == "timestamp" && n.zoned && n.digits() <= 6:
		return codec{name: "TIMESTAMP WITH TIME ZONE", typ: &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"},
			base: "(%s AT TIME ZONE 'UTC')", cast: "CAST(%s AS timestamp(6))"}
	case n.name == "timestamp" && n.zoned && n.digits() <= 9:
		return codec{name: "TIMESTAMP_NS", typ: &arrow.TimestampType{Unit: arrow.Nanosecond}, base: "CAST(%s AT TIME ZONE 'UTC' AS timestamp(9))",
			note: spelt + " has nanoseconds and becomes a time in UTC without zone"}
	}
	c, typ := n.codec()
	if c.base != "" { // also where only a part of it changes
		c.base = "CAST(%s AS " + strings.ReplaceAll(typ, "%", "%%") + ")"
	}
	return c
}

// codec is the codec of a type, and the type that it must be cast to if it has a base.
func (n node) codec() (c codec, typ string) {
	c, ok := simple[n.name]
	switch {
	case ok:
	case n.name == "decimal" && len(n.args) == 2:
		p, s := n.args[0].number(), n.args[1].number()
		c = codec{name: fmt.Sprintf("DECIMAL(%d,%d)", p, s), typ: &arrow.Decimal128Type{Precision: int32(p), Scale: int32(s)}}
	case n.name == "time" && !n.zoned && n.digits() <= 6:
		c = codec{name: "TIME", typ: arrow.FixedWidthTypes.Time64us}
	case n.name == "timestamp" && !n.zoned && n.digits() <= 6:
		c = codec{name: "TIMESTAMP", typ: &arrow.TimestampType{Unit: arrow.Microsecond}}
	case n.name == "timestamp" && !n.zoned && n.digits() <= 9:
		c = codec{name: "TIMESTAMP_NS", typ: &arrow.TimestampType{Unit: arrow.Nanosecond}}
	case n.name == "array" && len(n.args) == 1:
		of, typ := n.args[0].codec()
		return codec{name: of.name + "[]", typ: arrow.ListOfField(of.field("item")), fields: of.fields, base: of.base, note: of.note,
			refused: of.refused}, "array(" + typ + ")"
	case n.name == "map" && len(n.args) == 2:
		key, keyTyp := n.args[0].codec()
		value, valueTyp := n.args[1].codec()
		return codec{name: "MAP(" + key.name + ", " + value.name + ")",
				typ:  arrow.MapOfFields(arrow.Field{Name: "key", Type: key.typ}, value.field("value")),
				base: key.base + value.base, note: cmp.Or(key.note, value.note), refused: cmp.Or(n.args[0].unkeyed(), key.refused, value.refused)},
			"map(" + keyTyp + ", " + valueTyp + ")"
	case n.name == "row" && len(n.args) > 0:
		return n.record()
	case states[n.name]:
		return codec{name: n.String(), typ: arrow.Null, refused: "a " + n.String() + " is not a value that can be sent"}, n.String()
	default:
		return text("the type " + n.String() + " becomes text"), "varchar"
	}
	return c, n.String()
}

// unkeyed is why values of a type cannot be read as the keys of a map, whose texts say
// less; empty: they can.
func (n node) unkeyed() string {
	switch n.name {
	case "row", "array", "map", "varbinary":
		return "Trino does not tell the keys of a map apart that are of the type " + n.name
	}
	return ""
}

func (n node) record() (c codec, typ string) {
	var fields []arrow.Field
	var names, types []string
	for i, a := range n.args {
		label := a.label
		a.label = ""
		of, typ := a.codec()
		if label == "" {
			label = "field" + strconv.Itoa(i)
		}
		fields = append(fields, of.field(label))
		c.fields = append(c.fields, api.Column{Name: label, Type: of.name, Nullable: true, Fields: of.fields})
		names, types = append(names, predicate.QuoteIdent(predicate.DuckDB, label)+" "+of.name), append(types, quote(label)+" "+typ)
		c.base, c.note, c.refused = c.base+of.base, cmp.Or(c.note, of.note), cmp.Or(c.refused, of.refused)
	}
	c.name, c.typ = "STRUCT("+strings.Join(names, ", ")+")", arrow.StructOf(fields...)
	return c, "row(" + strings.Join(types, ", ") + ")"
}

// String writes a type that has no fields.
func (n node) String() string {
	s := n.name
	if n.args != nil {
		parts := make([]string, len(n.args))
		for i, a := range n.args {
			parts[i] = a.String()
		}
		s += "(" + strings.Join(parts, ", ") + ")"
	}
	if n.zoned {
		s += " with time zone"
	}
	return s
}

// digits are those behind the second.
func (n node) digits() int {
	if len(n.args) == 0 {
		return 3
	}
	return n.args[0].number()
}

func (n node) number() int {
	i, err := strconv.Atoi(n.name)
	if err != nil {
		return 99
	}
	return i
}

// parseType reads a type as the engine spells it, such as
// row(a bigint, "b c" timestamp(3) with time zone).
func parseType(spelt string) (node, bool) {
	p := &typeParser{rest: spelt}
	n, ok := p.typ(0)
	return n, ok && p.rest == ""
}

type typeParser struct{ rest string }

// word takes a name, quoted or not, or a number.
func (p *typeParser) word() (word string, quoted bool) {
	p.rest = strings.TrimLeft(p.rest, " ")
	if strings.HasPrefix(p.rest, `"`) {
		for i := 1; i < len(p.rest); i++ {
			if p.rest[i] != '"' {
				continue
			}
			if i+1 < len(p.rest) && p.rest[i+1] == '"' {
				i++
				continue
			}
			word = strings.ReplaceAll(p.rest[1:i], `""`, `"`)
			p.rest = p.rest[i+1:]
			return word, true
		}
		return "", false
	}
	end := strings.IndexAny(p.rest, " (),\"")
	if end < 0 {
		end = len(p.rest)
	}
	word, p.rest = p.rest[:end], p.rest[end:]
	return word, false
}

const maxNesting = 32

func (p *typeParser) typ(depth int) (n node, ok bool) {
	word, quoted := p.word()
	if word == "" || depth > maxNesting {
		return n, false
	}
	n.name = strings.ToLower(word)
	if strings.HasPrefix(p.rest, "(") {
		p.rest = p.rest[1:]
		for {
			a, ok := p.typ(depth + 1)
			if !ok {
				return n, false
			}
			n.args = append(n.args, a)
			if p.rest = strings.TrimLeft(p.rest, " "); strings.HasPrefix(p.rest, ",") {
				p.rest = p.rest[1:]
				continue
			}
			if !strings.HasPrefix(p.rest, ")") {
				return n, false
			}
			p.rest = p.rest[1:]
			break
		}
	}
	if rest, is := strings.CutPrefix(p.rest, " with time zone"); is {
		n.zoned, p.rest = true, rest
	}
	if !strings.HasPrefix(p.rest, " ") {
		return n, !quoted
	}
	if strings.HasPrefix(n.name, "interval") { // interval day to second
		n.name, p.rest = "interval"+p.rest, ""
		return n, true
	}
	label := word
	n, ok = p.typ(depth + 1)
	n.label = label
	return n, ok
}
