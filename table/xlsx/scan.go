package xlsx

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxToken limits one tag or one run of text, in bytes.
const maxToken = 8 << 20

var (
	errToken   = errors.New("the XML has a part of more than 8 MiB without a break")
	errNotUTF8 = errors.New("the XML has text that is not in the encoding it declares")
	errDoctype = errors.New("the XML declares a document type, which no workbook does")
)

// tokenKind is the kind of the current token.
type tokenKind uint8

const (
	tokenStart tokenKind = iota
	tokenEnd
	tokenText
)

// scanner splits XML into tags and text, and checks only what a workbook needs.
// Its results are valid until the next call.
type scanner struct {
	src      io.Reader
	buf      []byte
	pos, end int
	eof      bool

	kind      tokenKind
	name      []byte // of a tag, without a prefix
	main      bool   // the tag is of the namespace that the part is of
	attrs     []byte // the text after the tag's name
	selfClose bool
	text      []byte // raw, entities not yet resolved
	cdata     bool

	prefixes []string // of that namespace, with their colon
	rooted   bool     // the first tag was seen, which declares them
}

func newScanner(src io.Reader) *scanner {
	return &scanner{src: src, buf: make([]byte, 256<<10)}
}

// next moves to the next token; io.EOF at the end.
func (s *scanner) next() error {
	for {
		if s.pos == s.end {
			if err := s.more(s.pos); err != nil {
				return err
			}
			continue
		}
		if s.buf[s.pos] != '<' {
			return s.readText()
		}
		skip, err := s.readTag()
		if err != nil || !skip {
			return err
		}
	}
}

// more reads further text, and retains what is in the buffer from keep on;
// positions are adjusted.
func (s *scanner) more(keep int) error {
	if s.eof {
		if s.pos < s.end {
			return io.ErrUnexpectedEOF
		}
		return io.EOF
	}
	copy(s.buf, s.buf[keep:s.end])
	s.pos -= keep
	s.end -= keep
	if s.end == len(s.buf) {
		if len(s.buf) >= maxToken {
			return errToken
		}
		s.buf = append(s.buf, make([]byte, len(s.buf))...)
	}
	n, err := s.src.Read(s.buf[s.end:])
	s.end += n
	if errors.Is(err, io.EOF) {
		s.eof = true
		err = nil
	}
	return err
}

func (s *scanner) readText() error {
	from := 0
	for {
		if i := bytes.IndexByte(s.buf[s.pos+from:s.end], '<'); i >= 0 {
			s.kind, s.text, s.cdata = tokenText, s.buf[s.pos:s.pos+from+i], false
			s.pos += from + i
			if !utf8.Valid(s.text) {
				return errNotUTF8
			}
			return nil
		}
		from = s.end - s.pos
		if err := s.more(s.pos); err != nil {
			if errors.Is(err, io.ErrUnexpectedEOF) && s.eof {
				s.pos = s.end
				return io.EOF
			}
			return err
		}
	}
}

// readTag reads from < to >. It skips comments and instructions.
func (s *scanner) readTag() (skip bool, err error) {
	for s.end-s.pos < 9 && !s.eof {
		if err := s.more(s.pos); err != nil {
			return false, err
		}
	}
	if b := s.buf[s.pos:s.end]; len(b) > 1 && (b[1] == '!' || b[1] == '?') {
		return s.readOther(b)
	}
	body, err := s.toTagEnd()
	if err != nil {
		return false, err
	}
	s.parseTag(body)
	return false, nil
}

// readOther reads a comment, an instruction or a CDATA section, which begins at b. skip says that
// it has no text for the reader.
func (s *scanner) readOther(b []byte) (skip bool, err error) {
	switch {
	case bytes.HasPrefix(b, []byte("<!--")):
		_, err = s.through("-->", 4)
		return true, err
	case b[1] == '?':
		_, err = s.through("?>", 2)
		return true, err
	case bytes.HasPrefix(b, []byte("<![CDATA[")):
		body, err := s.through("]]>", 9)
		s.kind, s.text, s.cdata = tokenText, body, true
		return false, err
	}
	return false, errDoctype
}

// through skips everything up to mark and returns the text in between.
func (s *scanner) through(mark string, from int) ([]byte, error) {
	for {
		if i := bytes.Index(s.buf[s.pos+from:s.end], []byte(mark)); i >= 0 {
			body := s.buf[s.pos+from : s.pos+from+i]
			s.pos += from + i + len(mark)
			return body, nil
		}
		if err := s.more(s.pos); err != nil {
			return nil, err
		}
	}
}

// toTagEnd returns the text between < and >, skipping quoted values.
func (s *scanner) toTagEnd() ([]byte, error) {
	var quote byte
	for i := 1; ; i++ {
		if s.pos+i >= s.end {
			if err := s.more(s.pos); err != nil {
				return nil, err
			}
			i--
			continue
		}
		switch c := s.buf[s.pos+i]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '>':
			body := s.buf[s.pos+1 : s.pos+i]
			s.pos += i + 1
			return body, nil
		}
	}
}

