package app

import (
	"io"
	"sync/atomic"
)

// stdin is standard input that knows whether anything was read from it.
type stdin struct {
	io.Reader
	begun atomic.Bool
}

// Read implements io.Reader.
func (s *stdin) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if n > 0 {
		s.begun.Store(true)
	}
	return n, err
}
