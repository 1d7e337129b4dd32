package app

import (
	"errors"
	"io"
	"sync"
	"sync/atomic"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/disk/atomicfile"
)

// stdout is standard output. It turns write errors into errors of the vocabulary
// and remembers the first: code that prints help and the like ignores errors, but
// a command whose output is lost must fail.
//
// A reader that has gone away does not matter: SIGPIPE ends the process during
// the write.
type stdout struct {
	w      io.Writer
	closed bool // the process was started without it

	mu  sync.Mutex
	err error // the first

	bytes  atomic.Int64 // bytes written
	copied *copied      // nil: the run is not recorded
}

// Write implements io.Writer.
func (s *stdout) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.bytes.Add(int64(n))
	if s.copied != nil {
		s.copied.add(p[:n])
	}
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	if s.closed { // it went to /dev/null
		n, err = 0, &api.Error{Code: api.CodeWriteFailed, Message: "standard output is closed",
			Hint: "Send the result to a file, or read it through a pipe."}
	}
	if err == nil {
		return n, nil
	}
	if e := (*api.Error)(nil); !errors.As(err, &e) {
		err = atomicfile.Explain("write the result", err)
	}
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

// BareOut is the underlying standard output, so that another program sees a
// terminal as one.
func (a *App) BareOut() io.Writer {
	if s, ok := a.IO.Out.(*stdout); ok {
		return s.w
	}
	return a.IO.Out
}
