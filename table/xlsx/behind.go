package xlsx

import "io"

// writeBehind writes in its own goroutine, so that compression runs in parallel
// with building the cells. Close waits for it.
type writeBehind struct {
	full, free chan []byte
	done       chan struct{}
	err        error // set before done is closed, read after that
}

func newWriteBehind(w io.Writer) *writeBehind {
	const buffers = 4
	b := &writeBehind{full: make(chan []byte, buffers), free: make(chan []byte, buffers), done: make(chan struct{})}
	for range buffers {
		b.free <- nil
	}
	go func() {
		defer close(b.done)
		for p := range b.full {
			if b.err == nil {
				_, b.err = w.Write(p)
			}
			b.free <- p
		}
	}()
	return b
}

func (b *writeBehind) Write(p []byte) (int, error) {
	buf := <-b.free
	b.full <- append(buf[:0], p...)
	return len(p), nil
}

// Close returns the first error of any write.
func (b *writeBehind) Close() error {
	close(b.full)
	<-b.done
	return b.err
}
