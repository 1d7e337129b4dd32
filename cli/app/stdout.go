package app

import (
	"io"
	"sync"
	"sync/atomic"

	"github.com/agnes-data/da/internal/atomicfile"
)

// stdout is standard output. What goes wrong there becomes an error of the
// vocabulary, and is remembered: help and the like are written by code that
// does not look at errors, and a command whose output is lost has failed.
//
// A reader that has gone away is no matter for it: the process ends by SIGPIPE
// within the write.
type stdout struct {
	w io.Writer

	mu  sync.Mutex
	err error // the first

	bytes atomic.Int64 // that were written
}

// Write implements io.Writer.
func (s *stdout) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.bytes.Add(int64(n))
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if err == nil {
		return n, nil
	}
	err = atomicfile.Explain("write the result", err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err == nil {
		s.err = err
	}
	return n, err
}

// failed returns the first error of a Write.
func (s *stdout) failed() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// BareOut is standard output as other programs get it, for which a terminal
// stays one.
func (a *App) BareOut() io.Writer {
	if s, ok := a.IO.Out.(*stdout); ok {
		return s.w
	}
	return a.IO.Out
}
