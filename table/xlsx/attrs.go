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
		b = bytes.TrimSpace(b[i+1:])
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
	s.eachAttr(func(key, value []byte) bool {
		switch string(key) {
		case "r":
			r = value
		case "s":
			style = value
		case "t":
			typ = value
		}
		return true
	})
	return r, style, typ
}
