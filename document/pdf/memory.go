package pdf

import (
	"context"

	"github.com/tetratelabs/wazero/experimental"
	"golang.org/x/sys/unix"
)

// memory is what an instance of the library has, reserved as a whole: pages count as
// memory of the process when the library asks for them. On the heap it would be copied when it grows, and
// what it left would stay until the next collection: more than three times as much.
type memory struct{ mapped [][]byte }

// withMemory has instances that are made with the context use m.
func withMemory(ctx context.Context, m *memory) context.Context {
	return experimental.WithMemoryAllocator(ctx, m)
}

// Allocate implements [experimental.MemoryAllocator].
func (m *memory) Allocate(first, most uint64) experimental.LinearMemory {
	mapped, err := unix.Mmap(-1, 0, int(most), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON) //nolint:gosec // at most that of memoryPages
	if err != nil {                                                                            // the address space is limited
		return &heap{}
	}
	m.mapped = append(m.mapped, mapped)
	if reserved(mapped).Reallocate(first) == nil {
		return &heap{}
	}
	return reserved(mapped)
}

// release gives the memory back, once nothing runs in it or reads it.
func (m *memory) release() {
	for _, mapped := range m.mapped {
		_ = unix.Munmap(mapped) // it is ours
	}
	m.mapped = nil
}

// reserved is a memory that is there as a whole.
type reserved []byte

// Reallocate implements [experimental.LinearMemory].
func (r reserved) Reallocate(size uint64) []byte {
	if unix.Mprotect(r[:size], unix.PROT_READ|unix.PROT_WRITE) != nil {
		return nil // the process may not have so much
	}
	return r[:size]
}

// Free implements [experimental.LinearMemory]. It leaves the memory to its owner:
// what reads it after the end of the instance would end the program.
func (r reserved) Free() {}

// heap is memory where none can be reserved.
type heap struct{ bytes []byte }

// Reallocate implements [experimental.LinearMemory].
func (h *heap) Reallocate(size uint64) []byte {
	h.bytes = append(h.bytes, make([]byte, size-uint64(len(h.bytes)))...)
	return h.bytes
}

// Free implements [experimental.LinearMemory].
func (h *heap) Free() { h.bytes = nil }
