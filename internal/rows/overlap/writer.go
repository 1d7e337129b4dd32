package overlap

import (
	"io"
	"sync/atomic"
)

// Writer writes in its own goroutine, so that compression runs in parallel with
// whatever makes the bytes. It passes on each write by itself: callers with small
// ones put a buffer before it. Close waits for the last write.
type Writer struct {
	full, free chan []byte
	done       chan struct{}
	err        atomic.Pointer[error]
}

// NewWriter starts to write to w.
func NewWriter(w io.Writer) *Writer {
	b := &Writer{full: make(chan []byte, buffers), free: make(chan []byte, buffers), done: make(chan struct{})}
	for range buffers {
		b.free <- nil
	}
	go func() {
		defer close(b.done)
		for p := range b.full {
			if b.err.Load() == nil {
				if _, err := w.Write(p); err != nil {
					b.err.Store(&err)
				}
			}
			b.free <- p
		}
	}()
	return b
}

// Write implements io.Writer. An error of an earlier write ends it.
func (b *Writer) Write(p []byte) (int, error) {
	buf := <-b.free
	if err := b.err.Load(); err != nil {
		b.free <- buf
		return 0, *err
	}
	b.full <- append(buf[:0], p...)
	return len(p), nil
}

// Close returns the first error of any write. It does not close what is written to.
func (b *Writer) Close() error {
	close(b.full)
	<-b.done
	if err := b.err.Load(); err != nil {
		return *err
	}
	return nil
}
