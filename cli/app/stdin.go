package app

import (
	"io"
	"sync/atomic"
)

// stdin is standard input that knows whether anything was read from it.
type stdin struct {
	io.Reader
	begun  atomic.Bool
	copied *copied // nil: the run is not recorded
}

// Read implements io.Reader.
func (s *stdin) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if n > 0 {
		s.begun.Store(true)
		if s.copied != nil {
			s.copied.add(p[:n])
		}
	}
	return n, err
}
