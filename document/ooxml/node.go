package ooxml

import (
	"bytes"
	"iter"
	"maps"
	"slices"
	"strings"
)

// Tree is a part of XML. When it is written, it has the bytes from which it was
// read, except for the changes.
type Tree struct {
	Root          *Node
	before, after []byte // the bytes before and after the root
}

// Node is an element, or a piece between elements, such as a text or a comment.
type Node struct {
	// Name is the name of the element, with this package's prefix for its
	// namespace: "w:p". It is empty if the node is not an element.
	Name     string
	Parent   *Node
	Children []*Node

	raw   []byte // the start tag, or the piece as it is in the source
	end   []byte // the end tag; nil if the start tag ends itself
	scope *scope
	text  bool
}

// scope holds the namespaces declared at a place.
type scope struct {
	outer    *scope
	declared map[string]string // maps the file's prefixes to addresses
	names    map[string]string // caches raw name to Name
}

func (s *scope) address(prefix string) string {
	for ; s != nil; s = s.outer {
		if a, ok := s.declared[prefix]; ok {
			return a
		}
	}
	if prefix == "xml" {
		return namespaces()["xml"]
	}
	return ""
}

// spelled returns the prefix of elements, with its colon, that the file has for one of
// ours: none if the namespace is the default. ok is false if the file has no prefix.
func (s *scope) spelled(ours string) (prefix string, ok bool) {
	if prefixOf(s.address("")) == ours {
		return "", true
	}
	for at := s; at != nil; at = at.outer {
		for _, p := range slices.Sorted(maps.Keys(at.declared)) {
			if p != "" && prefixOf(s.address(p)) == ours {
				return p + ":", true
			}
		}
	}
	return "", false
}

// name turns a name of the file into ours.
func (s *scope) name(raw []byte, element bool) string {
	if !element && bytes.IndexByte(raw, ':') < 0 {
		return string(raw) // attributes without a prefix have no namespace
	}
	if known, ok := s.names[string(raw)]; ok {
		return known
	}
	prefix, local, found := strings.Cut(string(raw), ":")
	if !found {
		prefix, local = "", string(raw)
	}
	name := local
	if ours := prefixOf(s.address(prefix)); ours != "" {
		name = ours + ":" + local
	}
	if s.names == nil {
		s.names = map[string]string{}
	}
	s.names[string(raw)] = name
	return name
}

// Bytes returns the part as XML.
func (t *Tree) Bytes() []byte {
	var b bytes.Buffer
	b.Write(t.before)
	t.Root.write(&b)
	b.Write(t.after)
	return b.Bytes()
}

func (n *Node) write(b *bytes.Buffer) {
	b.Write(n.raw)
	for _, c := range n.Children {
		c.write(b)
	}
	b.Write(n.end)
}

// Elements iterates over the child elements. The current one can be removed.
func (n *Node) Elements() iter.Seq[*Node] {
	return func(yield func(*Node) bool) {
		if n == nil {
			return
		}
		for _, c := range slices.Clone(n.Children) {
			if c.Name != "" && !yield(c) {
				return
			}
		}
	}
}

// All iterates over the element and all elements below it, in document order. If
// skip returns true for an element, the elements below it are left out; nil: none
// are.
func (n *Node) All(skip func(*Node) bool) iter.Seq[*Node] {
	return func(yield func(*Node) bool) { n.walk(skip, yield) }
}

func (n *Node) walk(skip func(*Node) bool, yield func(*Node) bool) bool {
	if n == nil || n.Name == "" {
		return true
	}
	if !yield(n) {
		return false
	}
	if skip != nil && skip(n) {
		return true
	}
	for c := range n.Elements() {
		if !c.walk(skip, yield) {
			return false
		}
	}
	return true
}

// Find follows a path of child names and returns the first match, or nil if there
// is none. n can be nil.
func (n *Node) Find(path ...string) *Node {
	for _, name := range path {
		if n == nil {
			return nil
		}
		i := slices.IndexFunc(n.Children, func(c *Node) bool { return c.Name == name })
		if i < 0 {
			return nil
		}
		n = n.Children[i]
	}
	return n
}

// Text returns the text directly in the element.
func (n *Node) Text() string {
	if n == nil {
		return ""
	}
	var b strings.Builder
	for _, c := range n.Children {
		if c.text {
			b.Write(unescape(c.raw))
		}
	}
	return b.String()
}

// SetText replaces the content of the element by a text.
func (n *Node) SetText(s string) {
	n.Children = nil
	n.open()
	n.Append(&Node{raw: []byte(Escape(s)), text: true})
}

// open gives the element an end tag if it has none.
func (n *Node) open() {
	if n.end != nil {
		return
	}
	tag := bytes.TrimRight(bytes.TrimSuffix(n.raw, []byte("/>")), " \t\r\n")
	n.raw = append(slices.Clone(tag), '>')
	n.end = []byte("</" + string(tagName(n.raw)) + ">")
}

// Index returns the place among the parent's children, -1 without a parent.
func (n *Node) Index() int {
	if n.Parent == nil {
		return -1
	}
	return slices.Index(n.Parent.Children, n)
}

// Append adds nodes behind the last child.
func (n *Node) Append(nodes ...*Node) { n.insert(len(n.Children), nodes) }

// Prepend adds nodes before the first child.
func (n *Node) Prepend(nodes ...*Node) { n.insert(0, nodes) }

// After adds nodes behind this one.
func (n *Node) After(nodes ...*Node) { n.Parent.insert(n.Index()+1, nodes) }

// Before adds nodes before this one.
func (n *Node) Before(nodes ...*Node) { n.Parent.insert(n.Index(), nodes) }

func (n *Node) insert(at int, nodes []*Node) {
	n.open()
	for _, c := range nodes {
		c.Parent = n
	}
	n.Children = slices.Insert(n.Children, at, nodes...)
}

// Remove takes the node out of its parent.
func (n *Node) Remove() {
	if i := n.Index(); i >= 0 {
		n.Parent.Children = slices.Delete(n.Parent.Children, i, i+1)
		n.Parent = nil
	}
}

// Clone copies the node and everything below it; the copy has no parent.
func (n *Node) Clone() *Node {
	c := *n
	c.Parent, c.Children = nil, make([]*Node, 0, len(n.Children))
	for _, child := range n.Children {
		copied := child.Clone()
		copied.Parent = &c
		c.Children = append(c.Children, copied)
	}
	return &c
}

// String is the node as XML.
func (n *Node) String() string {
	var b bytes.Buffer
	n.write(&b)
	return b.String()
}

// AppendRaw adds a piece that is written as it is. The caller sees to it that it is
// right there.
func (n *Node) AppendRaw(raw string) { n.Append(&Node{raw: []byte(raw)}) }
