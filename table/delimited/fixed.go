package delimited

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// cutLine inserts field marks at the start of fixed-width columns, and removes
// the blanks around the fields. A blank line stays blank.
func cutLine(line []byte, cuts []int) []byte {
	body := bytes.TrimRight(line, "\r\n")
	if len(bytes.TrimSpace(body)) == 0 {
		return line
	}
	out := make([]byte, 0, len(line)+len(cuts))
	for i := range cuts {
		if i > 0 {
			out = append(out, FieldMark...)
		}
		n := len(body)
		if i+1 < len(cuts) {
			from := cuts[i]
			if i == 0 {
				from = 0 // text to the left of the first column belongs to it
			}
			n = bytesOfRunes(body, cuts[i+1]-from)
		}
		out = append(out, bytes.TrimSpace(body[:n])...)
		body = body[n:]
	}
	return append(out, line[len(bytes.TrimRight(line, "\r\n")):]...)
}

// bytesOfRunes returns how many bytes the first n characters of s take.
func bytesOfRunes(s []byte, n int) int {
	i := 0
	for ; n > 0 && i < len(s); n-- {
		_, size := utf8.DecodeRune(s[i:])
		i += size
	}
	return i
}

// endings turns another mark of a record's end into LF.
type endings struct {
	src   io.Reader
	mark  []byte
	carry []byte
	rest  []byte
	err   error
}

func (e *endings) Read(p []byte) (int, error) {
	for len(e.rest) == 0 {
		if e.err != nil {
			return 0, e.err
		}
		buf := make([]byte, len(e.carry)+64<<10)
		n := copy(buf, e.carry)
		e.carry = nil
		var m int
		m, e.err = e.src.Read(buf[n:])
		buf = buf[:n+m]
		if keep := len(e.mark) - 1; e.err == nil && keep > 0 && len(buf) > 0 {
			cut := max(0, len(buf)-keep)
			if bytes.HasSuffix(buf, e.mark) {
				cut = len(buf)
			}
			e.carry = append(e.carry, buf[cut:]...)
			buf = buf[:cut]
		}
		e.rest = bytes.ReplaceAll(buf, e.mark, []byte{'\n'})
	}
	n := copy(p, e.rest)
	e.rest = e.rest[n:]
	return n, nil
}
