package table

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// errBound is why an export ends that grows beyond its bound.
var errBound = errors.New("the file is larger than it may be")

func overBound(most int64) error {
	return &api.Error{Code: api.CodeTooLarge, Kind: api.KindFileSize,
		Message: fmt.Sprintf("the file would have more than %s, the most that it may have", humanize.Bytes(most)),
		Hint:    "Nothing was written. Write fewer rows or columns, or aggregate.", Details: map[string]any{"max_file_bytes": most}}
}

// bounded is a writer that refuses more than so many bytes.
type bounded struct {
	to   io.Writer
	left int64
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	if int64(len(p)) > b.left {
		return 0, errBound
	}
	n, err := b.to.Write(p)
	b.left -= int64(n)
	return n, err
}

// boundFile ends the context that it returns when a file that others write has
// more than so many bytes. stop reports whether it has.
func boundFile(ctx context.Context, path string, most int64) (within context.Context, stop func() bool) {
	within, cancel := context.WithCancelCause(ctx)
	over := func() bool {
		info, err := os.Stat(path)
		return err == nil && info.Size() > most
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-within.Done():
				return
			case <-time.After(50 * time.Millisecond):
				if over() {
					cancel(errBound)
				}
			}
		}
	}()
	return within, func() bool {
		cancel(nil)
		<-done
		return over() || errors.Is(context.Cause(within), errBound)
	}
}
