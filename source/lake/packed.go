package lake

import (
	"bufio"
	"errors"
	"io"
	"os"
	"strings"

	"github.com/klauspost/compress/gzip"
)

// text opens a file of a text format, unpacked if it is compressed. An empty
// file is no text, whatever its name says.
func (l *Lake) text(of file) (io.ReadCloser, error) {
	f, err := l.open(of)
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(strings.ToLower(of.rel), ".gz") {
		return f, nil
	}
	packed := bufio.NewReaderSize(f, 64<<10)
	if _, err := packed.Peek(1); errors.Is(err, io.EOF) {
		return f, nil
	}
	z, err := gzip.NewReader(packed)
	if err != nil {
		_ = f.Close() // only read
		return nil, unreadable(of.rel, err)
	}
	return unpacked{z, f}, nil
}

// unpacked is a compressed file's text.
type unpacked struct {
	*gzip.Reader
	file *os.File
}

// Close closes the file too.
func (u unpacked) Close() error { return errors.Join(u.Reader.Close(), u.file.Close()) }

// checkPacked reads the beginning of a file. The engine takes a damaged
// compressed file for an empty one.
func (l *Lake) checkPacked(f file) error {
	r, err := l.text(f)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }() // only read
	_, err = io.CopyN(io.Discard, r, 64<<10)
	if err != nil && !errors.Is(err, io.EOF) {
		return unreadable(f.rel, err)
	}
	return nil
}
