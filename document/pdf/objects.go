package pdf

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// An object of a file is a raw, a ref, a list, a dict or a stream. A copied is a
// reference within the file that is being written.
type (
	// raw is a number, name, text, true, false or null, as the file has it.
	raw    string
	ref    int
	copied ref
	list   []any
	dict   map[string]any // by names with their slash
	stream struct {
		dict
		data []byte
	}
)

// errObjects is a file whose objects do not stand where it says, or not as they must.
var errObjects = errors.New("its objects cannot be read")

// objects are those of a file that PDFium has written: in plain objects, with one table
// of where they stand, and not encrypted.
type objects struct {
	data    []byte
	at      map[ref]int
	trailer dict
}

func readObjects(data []byte) (*objects, error) {
	f := &objects{data: data, at: map[ref]int{}}
	s := scanner{f: f, at: bytes.LastIndex(data, []byte("startxref"))}
	if s.at < 0 {
		return nil, errObjects
	}
	s.at += len("startxref")
	s.at = s.number()
	if s.word() != "xref" {
		return nil, errObjects
	}
	for word := s.word(); word != "trailer"; word = s.word() {
		first, err := strconv.Atoi(word)
		count := s.number()
		if err != nil || count < 0 {
			return nil, errObjects
		}
		for n := range count {
			at, _, kind := s.number(), s.number(), s.word()
			if kind == "n" {
				f.at[ref(first+n)] = at
			} else if kind != "f" {
				return nil, errObjects
			}
		}
	}
	trailer, ok := s.value(0).(dict)
	if !ok || f.dict(trailer["/Root"]) == nil {
		return nil, errObjects
	}
	f.trailer = trailer
	return f, nil
}

// get returns an object, of a reference what it leads to; nil if there is none.
func (f *objects) get(v any) any {
	for range 32 {
		r, ok := v.(ref)
		if !ok {
			return v
		}
		at, ok := f.at[r]
		if !ok {
			return nil
		}
		s := scanner{f: f, at: at}
		if n := s.number(); n != int(r) || s.number() < 0 || s.word() != "obj" {
			return nil
		}
		v = s.whole()
	}
	return nil
}

func (f *objects) dict(v any) dict {
	switch v := f.get(v).(type) {
	case dict:
		return v
	case stream:
		return v.dict
	}
	return nil
}

func (f *objects) list(v any) list {
	l, _ := f.get(v).(list)
	return l
}

func (f *objects) raw(v any) raw {
	r, _ := f.get(v).(raw)
	return r
}

// scanner reads objects from a place of a file on.
type scanner struct {
	f  *objects
	at int
}

const (
	blanks     = "\x00\t\n\f\r "
	delimiters = "()<>[]{}/%"
	mostWithin = 500
)

func (s *scanner) peek() byte {
	for s.at >= 0 && s.at < len(s.f.data) {
		switch c := s.f.data[s.at]; {
		case c == '%':
			for s.at < len(s.f.data) && s.f.data[s.at] != '\n' && s.f.data[s.at] != '\r' {
				s.at++
			}
		case strings.IndexByte(blanks, c) >= 0:
			s.at++
		default:
			return c
		}
	}
	return 0
}

// word reads up to the next blank or delimiter.
func (s *scanner) word() string {
	if s.peek() == 0 {
		return ""
	}
	begin := s.at
	s.at++
	for s.at < len(s.f.data) && strings.IndexByte(blanks+delimiters, s.f.data[s.at]) < 0 {
		s.at++
	}
	return string(s.f.data[begin:s.at])
}

// number reads a whole number; -1 if there is none.
func (s *scanner) number() int {
	n, err := strconv.Atoi(s.word())
	if err != nil {
		return -1
	}
	return n
}

// whole reads an object that can be a stream.
func (s *scanner) whole() any {
	v := s.value(0)
	d, ok := v.(dict)
	if s.peek() != 's' || !ok || s.word() != "stream" {
		return v
	}
	if bytes.HasPrefix(s.f.data[s.at:], []byte("\r")) {
		s.at++
	}
	s.at++ // a line feed
	size, err := strconv.Atoi(string(s.f.raw(d["/Length"])))
	if err != nil || size < 0 || size > len(s.f.data)-s.at {
		return nil
	}
	return stream{d, s.f.data[s.at : s.at+size]}
}

