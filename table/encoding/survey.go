package encoding

import (
	"bytes"
	"encoding/binary"
	"io"
	"unicode/utf8"
)

const (
	headSize   = 64 << 10  // bytes at the start that are searched for patterns
	sampleSize = 96 << 10  // bytes of telling lines that the detectors see
	maxTelling = 4 << 10   // bytes of one relevant line to keep
	firstChunk = 4 << 10   // bytes of the first read; small, because there may be many small files
	chunkSize  = 256 << 10 // bytes of a read, at most
)

// Survey collects the findings of one pass over a file, for Detect. It is an
// io.Writer: write all bytes of the file in order, then call Detect. How the bytes
// are divided among the writes makes no difference.
type Survey struct {
	// Backslash says that the byte of a backslash occurs, as in any encoding of one.
	Backslash bool

	head    []byte
	telling []byte // lines with bytes above 0x7f, or with escape sequences
	line    []byte // the end of the current line, as far as telling lacks it
	room    int    // how many more bytes of the current line go to telling
	size    int64
	high    int64 // bytes above 0x7f
	valid   int64 // well-formed multi-byte sequences of UTF-8
	invalid int64 // bytes that fit no such sequence
	nul     int64
	ending  int64 // zero bytes at the end, which some programs leave there
	esc     bool
	tail    []byte // a sequence cut by the end of a chunk
}

// Read surveys all of r.
func Read(r io.Reader) (*Survey, error) {
	s := &Survey{}
	buf := make([]byte, firstChunk)
	for {
		n, err := r.Read(buf)
		_, _ = s.Write(buf[:n])
		if n == len(buf) && n < chunkSize {
			buf = make([]byte, 2*n)
		}
		if err == io.EOF {
			return s, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// Size returns the number of bytes seen.
func (s *Survey) Size() int64 { return s.size }

// Write takes the next bytes of the file. It never fails.
func (s *Survey) Write(p []byte) (int, error) {
	n := len(p)
	s.size += int64(n)
	s.Backslash = s.Backslash || bytes.IndexByte(p, '\\') >= 0
	if len(s.head) < headSize {
		s.head = append(s.head, p[:min(n, headSize-len(s.head))]...)
	}
	if len(s.tail) > 0 {
		p = append(s.tail, p...)
		s.tail = nil
	}
	s.scan(p)
	return n, nil
}

// scan counts the bytes in p and keeps the relevant lines.
func (s *Survey) scan(p []byte) {
	passed := 0
	for i := 0; i < len(p); {
		plain := plainRun(p[i:])
		if i += plain; plain > 0 {
			s.ending = 0
		}
		if i >= len(p) {
			break
		}
		if p[i] == 0 {
			s.nul++
			s.ending++
			i++
			continue
		}
		s.ending = 0
		if !utf8.FullRune(p[i:]) {
			s.tail = append([]byte(nil), p[i:]...)
			p = p[:i]
			break
		}
		s.pass(p[passed:i])
		passed = i
		s.tell()
		if p[i] < utf8.RuneSelf {
			s.esc = true
			i++
			continue
		}
		r, n := utf8.DecodeRune(p[i:])
		s.high += int64(n)
		if r == utf8.RuneError && n == 1 {
			s.invalid++
		} else {
			s.valid++
		}
		i += n
	}
	s.pass(p[passed:])
}

// tell keeps the current line for the detectors, because its next byte is
// telling.
func (s *Survey) tell() {
	if s.room > 0 || s.full() {
		return
	}
	s.telling = append(s.telling, s.line...)
	s.line, s.room = s.line[:0], maxTelling
}

// full reports whether no more lines are kept.
func (s *Survey) full() bool { return s.room == 0 && len(s.telling) >= sampleSize }

// pass moves the current line on by the bytes of p.
func (s *Survey) pass(p []byte) {
	if n := min(s.room, len(p)); n > 0 {
		s.room -= n
		if j := bytes.IndexByte(p[:n], '\n'); j >= 0 {
			n, s.room = j+1, 0
		}
		s.telling = append(s.telling, p[:n]...)
		p = p[n:]
	}
	if s.full() {
		return
	}
	if j := bytes.LastIndexByte(p, '\n'); j >= 0 {
		s.line, p = s.line[:0], p[j+1:]
	}
	p = p[max(0, len(p)-maxTelling):]
	if over := len(s.line) + len(p) - maxTelling; over > 0 {
		s.line = append(s.line[:0], s.line[over:]...)
	}
	s.line = append(s.line, p...)
}

// plainRun returns how many bytes at the start of p are ASCII other than NUL
// and ESC, looking at eight of them at a time.
func plainRun(p []byte) int {
	const (
		ones  = 0x0101010101010101
		highs = 0x8080808080808080
		escs  = 0x1b1b1b1b1b1b1b1b
	)
	i := 0
	for ; i+8 <= len(p); i += 8 {
		v := binary.LittleEndian.Uint64(p[i:])
		e := v ^ escs
		if (v|((v-ones)&^v)|((e-ones)&^e))&highs != 0 {
			break
		}
	}
	for i < len(p) && p[i] < utf8.RuneSelf && p[i] != 0 && p[i] != 0x1b {
		i++
	}
	return i
}

// controls reports whether the start of the file has control characters that do
// not occur in text, apart from zero bytes, with which some programs pad fields.
func (s *Survey) controls() bool {
	n := 0
	for _, c := range s.head {
		if c < ' ' && c != 0 && (c < '\t' || c > '\r') && c != 0x1a && c != 0x1b {
			n++
		}
	}
	return n > 0
}

// finish counts a sequence that the end of the file cut.
func (s *Survey) finish() {
	if len(s.tail) == 0 {
		return
	}
	s.tell()
	s.pass(s.tail)
	s.invalid += int64(len(s.tail))
	s.high += int64(len(s.tail))
	s.tail = nil
}
