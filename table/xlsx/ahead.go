package xlsx

import "io"

// ahead decompresses in its own goroutine while the reader scans.
type ahead struct {
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

func newAhead(src io.ReadCloser) *ahead {
	const buffers = 4
	a := &ahead{
		src: src, full: make(chan []byte, buffers), free: make(chan []byte, buffers),
		quit: make(chan struct{}), done: make(chan struct{}),
	}
	for range buffers {
		a.free <- make([]byte, 128<<10)
	}
	go a.run()
	return a
}

func (a *ahead) run() {
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

func (a *ahead) Read(p []byte) (int, error) {
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

func (a *ahead) Close() error {
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
