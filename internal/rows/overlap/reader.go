package overlap

import "io"

// buffers is how many there are at most between the two sides.
const buffers = 4

// Reader reads ahead in its own goroutine, so that decompression runs in parallel
// with whatever consumes the bytes.
type Reader struct {
	src    io.ReadCloser
	full   chan []byte
	free   chan []byte
	quit   chan struct{}
	done   chan struct{}
	cur    []byte
	whole  []byte
	err    error // set before full is closed
	closed bool
}

// NewReader starts to read src, which Close closes.
func NewReader(src io.ReadCloser) *Reader {
	a := &Reader{
		src: src, full: make(chan []byte, buffers), free: make(chan []byte, buffers),
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	for range buffers {
		a.free <- make([]byte, 128<<10)
	}
	go a.run()
	return a
}

func (a *Reader) run() {
	defer close(a.done)
	defer close(a.full)
	for {
		select {
		case <-a.quit:
			return
		case b := <-a.free:
			n, err := fill(a.src, b[:cap(b)])
			if n > 0 {
				a.full <- b[:n] // never blocks: there are only as many buffers
			}
			if err != nil {
				a.err = err
				return
			}
		}
	}
}

// Read implements io.Reader.
func (a *Reader) Read(p []byte) (int, error) {
	if len(a.cur) == 0 {
		if a.whole != nil {
			a.free <- a.whole
			a.whole = nil
		}
		b, ok := <-a.full
		if !ok {
			if a.err == nil {
				return 0, io.ErrClosedPipe
			}
			return 0, a.err
		}
		a.cur, a.whole = b, b
	}
	n := copy(p, a.cur)
	a.cur = a.cur[n:]
	return n, nil
}

// Close stops reading and closes the source. It may be called twice.
func (a *Reader) Close() error {
	if a.closed {
		return nil
	}
	a.closed = true
	close(a.quit)
	<-a.done
	return a.src.Close()
}

// fill reads until p is full; unlike io.ReadFull it returns errors unchanged.
func fill(r io.Reader, p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = r.Read(p[n:])
		n += m
	}
	return n, err
}
