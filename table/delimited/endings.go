package delimited

import (
	"bytes"
	"io"
)

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