func (s *scanner) parseTag(body []byte) {
	s.kind, s.selfClose, s.attrs = tokenStart, false, nil
	if len(body) > 0 && body[0] == '/' {
		s.kind, body = tokenEnd, body[1:]
	} else if n := len(body); n > 0 && body[n-1] == '/' {
		s.selfClose, body = true, body[:n-1]
	}
	i, local := 0, 0 // the ends of the name and of its prefix
	for i < len(body) && body[i] > ' ' {
		if i++; body[i-1] == ':' && local == 0 {
			local = i
		}
	}
	prefix := body[:local]
	s.name, s.attrs = body[local:i], body[i:]
	if !s.rooted {
		s.rooted = true
		s.declare(string(prefix))
	}
	s.main = slices.Contains(s.prefixes, string(prefix))
}

// declare reads from the first tag which prefixes belong to its namespace.
// Extensions use the same names in other namespaces.
func (s *scanner) declare(own string) {
	s.prefixes = []string{own}
	uri := s.attr(strings.TrimSuffix("xmlns:"+own, ":"))
	s.eachAttr(func(key, value []byte) bool {
		p, ok := bytes.CutPrefix(key, []byte("xmlns"))
		if ok && len(uri) > 0 && bytes.Equal(value, uri) {
			s.prefixes = append(s.prefixes, strings.TrimPrefix(string(p)+":", ":"))
		}
		return true
	})
}

// is reports whether the scanner is on a tag of that kind and name, in the
// namespace of the part.
func (s *scanner) is(kind tokenKind, name string) bool {
	return s.kind == kind && string(s.name) == name && s.main
}

// skip passes over the element whose start tag the scanner is on.
func (s *scanner) skip() error {
	if s.selfClose {
		return nil
	}
	for depth := 1; depth > 0; {
		if err := s.next(); err != nil {
			return unexpected(err)
		}
		switch {
		case s.kind == tokenStart && !s.selfClose:
			depth++
		case s.kind == tokenEnd:
			depth--
		}
	}
	return nil
}

func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}

// appendText appends the scanner's text to dst with its entities resolved.
func (s *scanner) appendText(dst []byte) []byte {
	if s.cdata {
		return append(dst, s.text...)
	}
	return appendUnescaped(dst, s.text)
}

func appendUnescaped(dst, raw []byte) []byte {
	for {
		i := bytes.IndexByte(raw, '&')
		if i < 0 {
			return append(dst, raw...)
		}
		dst = append(dst, raw[:i]...)
		raw = raw[i:]
		j := bytes.IndexByte(raw, ';')
		if j < 0 || j > 12 {
			dst, raw = append(dst, '&'), raw[1:]
			continue
		}
		switch e := string(raw[1:j]); {
		case e == "lt":
			dst = append(dst, '<')
		case e == "gt":
			dst = append(dst, '>')
		case e == "amp":
			dst = append(dst, '&')
		case e == "quot":
			dst = append(dst, '"')
		case e == "apos":
			dst = append(dst, '\'')
		case len(e) > 1 && e[0] == '#':
			dst = utf8.AppendRune(dst, charRef(e[1:]))
		default:
			dst = append(dst, raw[:j+1]...)
		}
		raw = raw[j+1:]
	}
}

func charRef(e string) rune {
	base := 10
	if e[0] == 'x' || e[0] == 'X' {
		e, base = e[1:], 16
	}
	n, err := strconv.ParseUint(e, base, 32)
	if err != nil || n > utf8.MaxRune {
		return utf8.RuneError
	}
	return rune(n)
}

// decodeHex resolves _x000D_, as workbooks write control characters.
func decodeHex(s []byte) []byte {
	if !bytes.Contains(s, []byte("_x")) {
		return s
	}
	out := s[:0]
	for i := 0; i < len(s); i++ {
		if s[i] == '_' && i+6 < len(s) && s[i+1] == 'x' && s[i+6] == '_' {
			if n, err := strconv.ParseUint(string(s[i+2:i+6]), 16, 16); err == nil && !(n >= 0xd800 && n < 0xe000) && utf8.RuneLen(rune(n)) <= 7 {
				out = utf8.AppendRune(out, rune(n))
				i += 6
				continue
			}
		}
		out = append(out, s[i])
	}
	return out
}

// cellRef reads B12 as column 2 and row 12; a missing part is 0.
func cellRef(ref []byte) (col, row int, err error) {
	i := 0
	for i < len(ref) && i < 4 && ref[i]|0x20 >= 'a' && ref[i]|0x20 <= 'z' {
		col = col*26 + int(ref[i]|0x20-'a') + 1
		i++
	}
	for _, c := range ref[i:] {
		if c < '0' || c > '9' || row > MaxRows {
			return 0, 0, fmt.Errorf("%q is not a cell", clip(ref))
		}
		row = row*10 + int(c-'0')
	}
	if col > MaxColumns || row > MaxRows {
		return 0, 0, fmt.Errorf("cell %q lies outside of a sheet", clip(ref))
	}
	return col, row, nil
}

func clip(b []byte) string {
	if len(b) > 40 {
		return string(b[:40]) + "…"
	}
	return string(b)
}
