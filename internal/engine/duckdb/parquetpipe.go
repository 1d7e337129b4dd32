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

// PipeParquet streams all rows of rdr as a parquet file into w, forward only and
// without a temporary file: the engine writes into a pipe. The result is the same
// file as WriteParquet makes with this codec. The caller still owns rdr. An error
// of w ends the writing and is returned.
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
		// Always read the pipe to its end. If an engine thread wrote to a pipe
		// without a reader, SIGPIPE would kill the process.
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

// onlyWriter and onlyReader hide other methods of a file or a connection, which
// would bypass the buffer.
type (
	onlyWriter struct{ io.Writer }
	onlyReader struct{ io.Reader }
)
