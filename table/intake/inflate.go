package intake

import (
	"fmt"
	"io"

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
