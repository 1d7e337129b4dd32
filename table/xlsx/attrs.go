package xlsx

import "bytes"

// attr returns the raw value of an attribute, nil if it is not there. A prefix
// of the attribute's name counts as part of it.
func (s *scanner) attr(name string) (found []byte) {
	s.eachAttr(func(key, value []byte) bool {
		if string(key) == name {
			found = value
		}
		return found == nil
	})
	return found
}

// prefixed returns the raw value of an attribute with any prefix before its name;
// nil if there is none.
func (s *scanner) prefixed(name string) (found []byte) {
	s.eachAttr(func(key, value []byte) bool {
		if prefix, local, ok := bytes.Cut(key, []byte(":")); ok && string(local) == name && string(prefix) != "xmlns" {
			found = value
		}
		return found == nil
	})
	return found
}

// eachAttr hands the attributes to f until it returns false.
func (s *scanner) eachAttr(f func(key, value []byte) bool) {
	for b := s.attrs; len(b) > 0; {
		i := bytes.IndexByte(b, '=')
		if i < 0 {
			return
		}
		key := bytes.TrimSpace(b[:i])
		b = bytes.TrimLeft(b[i+1:], " \t\r\n")
		if len(b) == 0 {
			return
		}
		q := b[0]
		j := bytes.IndexByte(b[1:], q)
		if q != '"' && q != '\'' || j < 0 || !f(key, b[1:j+1]) {
			return
		}
		b = b[j+2:]
	}
}

// cellAttrs returns the attributes r, s and t, in one pass.
func (s *scanner) cellAttrs() (r, style, typ []byte) {
	b := s.attrs
	for {
		i := 0
		for i < len(b) && b[i] <= ' ' {
			i++
		}
		if i+2 >= len(b) {
			return r, style, typ
		}
		j := i
		for j < len(b) && b[j] != '=' && b[j] > ' ' {
			j++
		}
		if j+1 >= len(b) || b[j] != '=' || b[j+1] != '"' {
			return s.attr("r"), s.attr("s"), s.attr("t") // written in an unusual way
		}
		k := j + 2
		for k < len(b) && b[k] != '"' {
			k++
		}
		if k == len(b) {
			return r, style, typ
		}
		if j == i+1 {
			switch b[i] {
			case 'r':
				r = b[j+2 : k]
			case 's':
				style = b[j+2 : k]
			case 't':
				typ = b[j+2 : k]
			}
		}
		b = b[k+1:]
	}
}