func (s *scanner) value(depth int) any {
	if depth > mostWithin {
		return nil
	}
	switch c := s.peek(); {
	case c == '(':
		return s.text()
	case c == '[':
		s.at++
		l := list{}
		for c := s.peek(); c != ']' && c != 0; c = s.peek() {
			l = append(l, s.value(depth+1))
		}
		s.at++
		return l
	case c == '<' && bytes.HasPrefix(s.f.data[s.at:], []byte("<<")):
		s.at += 2
		d := dict{}
		for c := s.peek(); c == '/'; c = s.peek() {
			key := s.word()
			d[key] = s.value(depth + 1)
		}
		s.at += 2
		return d
	case c == '<':
		end := bytes.IndexByte(s.f.data[s.at:], '>')
		if end < 0 {
			s.at = len(s.f.data)
			return nil
		}
		s.at += end + 1
		return raw(s.f.data[s.at-end-1 : s.at])
	}
	word := s.word()
	if n, err := strconv.Atoi(word); err == nil && n > 0 {
		after := *s
		if after.number() >= 0 && after.word() == "R" {
			s.at = after.at
			return ref(n)
		}
	}
	return raw(word)
}

// text reads a text in brackets, with its escapes.
func (s *scanner) text() raw {
	begin, open := s.at, 0
	for ; s.at < len(s.f.data); s.at++ {
		switch s.f.data[s.at] {
		case '\\':
			s.at++
		case '(':
			open++
		case ')':
			if open--; open == 0 {
				s.at++
				return raw(s.f.data[begin:s.at])
			}
		}
	}
	return "()"
}

// objectWriter writes objects, then the table of where they stand.
type objectWriter struct {
	w     io.Writer
	at    []int // by numbers from 1; 0: not written
	wrote int
	err   error
}

func newObjectWriter(w io.Writer) *objectWriter {
	o := &objectWriter{w: w}
	o.print("%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
	return o
}

func (o *objectWriter) print(parts ...string) {
	for _, p := range parts {
		if o.err == nil {
			_, o.err = io.WriteString(o.w, p)
		}
		o.wrote += len(p)
	}
}

// next is the number of an object that is to be written.
func (o *objectWriter) next() ref {
	o.at = append(o.at, 0)
	return ref(len(o.at))
}

func (o *objectWriter) put(r ref, v any) {
	o.at[r-1] = o.wrote
	o.print(strconv.Itoa(int(r)), " 0 obj\n")
	if s, ok := v.(stream); ok {
		s.dict["/Length"] = raw(strconv.Itoa(len(s.data)))
		o.print(written(s.dict), "\nstream\n", string(s.data), "\nendstream")
	} else {
		o.print(written(v))
	}
	o.print("\nendobj\n")
}

// end writes the table and the trailer.
func (o *objectWriter) end(trailer dict) error {
	table := o.wrote
	o.print("xref\n0 ", strconv.Itoa(len(o.at)+1), "\n0000000000 65535 f \n")
	for _, at := range o.at {
		if at == 0 {
			o.print("0000000000 00000 f \n")
			continue
		}
		o.print(fmt.Sprintf("%010d 00000 n \n", at))
	}
	trailer["/Size"] = raw(strconv.Itoa(len(o.at) + 1))
	o.print("trailer\n", written(trailer), "\nstartxref\n", strconv.Itoa(table), "\n%%EOF\n")
	return o.err
}

// written is an object as a file has it.
func written(v any) string {
	switch v := v.(type) {
	case raw:
		return string(v)
	case ref:
		return strconv.Itoa(int(v)) + " 0 R"
	case copied:
		return written(ref(v))
	case list:
		var parts []string
		for _, e := range v {
			parts = append(parts, written(e))
		}
		return "[" + strings.Join(parts, " ") + "]"
	case dict:
		var b strings.Builder
		b.WriteString("<<")
		for _, key := range slices.Sorted(maps.Keys(v)) {
			b.WriteString(key + " " + written(v[key]) + "\n")
		}
		b.WriteString(">>")
		return b.String()
	}
	return "null"
}
