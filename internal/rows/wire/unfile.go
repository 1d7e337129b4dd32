package wire

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/agnes-data/da/api"
)

// FileReader reads the frames that EncodeFile wrote.
type FileReader struct {
	r      io.Reader
	schema *arrow.Schema
	sum    string // of the schema's bytes
	left   int    // of the frame of data that is being read
	end    *api.End
	err    error

	rows, size atomic.Int64
}

// DecodeFile reads the schema of a file that EncodeFile wrote. What is wrong with
// the body is an error of CodeStreamCut, here or of Read. An *api.Error of r is
// passed on as it is.
func DecodeFile(r io.Reader) (*FileReader, error) {
	f := &FileReader{r: r}
	kind, payload, err := f.frame(MaxMetadata)
	if err == nil && kind != frameSchema {
		err = malformed(errors.New("there is no schema"))
	}
	if err != nil {
		return nil, cut(err)
	}
	f.sum = hashOf(payload)
	if f.schema, err = readSchema(payload); err != nil {
		return nil, malformed(err)
	}
	return f, nil
}

func readSchema(payload []byte) (*arrow.Schema, error) {
	in := bytes.NewReader(payload)
	msgs := newMessages(in)
	rdr, err := ipc.NewReaderFromMessageReader(msgs)
	if err != nil {
		return nil, err
	}
	defer rdr.Release()
	if rest := payload[len(payload)-in.Len():]; !bytes.Equal(rest, eosMark[:]) {
		return nil, errors.New("the schema has more than itself")
	}
	return rdr.Schema(), checkSchema(rdr.Schema())
}

// Schema returns the schema of the rows.
func (f *FileReader) Schema() *arrow.Schema { return f.schema }

// Progress returns how many rows the server had put into the file when it last
// said so, and their bytes.
func (f *FileReader) Progress() (rows, size int64) { return f.rows.Load(), f.size.Load() }

// End returns the end record; it is there once Read has returned io.EOF.
func (f *FileReader) End() api.End {
	if f.end == nil {
		return api.End{}
	}
	return *f.end
}

// Read implements io.Reader. It returns io.EOF behind a valid end record, and
// nowhere else. That the bytes are those which the end record counts and has the
// hash of is the caller's to check, who may have some of them from before.
func (f *FileReader) Read(p []byte) (n int, err error) {
	if f.err != nil {
		return 0, f.err
	}
	for f.left == 0 {
		if err := f.next(); err != nil {
			f.err = err
			return 0, err
		}
	}
	n, err = f.r.Read(p[:min(len(p), f.left)])
	f.left -= n
	if errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		f.err = cut(err)
	}
	return n, f.err
}

// next reads frames up to one of data. It returns io.EOF at the end.
func (f *FileReader) next() error {
	kind, size, err := f.head()
	if err != nil {
		return cut(err)
	}
	switch {
	case kind == frameData && size > 0 && size <= maxData:
		f.left = size
		return nil
	case kind == frameProgress && size == 16:
		b, err := f.payload(size)
		if err != nil {
			return cut(err)
		}
		f.rows.Store(int64(binary.LittleEndian.Uint64(b)))
		f.size.Store(int64(binary.LittleEndian.Uint64(b[8:])))
		return nil
	case kind == frameEnd && size <= maxRecord:
		if err := f.finish(size); err != nil {
			return cut(err)
		}
		return io.EOF
	}
	return errFrame()
}

// finish reads the end record, behind which is nothing.
func (f *FileReader) finish(size int) error {
	line, err := f.payload(size)
	if err != nil {
		return err
	}
	end, schema, err := parseEnd(line)
	switch {
	case err != nil:
		return malformed(err)
	case schema != f.sum:
		return malformed(errors.New("the schema differs from what was sent"))
	case end.FileBytes < 0 || end.Rows < 0:
		return malformed(errors.New("the end record cannot be true"))
	}
	switch _, err := io.ReadFull(f.r, make([]byte, 1)); {
	case err == nil:
		return malformed(errors.New("too much follows the file"))
	case !errors.Is(err, io.EOF):
		return err
	}
	f.end = &end
	return nil
}

// frame reads one whole frame of at most so many bytes.
func (f *FileReader) frame(most int) (kind byte, payload []byte, err error) {
	kind, size, err := f.head()
	if err != nil {
		return 0, nil, err
	}
	if size > most {
		return 0, nil, errFrame()
	}
	payload, err = f.payload(size)
	return kind, payload, err
}

func (f *FileReader) head() (kind byte, size int, err error) {
	var head [frameHead]byte
	if _, err := io.ReadFull(f.r, head[:]); err != nil {
		return 0, 0, early(err)
	}
	return head[0], int(binary.LittleEndian.Uint32(head[1:])), nil
}

// payload reads a frame's bytes, taking memory as they arrive.
func (f *FileReader) payload(size int) ([]byte, error) {
	b, err := io.ReadAll(io.LimitReader(f.r, int64(size)))
	if err == nil && len(b) < size {
		err = io.ErrUnexpectedEOF
	}
	return b, err
}

// malformed is the error of a body that has arrived and is wrong.
func malformed(err error) error {
	return &api.Error{Code: api.CodeStreamCut, Kind: api.KindMalformed, Err: err,
		Message: "the server sent a malformed result: " + err.Error(),
		Hint:    "Nothing was installed. Check that the address is that of the server, and that nothing in between changes its answers."}
}

func errFrame() error { return malformed(errors.New("there is a frame of no known kind or size")) }

// early is the error of a body that ends before its end record.
func early(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
