package ooxml

import (
	"bytes"
	"iter"
	"slices"
	"strconv"
	"strings"
)

// attribute is one of a start tag, as it is in the file.
type attribute struct {
	name, value []byte
	from, to    int // its start and end in the tag, including the quotes
}

// tagName is the name in a tag, as the file writes it.
func tagName(tag []byte) []byte {
	tag = tag[1:]
	return tag[:nameLength(tag)]
}

func nameLength(b []byte) int {
	for i, c := range b {
		switch c {
		case ' ', '\t', '\r', '\n', '/', '>', '=':
			return i
		}
	}
	return len(b)
}

// attributes walks over those of a start tag.
func attributes(tag []byte) iter.Seq[attribute] {
	return func(yield func(attribute) bool) {
		if len(tag) == 0 {
			return
		}
		for at := 1 + nameLength(tag[1:]); at < len(tag); {
			if c := tag[at]; c == ' ' || c == '\t' || c == '\r' || c == '\n' {
				at++
				continue
			}
			name := tag[at : at+nameLength(tag[at:])]
			value := at + len(name)
			for value < len(tag) && tag[value] != '"' && tag[value] != '\'' {
				value++
			}
			if len(name) == 0 || value == len(tag) {
				return
			}
			length := bytes.IndexByte(tag[value+1:], tag[value])
			if length < 0 {
				return
			}
			end := value + 1 + length
			if !yield(attribute{name, tag[value+1 : end], at, end + 1}) {
				return
			}
			at = end + 1
		}
	}
}

// attribute returns an attribute by its name in this package's spelling.
func (n *Node) attribute(name string) (attribute, bool) {
	if n != nil && n.Name != "" {
		for a := range attributes(n.raw) {
			if n.scope.name(a.name, false) == name {
				return a, true
			}
		}
	}
	return attribute{}, false
}

// Lookup returns the value of an attribute, named with this package's prefixes,
// and whether it exists. n can be nil.
func (n *Node) Lookup(name string) (string, bool) {
	a, ok := n.attribute(name)
	return string(unescape(a.value)), ok
}

// Attr returns an attribute, or "" if it does not exist. n can be nil.
func (n *Node) Attr(name string) string {
	v, _ := n.Lookup(name)
	return v
}

// Int returns an attribute as an integer, or missing if it does not exist or is
// not an integer.
func (n *Node) Int(name string, missing int) int {
	if v, err := strconv.Atoi(n.Attr(name)); err == nil {
		return v
	}
	return missing
}

// Set sets an attribute, adding it if it does not exist.
func (n *Node) Set(name, value string) {
	at, end := 1+nameLength(n.raw[1:]), 0
	text := " " + n.spelt(name) + `="` + Escape(value) + `"`
	if a, ok := n.attribute(name); ok {
		at, end, text = a.from, a.to, string(a.name)+`="`+Escape(value)+`"`
	}
	n.raw = slices.Concat(n.raw[:at], []byte(text), n.raw[max(at, end):])
}

// Unset takes an attribute away.
func (n *Node) Unset(name string) {
	if a, ok := n.attribute(name); ok {
		n.raw = slices.Concat(bytes.TrimRight(n.raw[:a.from], " \t\r\n"), n.raw[a.to:])
	}
}

// spelt returns a name of this package with the prefix that the file uses at this
// place. If the file does not declare the namespace, it is declared on the
// element.
func (n *Node) spelt(name string) string {
	prefix, local, found := strings.Cut(name, ":")
	if !found || prefix == "xml" {
		return name
	}
	for s := n.scope; s != nil; s = s.outer {
		for theirs, address := range s.declared {
			if theirs != "" && prefixOf(address) == prefix && n.scope.address(theirs) == address {
				return theirs + ":" + local
			}
		}
	}
	n.declare(prefix)
	return name
}

// declare declares our prefix on the element.
func (n *Node) declare(prefix string) {
	at := 1 + nameLength(n.raw[1:])
	address := n.scope.spelling(prefix)
	n.raw = slices.Concat(n.raw[:at], []byte(` xmlns:`+prefix+`="`+address+`"`), n.raw[at:])
	n.scope = &scope{outer: n.scope, declared: map[string]string{prefix: address}}
}

// spelling returns the address that the file uses for the namespace of our
// prefix; the standard defines two.
func (s *scope) spelling(prefix string) string {
	for ; s != nil; s = s.outer {
		for _, address := range s.declared {
			if prefixOf(address) == prefix {
				return address
			}
		}
	}
	return namespaces()[prefix]
}

// Attributes lists the attributes of an element as people read them: a=1; b=2.
func (n *Node) Attributes() string {
	var out []string
	for a := range attributes(n.raw) {
		if name := n.scope.name(a.name, false); name != "xmlns" && !strings.HasPrefix(name, "xmlns:") {
			out = append(out, name+"="+string(unescape(a.value)))
		}
	}
	return strings.Join(out, "; ")
}
