package intake

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/klauspost/compress/gzip"

	"github.com/agnes-data/da/api"
)

const (
	// freeInflation is the unpacked size, in bytes, that any file may have.
	freeInflation = 64 << 20
	// maxInflation is the maximum ratio of unpacked to packed size beyond that.
	// Tables shrink to between a third and a twentieth, and even repetitive logs
	// hardly to a hundredth.
	maxInflation = 400
)

// members reads what was packed with gzip, in one or more parts. Zeros behind them only
// fill a block.
type members struct {
	*gzip.Reader
	in *bufio.Reader
}

func (m *members) Read(p []byte) (int, error) {
	for {
		n, err := m.Reader.Read(p)
		if !errors.Is(err, io.EOF) {
			return n, err
		}
		if n > 0 {
			return n, nil
		}
		for c := byte(0); c == 0; {
			if c, err = m.in.ReadByte(); err != nil {
				return 0, err
			}
		}
		if err := m.in.UnreadByte(); err != nil {
			return 0, err
		}
		if err := m.Reset(m.in); err != nil {
			return 0, err
		}
		m.Multistream(false)
	}
}

// counted counts what is read through it.
type counted struct {
	r io.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// inflated ends a stream that was made to fill disks and time.
type inflated struct {
	io.ReadCloser
	packed *counted
	n      int64
}

func (f *inflated) Read(p []byte) (int, error) {
	n, err := f.ReadCloser.Read(p)
	f.n += int64(n)
	if f.n > freeInflation && f.n/maxInflation > f.packed.n {
		return 0, &api.Error{
			Code:    api.CodeReadFailed,
			Message: fmt.Sprintf("the file unpacks to more than %d times its size, as no table does", maxInflation),
			Hint:    "If it is a table after all, unpack it and give the unpacked file.",
		}
	}
	return n, err
}
