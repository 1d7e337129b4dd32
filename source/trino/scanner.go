package trino

import (
	"bytes"
	"errors"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

var errJSON = errors.New("the answer is not the JSON of a page")

// scanner walks over JSON without making values of it. The text is followed by a zero
// byte, at which every step stops.
type scanner struct {
	b       []byte
	i       int
	scratch []byte
}

// newScanner scans text, which may grow by a byte.
func newScanner(text []byte) *scanner { return &scanner{b: append(text, 0)} }

// peek is the next byte that is no space; 0 at the end.
func (s *scanner) peek() byte {
	for s.b[s.i] == ' ' || s.b[s.i] == '\n' || s.b[s.i] == '\r' || s.b[s.i] == '\t' {
		s.i++
	}
	return s.b[s.i]
}

// take takes a byte, if it is the next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.i++
	return true
}

// word takes a bare word, if it is the next.
func (s *scanner) word(w string) bool {
	if s.peek() != w[0] || !bytes.HasPrefix(s.b[s.i:], []byte(w)) {
		return false
	}
	s.i += len(w)
	return true
}

// each calls value for each item of an array, with its number.
func (s *scanner) each(value func(i int) error) error {
	if !s.take('[') {
		return errJSON
	}
	if s.take(']') {
		return nil
	}
	for i := 0; ; i++ {
		if err := value(i); err != nil {
			return err
		}
		if s.take(',') {
			continue
		}
		if s.take(']') {
			return nil
		}
		return errJSON
	}
}

// fields calls value for each field of an object. The key is valid until then.
func (s *scanner) fields(value func(key []byte) error) error {
	if !s.take('{') {
		return errJSON
	}
	if s.take('}') {
		return nil
	}
	for {
		key, err := s.text()
		if err != nil {
			return err
		}
		if !s.take(':') {
			return errJSON
		}
		if err := value(key); err != nil {
			return err
		}
		if s.take(',') {
			continue
		}
		if s.take('}') {
			return nil
		}
		return errJSON
	}
}

// number takes the digits of a number, as they are.
func (s *scanner) number() []byte {
	s.peek()
	from := s.i
	for {
		switch c := s.b[s.i]; {
		case c >= '0' && c <= '9', c == '-', c == '+', c == '.', c == 'e', c == 'E':
			s.i++
			continue
		}
		return s.b[from:s.i]
	}
}

// integer takes a whole number.
func (s *scanner) integer() (int64, error) {
	digits := s.number()
	n, i := int64(0), 0
	negative := len(digits) > 0 && digits[0] == '-'
	if negative {
		i++
	}
	if len(digits) == i || len(digits) > 18 {
		return strconv.ParseInt(string(digits), 10, 64)
	}
	for ; i < len(digits); i++ {
		if digits[i] < '0' || digits[i] > '9' {
			return 0, errJSON
		}
		n = n*10 + int64(digits[i]-'0')
	}
	if negative {
		n = -n
	}
	return n, nil
}

// text takes a text. It is valid until the next one.
func (s *scanner) text() ([]byte, error) {
	if !s.take('"') {
		return nil, errJSON
	}
	rest := s.b[s.i : len(s.b)-1]
	end := bytes.IndexByte(rest, '"')
	if end < 0 {
		return nil, errJSON
	}
	if bytes.IndexByte(rest[:end], '\\') < 0 {
		s.i += end + 1
		return rest[:end], nil
	}
	return s.escaped()
}

var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escaped takes the rest of a text that has escapes.
func (s *scanner) escaped() ([]byte, error) {
	out := s.scratch[:0]
	for {
		c := s.b[s.i]
		switch {
		case c == '"':
			s.i++
			s.scratch = out
			return out, nil
		case c != '\\':
			if s.i == len(s.b)-1 {
				return nil, errJSON
			}
			out = append(out, c)
			s.i++
			continue
		}
		s.i++
		if c = s.b[s.i]; c != 'u' {
			if escapes[c] == 0 {
				return nil, errJSON
			}
			out = append(out, escapes[c])
			s.i++
			continue
		}
		s.i++
		r, err := s.unit()
		if err != nil {
			return nil, err
		}
		if utf16.IsSurrogate(r) {
			if s.b[s.i] != '\\' || s.b[s.i+1] != 'u' {
				return nil, errJSON
			}
			s.i += 2
			low, err := s.unit()
			if r = utf16.DecodeRune(r, low); err != nil || r == utf8.RuneError {
				return nil, errJSON
			}
		}
		out = utf8.AppendRune(out, r)
	}
}

// unit takes four hexadecimal digits.
func (s *scanner) unit() (rune, error) {
	if s.i+4 >= len(s.b) {
		return 0, errJSON
	}
	n, err := strconv.ParseUint(string(s.b[s.i:s.i+4]), 16, 16)
	s.i += 4
	return rune(n), err
}

// skip passes over a value of any kind.
func (s *scanner) skip() error {
	switch c := s.peek(); {
	case c == '"':
		return s.skipText()
	case c == '[' || c == '{':
		return s.skipNested()
	case s.word("null"), s.word("true"), s.word("false"):
		return nil
	case len(s.number()) == 0:
		return errJSON
	}
	return nil
}

func (s *scanner) skipText() error {
	for s.i++; ; s.i++ {
		end := bytes.IndexByte(s.b[s.i:len(s.b)-1], '"')
		if end < 0 {
			return errJSON
		}
		slashes := 0
		for at := s.i + end - 1; at >= s.i && s.b[at] == '\\'; at-- {
			slashes++
		}
		if s.i += end; slashes%2 == 0 {
			s.i++
			return nil
		}
	}
}

// skipNested passes over brackets, and what is in them.
func (s *scanner) skipNested() error {
	for depth := 0; ; {
		switch s.b[s.i] {
		case '"':
			if err := s.skipText(); err != nil {
				return err
			}
			continue
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case 0:
			if s.i == len(s.b)-1 {
				return errJSON
			}
		}
		if s.i++; depth == 0 {
			return nil
		}
	}
}
