package predicate

import (
	"strconv"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/predicate/syntax"
)

// columnType parses a column's type. Fields supply what the name leaves out, as
// in RECORD.
func columnType(d *Traits, c api.Column, depth int) Type {
	if depth > syntax.SchemaTypeDepth {
		return Type{Name: c.Type}
	}
	t := parseTypeName(d, c.Type)
	t.Name = c.Type
	if len(c.Fields) == 0 {
		return t
	}
	at := &t
	for at.Kind == KindList && at.Elem != nil {
		elem := *at.Elem
		at.Elem = &elem
		at = at.Elem
	}
	if at.Kind == KindStruct || at.Kind == KindUnknown {
		at.Kind, at.Fields = KindStruct, make([]Field, 0, len(c.Fields))
		for _, f := range c.Fields {
			at.Fields = append(at.Fields, Field{Name: f.Name, Type: columnType(d, f, depth+1)})
		}
	}
	return t
}

// parseTypeName reads an engine's name of a type.
func parseTypeName(d *Traits, name string) Type {
	p := typeNameParser{d: d, rest: name}
	t, ok := p.typ(0)
	if !ok || strings.TrimSpace(p.rest) != "" {
		return Type{Name: name}
	}
	return t
}

type typeNameParser struct {
	d    *Traits
	rest string
}

func (p *typeNameParser) skipSpace() { p.rest = strings.TrimLeft(p.rest, " \t\n") }

func (p *typeNameParser) eat(s string) bool {
	p.skipSpace()
	if !strings.HasPrefix(p.rest, s) {
		return false
	}
	p.rest = p.rest[len(s):]
	return true
}

// word takes a name, quoted or not.
func (p *typeNameParser) word() string {
	p.skipSpace()
	if p.rest == "" {
		return ""
	}
	if q := p.rest[0]; q == '"' || q == '`' {
		var b strings.Builder
		for i := 1; i < len(p.rest); i++ {
			if p.rest[i] != q {
				b.WriteByte(p.rest[i])
				continue
			}
			if i+1 < len(p.rest) && p.rest[i+1] == q {
				b.WriteByte(q)
				i++
				continue
			}
			p.rest = p.rest[i+1:]
			return b.String()
		}
		return ""
	}
	i := 0
	for i < len(p.rest) && (syntax.IsWordByte(p.rest[i]) || p.rest[i] >= 0x80) {
		i++
	}
	w := p.rest[:i]
	p.rest = p.rest[i:]
	return w
}

// words takes a type's name of several words, in lower case.
func (p *typeNameParser) words() string {
	var all []string
	for {
		p.skipSpace()
		if p.rest == "" || !syntax.IsWordByte(p.rest[0]) {
			break
		}
		w := strings.ToLower(p.word())
		all = append(all, w)
		if !moreWords[w] {
			break
		}
	}
	return strings.Join(all, " ")
}

// moreWords can be followed by another word of the same type name.
var moreWords = map[string]bool{
	"double": true, "character": true, "time": true, "timestamp": true, "with": true,
	"without": true, "bit": true,
}

func (p *typeNameParser) typ(depth int) (Type, bool) {
	if depth > syntax.SchemaTypeDepth {
		return Type{}, false
	}
	name := p.words()
	if name == "" {
		return Type{}, false
	}
	t, ok := p.nested(name, depth)
	if !ok {
		params := p.params()
		if p.d.ZonedTypes && (name == "timestamp" || name == "time") {
			// timestamp(3) with time zone
			if tail := p.words(); tail != "" {
				name += " " + tail
			}
		}
		t = scalarType(p.d, name, params)
	}
	for p.eat("[") {
		p.skipSpace()
		for p.rest != "" && syntax.IsDigit(p.rest[0]) {
			p.rest = p.rest[1:]
		}
		if !p.eat("]") {
			return Type{}, false
		}
		elem := t
		t = Type{Kind: KindList, Elem: &elem}
	}
	return t, true
}

// nested parses STRUCT, MAP, ARRAY and what follows them.
func (p *typeNameParser) nested(name string, depth int) (Type, bool) {
	open, closing := "(", ")"
	if p.d.AngleTypes {
		open, closing = "<", ">"
	}
	switch {
	case syntax.HasWord(p.d.structTypes, name):
		t := Type{Kind: KindStruct}
		if !p.eat(open) {
			return t, p.d.bareStructs
		}
		for {
			f := Field{Name: p.word()}
			ft, ok := p.typ(depth + 1)
			if !ok || f.Name == "" {
				return Type{}, false
			}
			f.Type = ft
			t.Fields = append(t.Fields, f)
			if p.eat(",") {
				continue
			}
			return t, p.eat(closing)
		}
	case name == p.d.mapType && p.eat(open):
		key, ok := p.typ(depth + 1)
		if !ok || !p.eat(",") {
			return Type{}, false
		}
		value, ok := p.typ(depth + 1)
		return Type{Kind: KindMap, Key: &key, Elem: &value}, ok && p.eat(closing)
	case name == p.d.listType && p.eat(open):
		elem, ok := p.typ(depth + 1)
		return Type{Kind: KindList, Elem: &elem}, ok && p.eat(closing)
	}
	return Type{}, false
}

// params parses (10, 2). Anything else in parentheses makes the type unknown.
func (p *typeNameParser) params() []int {
	if !p.eat("(") {
		return nil
	}
	inside, rest, ok := strings.Cut(p.rest, ")")
	if !ok {
		return nil
	}
	var out []int
	for _, s := range strings.Split(inside, ",") {
		n, err := strconv.Atoi(strings.TrimSpace(s))
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	p.rest = rest
	return out
}

// scalarType looks up the engine's name of a type, in lower case.
func scalarType(d *Traits, name string, params []int) Type {
	t, ok := d.typeNames[name]
	if !ok {
		return Type{Name: name}
	}
	if t.Kind == KindDecimal && len(params) > 0 {
		t.Precision, t.Scale = params[0], 0
		if len(params) > 1 {
			t.Scale = params[1]
		}
	}
	return t
}

func intType(bits int) Type { return Type{Kind: KindInt, Bits: bits} }

func kindOf(k Kind) Type { return Type{Kind: k} }

func floatType(bits int) Type { return Type{Kind: KindFloat, Bits: bits} }
