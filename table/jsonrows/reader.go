package jsonrows

import (
	"bytes"
	"errors"
	"fmt"
	"io"
)

const (
	// MaxDepth is the maximum nesting depth of a row's values.
	MaxDepth = 500
	// MaxRow is the maximum size of a row in bytes.
	MaxRow = 64 << 20

	bom = "\xef\xbb\xbf"
)

// Error says what is wrong with a text, and where.
type Error struct {
	Line   int64  // from 1
	Reason string // a clause: "an object is not closed"
	// Jq is a jq program that extracts rows from the text; may be empty.
	Jq string
}

// Error implements error.
func (e *Error) Error() string { return fmt.Sprintf("line %d: %s", e.Line, e.Reason) }

// Reader returns the rows of a text. It is for one goroutine.
type Reader struct {
	src      io.Reader
	buf      []byte
	pos, end int
	eof      bool

	// Document says that the text may be one document rather than rows: a single
	// object that holds a list of objects is refused, also in one line.
	Document bool

	layout Layout
	line   int64 // of buf[pos]
	rows   int64
	opened bool   // the text before the first row has been read
	closed bool   // the text after the last row has been read
	spread bool   // a row does not have a line to itself
	alone  *Error // if no second row comes
	passed []string
	out    []byte // a feature as a row
	keys   keys

	longest int
}

// NewReader reads UTF-8, with or without a byte order mark, in a layout that
// Detect returned.
func NewReader(src io.Reader, layout Layout) *Reader {
	return &Reader{src: src, buf: make([]byte, 256<<10), layout: layout, line: 1}
}

// Rows returns how many rows have been read.
func (r *Reader) Rows() int64 { return r.rows }

// Longest returns how many bytes the longest row has that was read.
func (r *Reader) Longest() int { return r.longest }

// Numbers returns the numbers read so far that a float changes.
func (r *Reader) Numbers() Numbers { return r.keys.numbers }

// Keys returns the different keys of the rows read so far.
func (r *Reader) Keys() Keys { return r.keys.names }

// OwnLines reports whether the text is already JSON lines: every row so far was a
// line of its own.
func (r *Reader) OwnLines() bool { return r.layout == Lines && !r.spread }

// Passed returns the names of members beside the features of a collection, which
// belong to no row. It is valid after io.EOF.
func (r *Reader) Passed() []string { return r.passed }

// Next returns the next row as one line without line end. It is valid until the
// next call. At the end of the text it returns io.EOF. For a text that has no
// rows or is incomplete, it returns an *Error.
func (r *Reader) Next() ([]byte, error) {
	if !r.opened {
		if err := r.open(); err != nil {
			return nil, err
		}
		r.opened = true
	}
	if r.closed {
		return nil, io.EOF
	}
	row, err := r.next()
	if err != nil {
		r.closed = errors.Is(err, io.EOF)
		return nil, err
	}
	r.rows++
	if r.layout == Features {
		if row, err = r.feature(row); err != nil {
			return nil, err
		}
	}
	r.longest = max(r.longest, len(row))
	if r.keys.add(row, r.rows, r.line) > MaxKeys {
		return nil, r.tooManyKeys()
	}
	if r.keys.fault != nil {
		return nil, r.forAllRows(r.keys.fault)
	}
	return row, nil
}

// open reads up to the first row.
func (r *Reader) open() error {
	if err := r.fill(len(bom)); err != nil {
		return err
	}
	if bytes.HasPrefix(r.buf[r.pos:r.end], []byte(bom)) {
		r.pos += len(bom)
		r.spread = true // engines stumble over the mark
	}
	switch r.layout {
	case Array:
		_, err := r.expect("[")
		return err
	case Features:
		if _, err := r.expect("{"); err != nil {
			return err
		}
		return r.members(false)
	}
	return nil
}

// next finds the next object.
func (r *Reader) next() ([]byte, error) {
	if r.layout == Lines {
		return r.nextLine()
	}
	c, err := r.peek()
	if err != nil {
		return nil, r.unclosed(err, "the array is not closed")
	}
	if c == ']' {
		r.pos++
		return nil, r.close()
	}
	if r.rows > 0 {
		if _, err := r.expect(","); err != nil {
			return nil, err
		}
		if c, err = r.peek(); err != nil {
			return nil, r.unclosed(err, "the array is not closed")
		}
	}
	if c != '{' {
		return nil, r.notObject(c)
	}
	from, until, err := r.value()
	return r.buf[from:until], err
}

