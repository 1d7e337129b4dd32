package wire

import (
	"sync"

	"github.com/apache/arrow-go/v18/arrow/memory"
)

// Bounds of what buffers keeps for reuse.
const (
	maxFreeBuffers = 4
	maxFreeBytes   = 32 << 20 // of one buffer
	// firstRead is how much memory a message gets on its word alone.
	firstRead = 1 << 20
)

// buffers hands out memory for message bodies and takes it back when the last
// array in it has been released, from whatever goroutine. Reuse spares the
// kernel from clearing fresh pages for every batch.
type buffers struct {
	mu   sync.Mutex
	free [][]byte
	// seen is the largest body that has really arrived.
	seen int
}

var _ memory.Allocator = (*buffers)(nil)

// atMost returns memory of n bytes, or of less if nobody has shown yet that
// messages are that large.
func (b *buffers) atMost(n int) []byte {
	if buf := b.reuse(n); buf != nil {
		return buf
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return fresh(min(n, max(firstRead, 2*b.seen)))
}

// take returns memory of n bytes.
func (b *buffers) take(n int) []byte {
	if buf := b.reuse(n); buf != nil {
		return buf
	}
	return fresh(n)
}

// reuse returns n bytes of memory that was freed; nil if there is none.
func (b *buffers) reuse(n int) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	best := -1
	for i, f := range b.free {
		if cap(f) >= n && (best < 0 || cap(f) < cap(b.free[best])) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	f := b.free[best]
	b.free[best] = b.free[len(b.free)-1]
	b.free = b.free[:len(b.free)-1]
	return f[:n]
}

func (b *buffers) arrived(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seen = max(b.seen, n)
}

// fresh returns new memory. Large sizes are rounded up, so that bodies of
// about one size can follow each other in it.
func fresh(n int) []byte {
	const step = 1 << 20
	size := n
	if n > step {
		size = (n + step - 1) / step * step
	}
	return memory.NewGoAllocator().Allocate(size)[:n]
}

// Allocate implements memory.Allocator.
func (b *buffers) Allocate(size int) []byte { return fresh(size) }

// Reallocate implements memory.Allocator.
func (b *buffers) Reallocate(size int, old []byte) []byte {
	if size <= cap(old) {
		return old[:size]
	}
	grown := fresh(size)
	copy(grown, old)
	b.Free(old)
	return grown
}

// Free implements memory.Allocator.
func (b *buffers) Free(buf []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if c := cap(buf); c == 0 || c > maxFreeBytes {
		return
	}
	if len(b.free) < maxFreeBuffers {
		b.free = append(b.free, buf)
		return
	}
	for i, f := range b.free {
		if cap(f) < cap(buf) { // larger ones fit more
			b.free[i] = buf
			return
		}
	}
}
