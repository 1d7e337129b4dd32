// Package wholestream reads Arrow streams that others have written, and demands that
// they are whole. Arrow's own reader takes a stream that is cut between two batches, or
// has an error's text in place of the rest, for one that has ended.
package wholestream

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// ErrCut is the error of a stream without its end mark.
var ErrCut = fmt.Errorf("the Arrow stream has no end mark: rows are missing: %w", io.ErrUnexpectedEOF)

// New reads a stream. At its end mark, behind is given what follows; see Nothing. What
// is wrong with the stream is the reader's Err.
func New(r io.Reader, behind func(rest io.Reader) error) (*ipc.Reader, error) {
	return ipc.NewReaderFromMessageReader(&messages{ipc.NewMessageReader(r, ipc.WithAllocator(memory.NewGoAllocator())), r, behind},
		ipc.WithAllocator(memory.NewGoAllocator()))
}

// Nothing refuses anything behind the end mark.
func Nothing(rest io.Reader) error {
	switch n, err := io.ReadFull(rest, make([]byte, 1)); {
	case n > 0:
		return errors.New("something follows the end of the Arrow stream")
	case !errors.Is(err, io.EOF):
		return err
	}
	return nil
}

type messages struct {
	ipc.MessageReader
	rest   io.Reader
	behind func(io.Reader) error
}

// Message returns io.EOF at a whole end, and nowhere else.
func (m *messages) Message() (*ipc.Message, error) {
	msg, err := m.MessageReader.Message()
	switch {
	case err == io.EOF: //nolint:errorlint // the mark is it as it is; an end without one is wrapped
		if err := m.behind(m.rest); err != nil {
			return nil, err
		}
	case errors.Is(err, io.EOF):
		return nil, ErrCut
	}
	return msg, err
}