// nextLine is next for objects that follow each other.
func (r *Reader) nextLine() ([]byte, error) {
	before := r.line
	c, err := r.peek()
	if errors.Is(err, io.EOF) && r.alone != nil {
		return nil, r.alone
	}
	if err != nil {
		return nil, err
	}
	if r.rows > 0 && before == r.line {
		r.spread = true
	}
	if c != '{' {
		return nil, r.notObject(c)
	}
	before, r.alone = r.line, nil
	from, until, err := r.value()
	lines := r.line != before
	r.spread = r.spread || err == nil && lines
	if err == nil && r.rows == 0 && (lines || r.Document && listIn(r.buf[from:until]) != "") {
		r.alone = oneObject(before, r.buf[from:until])
	}
	return r.buf[from:until], err
}

// oneObject is the error for a text that is a single object: such a document may have any number of lists, and only its author knows which
// is the table.
func oneObject(line int64, object []byte) *Error {
	e := &Error{Line: line, Reason: "the file is one object, and no list of objects", Jq: listIn(object)}
	if e.Jq == "" {
		e.Jq = "."
	}
	return e
}

// close reads what follows the rows.
func (r *Reader) close() error {
	if r.layout == Features {
		if err := r.members(true); err != nil {
			return err
		}
	}
	switch _, err := r.peek(); {
	case err == nil:
		return r.fault("there is text after the end of the JSON value")
	case !errors.Is(err, io.EOF):
		return err
	}
	return io.EOF
}

// notObject refuses a value in the place of a row.
func (r *Reader) notObject(c byte) error {
	kind, jq := "a number or a word", ".[] | {value: .}"
	switch {
	case c == '"':
		kind = "a text"
	case c == '[':
		kind, jq = "a list", ".[] | {a: .[0], b: .[1]}"
	case c|0x20-'a' > 'z'-'a' && c-'0' > 9 && c != '-':
		return r.fault(fmt.Sprintf("%q instead of an object", c))
	}
	switch {
	case r.layout != Array:
		jq = ""
	case r.rows > 0:
		jq = ".[] | objects" // some rows are, so the others are left out
	}
	return &Error{Line: r.line, Reason: fmt.Sprintf("row %d is %s, not an object", r.rows+1, kind), Jq: jq}
}

func (r *Reader) fault(reason string) error { return &Error{Line: r.line, Reason: reason} }

// unclosed words an unexpected end of the text.
func (r *Reader) unclosed(err error, reason string) error {
	if errors.Is(err, io.EOF) {
		return r.fault("the text breaks off: " + reason)
	}
	return err
}

// expect passes over blanks and one of the characters.
func (r *Reader) expect(chars string) (byte, error) {
	c, err := r.peek()
	if err != nil {
		return 0, r.unclosed(err, fmt.Sprintf("%q is due", chars))
	}
	if bytes.IndexByte([]byte(chars), c) < 0 {
		return 0, r.fault(fmt.Sprintf("%q instead of %q", c, chars))
	}
	r.pos++
	return c, nil
}

// peek skips blanks and returns the next byte; io.EOF at the end.
func (r *Reader) peek() (byte, error) {
	for {
		for ; r.pos < r.end; r.pos++ {
			switch c := r.buf[r.pos]; c {
			case '\n':
				r.line++
			case ' ', '\t', '\r':
			default:
				return c, nil
			}
		}
		if err := r.more(r.pos); err != nil {
			return 0, err
		}
	}
}

// fill reads until n bytes are available or the text ends.
func (r *Reader) fill(n int) error {
	for r.end-r.pos < n {
		if err := r.more(r.pos); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
	return nil
}

// more reads further text, and retains what is in the buffer from keep on; pos is
// adjusted.
func (r *Reader) more(keep int) error {
	if r.eof {
		return io.EOF
	}
	copy(r.buf, r.buf[keep:r.end])
	r.pos -= keep
	r.end -= keep
	if r.end == len(r.buf) {
		r.buf = append(r.buf, make([]byte, len(r.buf))...)
	}
	n, err := r.src.Read(r.buf[r.end:])
	r.end += n
	if errors.Is(err, io.EOF) {
		r.eof = true
		err = nil
	}
	return err
}
