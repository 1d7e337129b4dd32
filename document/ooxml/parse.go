package ooxml

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// Bounds on a tree. Documents of people nest some dozens of elements.
const (
	maxDepth = 400
	maxNodes = 4_000_000
)

// Parse parses an XML part; the part's name is used in messages. The tree keeps
// data.
func Parse(part string, data []byte) (*Tree, error) {
	data, err := utf8Of(part, data)
	if err != nil {
		return nil, err
	}
	p := parser{part: part, data: data}
	return p.tree()
}

// Fragment parses elements, written with this package's prefixes, for insertion
// into n. If n is nil, the file lacks a required element.
func (n *Node) Fragment(text string) ([]*Node, error) {
	if n == nil {
		return nil, Damaged("", "an element that must be there is missing")
	}
	ours := &scope{declared: namespaces()}
	p := parser{part: "new text", data: []byte("<x>" + text + "</x>"), scope: ours}
	t, err := p.tree()
	if err != nil {
		return nil, err
	}
	for _, c := range t.Root.Children {
		c.Parent = nil
		if c.Name != "" {
			n.adopt(c)
		}
	}
	return t.Root.Children, nil
}

// adopt changes the names in c, which use our prefixes, to fit n: elements get the
// prefix that their namespace has there, which may be none. Other prefixes that have
// another meaning in n, or none, are declared on c.
func (n *Node) adopt(c *Node) {
	needs := map[string]bool{}
	for e := range c.All(nil) {
		if prefix, _, spaced := strings.Cut(e.Name, ":"); spaced {
			if theirs, ok := n.scope.spelled(prefix); ok {
				e.raw = append([]byte("<"+theirs), e.raw[len(prefix)+2:]...)
				e.end = bytes.Replace(e.end, []byte(prefix+":"), []byte(theirs), 1)
			} else {
				needs[prefix] = true
			}
		}
		for a := range attributes(e.raw) {
			if prefix, _, ok := strings.Cut(string(a.name), ":"); ok {
				needs[prefix] = true
			}
		}
	}
	c.scope = n.scope
	for _, prefix := range slices.Sorted(maps.Keys(needs)) {
		if prefix != "xml" && prefixOf(n.scope.address(prefix)) != prefix {
			c.declare(prefix)
		}
	}
	for e := range c.All(nil) {
		e.scope = c.scope
	}
}

// parser reads XML into a tree.
type parser struct {
	part  string
	data  []byte
	at    int
	scope *scope
	nodes int
}

func (p *parser) fail(format string, args ...any) error {
	line := 1 + bytes.Count(p.data[:min(p.at, len(p.data))], []byte("\n"))
	e := Damaged(p.part, "line %d: "+format, append([]any{line}, args...)...)
	e.Details["line"] = line
	return e
}

func (p *parser) tree() (*Tree, error) {
	t := &Tree{}
	var here *Node
	for depth := 0; p.at < len(p.data); {
		if p.nodes > maxNodes {
			return nil, TooLarge(p.part, "it has more than %d elements, texts and comments", maxNodes)
		}
		start := p.at
		if p.data[p.at] != '<' {
			next := bytes.IndexByte(p.data[p.at:], '<')
			if next < 0 {
				next = len(p.data) - p.at
			}
			p.at += next
			p.piece(t, here, start, true)
			continue
		}
		kind, err := p.markup()
		if err != nil {
			return nil, err
		}
		switch kind {
		case markupOther:
			p.piece(t, here, start, false)
		case markupText:
			p.piece(t, here, start, true)
		case markupEnd:
			if here == nil || !bytes.Equal(tagName(here.raw), endName(p.data[start:p.at])) {
				return nil, p.fail("an element ends that did not begin: %.40q", p.data[start:p.at])
			}
			here.end = p.data[start:p.at]
			here, depth = here.Parent, depth-1
		default:
			n, err := p.element(here, p.data[start:p.at])
			if err != nil {
				return nil, err
			}
			if here == nil {
				if t.Root != nil {
					return nil, p.fail("a second document follows the first")
				}
				t.Root = n
			}
			if kind == markupStart {
				here, depth = n, depth+1
			}
			if depth > maxDepth {
				return nil, TooLarge(p.part, "elements are nested deeper than %d", maxDepth)
			}
		}
	}
	if t.Root == nil || here != nil {
		return nil, p.fail("the part ends early")
	}
	return t, nil
}

