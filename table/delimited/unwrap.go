package delimited

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// FieldMark separates the fields of a line after its fixed-width columns have
// been cut: ASCII's unit separator.
const FieldMark = "\x1f"

// lineMapper rewrites a stream line by line, before records are cut from it.
type lineMapper struct {
	src  *bufio.Reader
	f    func(line []byte) []byte // gets a line with its end
	rest []byte
	err  error
}

func newLineMapper(src io.Reader, f func([]byte) []byte) *lineMapper {
	return &lineMapper{src: bufio.NewReaderSize(src, 64<<10), f: f}
}

func (m *lineMapper) Read(p []byte) (int, error) {
	for len(m.rest) == 0 {
		if m.err != nil {
			return 0, m.err
		}
		var line []byte
		line, m.err = m.line()
		m.rest = m.f(line)
	}
	n := copy(p, m.rest)
	m.rest = m.rest[n:]
	return n, nil
}

// line reads up to and with the next LF.
func (m *lineMapper) line() ([]byte, error) {
	var line []byte
	for {
		part, err := m.src.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxRecord {
			return nil, ErrTooLong
		}
	}
}

// Unwrap removes the quotes around a line that is one quoted field with a whole
// record, and undoubles quotes inside. It returns other lines unchanged. Programs
// that save a CSV file as CSV a second time produce such lines.
func Unwrap(line []byte, quote byte) []byte {
	body := bytes.TrimRight(line, "\r\n")
	if len(body) < 2 || body[0] != quote || body[len(body)-1] != quote {
		return line
	}
	end := line[len(body):]
	inner := bytes.ReplaceAll(body[1:len(body)-1], []byte{quote, quote}, []byte{quote})
	return append(append(make([]byte, 0, len(line)), inner...), end...)
}
