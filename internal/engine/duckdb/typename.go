package duckdb

import (
	"fmt"
	"strings"
	"unicode"
)

// typeName is a type parsed from the engine's text for it, as in DESCRIBE or
// typeof.
type typeName struct {
	// name is the base name, in upper case and without quotes: INTEGER, DECIMAL,
	// TIMESTAMP WITH TIME ZONE, STRUCT, MAP, UNION, LIST or ARRAY.
	name string
	// text is the type as written.
	text string
	// fields are the members of STRUCT and UNION, key and value of MAP, the
	// element of LIST and ARRAY.
	fields []typeField
	size   string // of an ARRAY
}

type typeField struct {
	name string // as written, with its quotes; may be empty
	typ  typeName
}

// maxTypeDepth limits the recursion, because the text can come from a file.
const maxTypeDepth = 200

// parseType reads one type.
func parseType(text string) (typeName, error) {
	p := &typeParser{text: text}
	t, ok := p.parse(0)
	if p.skip(); !ok || p.at < len(text) {
		return typeName{}, fmt.Errorf("duckdb: %q is not a type (at byte %d)", text, p.at)
	}
	return t, nil
}

type typeParser struct {
	text string
	at   int
}

func (p *typeParser) skip() {
	for p.at < len(p.text) && p.text[p.at] == ' ' {
		p.at++
	}
}

// eat consumes the byte b, after spaces, if it is next.
func (p *typeParser) eat(b byte) bool {
	if p.peek() != b {
		return false
	}
	p.at++
	return true
}

// peek is the next byte after spaces; 0 at the end.
func (p *typeParser) peek() byte {
	p.skip()
	if p.at == len(p.text) {
		return 0
	}
	return p.text[p.at]
}

// quoted reads the text between two bytes q; a doubled q is part of it.
func (p *typeParser) quoted(q byte) (string, bool) {
	if !p.eat(q) {
		return "", false
	}
	var b strings.Builder
	for p.at < len(p.text) {
		c := p.text[p.at]
		p.at++
		if c != q {
			b.WriteByte(c)
			continue
		}
		if p.at == len(p.text) || p.text[p.at] != q {
			return b.String(), true
		}
		p.at++
		b.WriteByte(q)
	}
	return "", false
}

// word reads a name, quoted or not.
func (p *typeParser) word() (string, bool) {
	if p.peek() == '"' {
		return p.quoted('"')
	}
	p.skip()
	rest := p.text[p.at:]
	n := strings.IndexFunc(rest, func(r rune) bool { return r != '_' && r != '$' && !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if n < 0 {
		n = len(rest)
	}
	p.at += n
	return rest[:n], n > 0
}

// parse reads a type with its list and array suffixes.
func (p *typeParser) parse(depth int) (typeName, bool) {
	if depth > maxTypeDepth {
		return typeName{}, false
	}
	p.skip()
	start := p.at
	t, ok := p.base(depth)
	if !ok {
		return t, false
	}
	t.text = strings.TrimRight(p.text[start:p.at], " ")
	for suffixes := 0; p.eat('['); suffixes++ {
		end := strings.IndexByte(p.text[p.at:], ']')
		if end < 0 || suffixes > maxTypeDepth {
			return t, false
		}
		outer := typeName{name: "LIST", size: p.text[p.at : p.at+end], fields: []typeField{{typ: t}}}
		if outer.size != "" {
			outer.name = "ARRAY"
		}
		p.at += end + 1
		outer.text = p.text[start:p.at] // ends with the bracket
		t = outer
	}
	return t, true
}

func (p *typeParser) base(depth int) (t typeName, ok bool) {
	word, ok := p.word()
	if !ok {
		return t, false
	}
	t.name = strings.ToUpper(word)
	if t.name == "TIME" || t.name == "TIMESTAMP" {
		if rest := p.text[p.at:]; len(rest) >= len(withZone) && strings.EqualFold(rest[:len(withZone)], withZone) {
			p.at += len(withZone)
			t.name += withZone
		}
	}
	if p.peek() != '(' {
		return t, t.name != "STRUCT" && t.name != "UNION" && t.name != "MAP"
	}
	p.at++
	switch t.name {
	case "STRUCT", "UNION":
		t.fields, ok = p.list(func() (typeField, bool) { return p.member(depth + 1) })
	case "MAP":
		t.fields, ok = p.list(func() (typeField, bool) {
			typ, ok := p.parse(depth + 1)
			return typeField{typ: typ}, ok
		})
		ok = ok && len(t.fields) == 2
	default:
		_, ok = p.list(p.parameter)
	}
	return t, ok
}

const withZone = " WITH TIME ZONE"

// list reads items up to the closing parenthesis.
func (p *typeParser) list(item func() (typeField, bool)) (fields []typeField, ok bool) {
	for {
		f, ok := item()
		if !ok {
			return nil, false
		}
		fields = append(fields, f)
		if p.eat(')') {
			return fields, true
		}
		if !p.eat(',') {
			return nil, false
		}
	}
}

// parameter reads the parameters of DECIMAL, ENUM and the like.
func (p *typeParser) parameter() (typeField, bool) {
	if p.peek() == '\'' {
		_, ok := p.quoted('\'')
		return typeField{}, ok
	}
	_, ok := p.word()
	return typeField{}, ok
}

// member reads "name TYPE", or only a type in a struct without names. A name can
// look like a type, but it is never the last part of a member.
func (p *typeParser) member(depth int) (typeField, bool) {
	p.skip()
	start := p.at
	if typ, ok := p.parse(depth); ok && (p.peek() == ',' || p.peek() == ')') {
		return typeField{typ: typ}, true
	}
	p.at = start
	if _, ok := p.word(); !ok {
		return typeField{}, false
	}
	name := p.text[start:p.at]
	typ, ok := p.parse(depth)
	return typeField{name: name, typ: typ}, ok
}