// piece keeps text, comments and other nodes that are not elements.
func (p *parser) piece(t *Tree, here *Node, start int, text bool) {
	raw := p.data[start:p.at:p.at]
	switch {
	case here != nil:
		p.nodes++
		here.Children = append(here.Children, &Node{raw: raw, text: text, Parent: here})
	case t.Root == nil:
		t.before = append(t.before, raw...)
	default:
		t.after = append(t.after, raw...)
	}
}

type markupKind uint8

const (
	markupOther markupKind = iota // a comment or an instruction
	markupText                    // a CDATA section
	markupStart
	markupEmpty // a start tag that ends itself
	markupEnd
)

// markup skips the markup that begins here.
func (p *parser) markup() (markupKind, error) {
	rest := p.data[p.at:]
	for _, m := range [...]struct {
		open, end string
		kind      markupKind
	}{{"<!--", "-->", markupOther}, {"<![CDATA[", "]]>", markupText}, {"<?", "?>", markupOther}} {
		if bytes.HasPrefix(rest, []byte(m.open)) {
			i := bytes.Index(rest, []byte(m.end))
			if i < 0 {
				return 0, p.fail("%q has no end", m.open)
			}
			p.at += i + len(m.end)
			return m.kind, nil
		}
	}
	if bytes.HasPrefix(rest, []byte("<!")) {
		return 0, p.fail("it declares a document type, which could make it grow without bounds")
	}
	quote := byte(0)
	for i := 1; i < len(rest); i++ {
		switch c := rest[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '<':
			return 0, p.fail("a tag has no end")
		case c == '>':
			p.at += i + 1
			switch {
			case rest[1] == '/':
				return markupEnd, nil
			case rest[i-1] == '/':
				return markupEmpty, nil
			}
			return markupStart, nil
		}
	}
	return 0, p.fail("a tag has no end")
}

func endName(tag []byte) []byte { return bytes.TrimRight(tag[2:len(tag)-1], " \t\r\n") }

// element creates the node of a start tag.
func (p *parser) element(parent *Node, tag []byte) (*Node, error) {
	p.nodes++
	if nameLength(tag[1:]) == 0 {
		return nil, p.fail("a tag has no name")
	}
	n := &Node{raw: tag[:len(tag):len(tag)], Parent: parent, scope: p.scope}
	if parent != nil {
		n.scope = parent.scope
		parent.Children = append(parent.Children, n)
	}
	if n.scope == nil || bytes.Contains(tag, []byte("xmlns")) {
		s := &scope{outer: n.scope, declared: map[string]string{}}
		for a := range attributes(tag) {
			if prefix, ok := bytes.CutPrefix(a.name, []byte("xmlns:")); ok {
				s.declared[string(prefix)] = string(unescape(a.value))
			} else if string(a.name) == "xmlns" {
				s.declared[""] = string(unescape(a.value))
			}
		}
		n.scope = s
	}
	n.Name = n.scope.name(tagName(tag), true)
	return n, nil
}

// utf8Of decodes a part. XML can also be in UTF-16.
func utf8Of(part string, data []byte) ([]byte, error) {
	little := bytes.HasPrefix(data, []byte{0xff, 0xfe})
	if !little && !bytes.HasPrefix(data, []byte{0xfe, 0xff}) {
		if !utf8.Valid(data) {
			return nil, Damaged(part, "its text is not in UTF-8")
		}
		return data, nil
	}
	units := make([]uint16, 0, len(data)/2)
	for i := 2; i+1 < len(data); i += 2 {
		low, high := data[i], data[i+1]
		if !little {
			low, high = high, low
		}
		units = append(units, uint16(high)<<8|uint16(low))
	}
	text := string(utf16.Decode(units))
	if _, rest, ok := strings.Cut(text, "?>"); ok && strings.HasPrefix(text, "<?xml") {
		text = prolog + strings.TrimLeft(rest, "\r\n")
	}
	return []byte(text), nil
}
