package ooxml

import (
	"bytes"
	"slices"
)

// Tag is a start tag as written in a file: <c r="A1" s="3">. Its attributes have
// the names used there.
type Tag []byte

// Get returns an attribute, "" if it is not there.
func (t Tag) Get(name string) string {
	for a := range attributes(t) {
		if string(a.name) == name {
			return string(unescape(a.value))
		}
	}
	return ""
}

// Raw is Get of an attribute whose value needs no unescaping; nil if it is not there.
func (t Tag) Raw(name string) []byte {
	for a := range attributes(t) {
		if string(a.name) == name {
			return a.value
		}
	}
	return nil
}

// With returns the tag with the attribute set to value.
func (t Tag) With(name, value string) Tag {
	at, end, text := 1+nameLength(t[1:]), 0, " "+name+`="`+Escape(value)+`"`
	for a := range attributes(t) {
		if string(a.name) == name {
			at, end, text = a.from, a.to, name+`="`+Escape(value)+`"`
		}
	}
	return slices.Concat(t[:at], []byte(text), t[max(at, end):])
}

// Without returns the tag without the attribute.
func (t Tag) Without(name string) Tag {
	for a := range attributes(t) {
		if string(a.name) == name {
			return slices.Concat(bytes.TrimRight(t[:a.from], " \t\r\n"), t[a.to:])
		}
	}
	return t
}

// Name is the element's name without its prefix.
func (t Tag) Name() string {
	name := tagName(t)
	return string(name[bytes.IndexByte(name, ':')+1:])
}

// Empty reports whether the tag ends itself.
func (t Tag) Empty() bool { return bytes.HasSuffix(t, []byte("/>")) }

// Opened returns the tag without self-closing, and its end tag.
func (t Tag) Opened() (Tag, []byte) {
	if t.Empty() {
		t = append(bytes.TrimRight(slices.Clone(t[:len(t)-2]), " \t\r\n"), '>')
	}
	return t, slices.Concat([]byte("</"), tagName(t), []byte(">"))
}

// TagAt returns the start tag at the beginning of b.
func TagAt(b []byte) (Tag, bool) {
	n, ok := markupLength(b)
	return Tag(b[:n:n]), ok
}

// markupLength is how long the piece of markup at the beginning of b is; not ok if
// its end is not in b.
func markupLength(b []byte) (int, bool) {
	if len(b) > 1 && (b[1] == '!' || b[1] == '?') {
		for _, m := range [...]struct{ open, end string }{{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}} {
			if bytes.HasPrefix(b, []byte(m.open)) {
				i := bytes.Index(b, []byte(m.end))
				return i + len(m.end), i >= 0
			}
		}
	}
	// Few tags have a > in their attributes.
	n := bytes.IndexByte(b, '>') + 1
	if tag := b[:n]; n > 0 && bytes.Count(tag, []byte{'"'})%2 == 0 && bytes.IndexByte(tag, '\'') < 0 {
		return n, true
	}
	quote := byte(0)
	for i := 1; i < len(b); i++ {
		switch c := b[i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			return i + 1, true
		}
	}
	return 0, false
}

// IndexMarkup is bytes.Index for the beginning of a piece of markup or for an end
// tag. It looks for the last letter: bytes.Index looks for the first, "<", which is
// everywhere, and takes several times as long.
func IndexMarkup(b, markup []byte) int {
	pivot := len(markup) - 1
	if markup[pivot] == '>' {
		pivot--
	}
	for at := pivot; at < len(b); at++ {
		next := bytes.IndexByte(b[at:], markup[pivot])
		if next < 0 {
			break
		}
		at += next
		if bytes.HasPrefix(b[at-pivot:], markup) {
			return at - pivot
		}
	}
	return -1
}

// FlatLength is ElementLength of an element in which no other of its name can be. It
// is faster.
func FlatLength(b []byte) (int, bool) {
	tag, ok := TagAt(b)
	if !ok || tag.Empty() || tag[1] == '!' || tag[1] == '?' {
		return len(tag), ok
	}
	var end [40]byte
	closing := append(append(append(end[:0], "</"...), tagName(tag)...), '>')
	at := IndexMarkup(b[len(tag):], closing)
	if at < 0 || IndexMarkup(b[len(tag):len(tag)+at], []byte("<!")) >= 0 {
		return ElementLength(b) // comments and CDATA sections can contain anything
	}
	return len(tag) + at + len(closing), true
}

// ElementLength returns the length of the element at the start of b, including
// its end tag; ok is false if b does not contain the end.
func ElementLength(b []byte) (int, bool) {
	for at, depth := 0, 0; at < len(b); {
		next := bytes.IndexByte(b[at:], '<')
		if next < 0 {
			return 0, false
		}
		at += next
		n, ok := markupLength(b[at:])
		if !ok {
			return 0, false
		}
		switch piece := b[at : at+n]; {
		case piece[1] == '!' || piece[1] == '?':
		case piece[1] == '/':
			depth--
		case piece[n-2] != '/':
			depth++
		}
		if at += n; depth <= 0 {
			return at, true
		}
	}
	return 0, false
}

// Unescape decodes the text between tags.
func Unescape(raw []byte) string { return string(unescape(raw)) }
