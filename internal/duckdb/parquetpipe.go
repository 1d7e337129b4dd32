package duckdb

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// pipeBuffer is how much of a file is passed on at a time, in bytes.
const pipeBuffer = 256 << 10

// PipeParquet streams all rows of rdr as a parquet file into w, strictly forward
// and without a file in between: the engine writes into a pipe. The same file
// comes out as WriteParquet makes with this codec. rdr stays the caller's. An
// error of w ends the writing and is returned.
func (c *Conn) PipeParquet(ctx context.Context, w io.Writer, rdr array.RecordReader, codec Codec) error {
	from, to, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("duckdb: make a pipe: %w", err)
	}
	defer from.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	passed := make(chan error, 1)
	go func() {
		_, err := io.CopyBuffer(onlyWriter{w}, onlyReader{from}, make([]byte, pipeBuffer))
		cancel()
		// The pipe is read to its end in any case. A thread of the engine that wrote
		// into one without a reader would get SIGPIPE, which ends the process.
		_, _ = io.Copy(io.Discard, onlyReader{from})
		passed <- err
	}()
	path := fmt.Sprintf("/dev/fd/%d", to.Fd())
	err = c.importTo(ctx, path, rdr, codec)
	_ = to.Close()
	if passErr := <-passed; passErr != nil {
		return passErr
	}
	return err
}

// onlyWriter and onlyReader hide what else a file or a connection can do, which
// would read and write past the buffer.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)
