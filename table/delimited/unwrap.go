package delimited

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// unwrapper takes the quotes off lines that are each one quoted field, which
// holds a whole record: programs that save a CSV file as CSV once more make
// such files.
type unwrapper struct {
	src   *bufio.Reader
	quote byte
	rest  []byte
	err   error
}

func newUnwrapper(src io.Reader, quote byte) *unwrapper {
	return &unwrapper{src: bufio.NewReaderSize(src, 64<<10), quote: quote}
}

func (u *unwrapper) Read(p []byte) (int, error) {
	for len(u.rest) == 0 {
		if u.err != nil {
			return 0, u.err
		}
		var line []byte
		line, u.err = u.line()
		u.rest = Unwrap(line, u.quote)
	}
	n := copy(p, u.rest)
	u.rest = u.rest[n:]
	return n, nil
}

// line reads up to and with the next LF.
func (u *unwrapper) line() ([]byte, error) {
	var line []byte
	for {
		part, err := u.src.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxRecord {
			return nil, ErrTooLong
		}
	}
}

// Unwrap returns a line without the quotes around it, and with the doubled
// ones inside single; a line without them comes back as it is.
func Unwrap(line []byte, quote byte) []byte {
	body := bytes.TrimRight(line, "\r\n")
	if len(body) < 2 || body[0] != quote || body[len(body)-1] != quote {
		return line
	}
	end := line[len(body):]
	inner := bytes.ReplaceAll(body[1:len(body)-1], []byte{quote, quote}, []byte{quote})
	return append(append(make([]byte, 0, len(line)), inner...), end...)
}
