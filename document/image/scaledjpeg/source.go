package scaledjpeg

import "io"

// source reads a file in pieces.
type source struct {
	r    io.ReaderAt
	size int64
	at   int64  // where in the file the piece ends
	data []byte // what is left of the piece
	// The largest segment must fit.
	buf [128 << 10]byte
}

// ensure makes data at least n bytes long, if there are so many.
func (s *source) ensure(n int) error {
	if len(s.data) >= n || s.at == s.size {
		return nil
	}
	kept := copy(s.buf[:], s.data)
	more := int(min(int64(len(s.buf)-kept), s.size-s.at))
	if got, err := s.r.ReadAt(s.buf[kept:kept+more], s.at); got < more {
		return err
	}
	s.at += int64(more)
	s.data = s.buf[:kept+more]
	return nil
}

// take returns the next n bytes. They stay until the next call.
func (s *source) take(n int) ([]byte, error) {
	if err := s.ensure(n); err != nil {
		return nil, err
	}
	if len(s.data) < n {
		return nil, ErrOther
	}
	b := s.data[:n]
	s.data = s.data[n:]
	return b, nil
}
