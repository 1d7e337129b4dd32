package wire

import (
	"encoding/binary"
	"iter"
)

// These read a table that walk has found to fit.

// field returns where the value of a slot is, false if it has its default.
func (m *metadata) field(pos, i int) (at int, ok bool) {
	vtable := pos - int(int32(binary.LittleEndian.Uint32(m.buf[pos:])))
	entry := 4 + 2*i
	if entry+2 > int(binary.LittleEndian.Uint16(m.buf[vtable:])) {
		return 0, false
	}
	offset := int(binary.LittleEndian.Uint16(m.buf[vtable+entry:]))
	return pos + offset, offset != 0
}

// follow returns where the table is that a slot points to.
func (m *metadata) follow(pos, i int) (target int, ok bool) {
	at, ok := m.field(pos, i)
	if !ok {
		return 0, false
	}
	return at + int(binary.LittleEndian.Uint32(m.buf[at:])), true
}

func (m *metadata) int64At(pos, i int) int64 {
	at, ok := m.field(pos, i)
	if !ok {
		return 0
	}
	return int64(binary.LittleEndian.Uint64(m.buf[at:]))
}

func (m *metadata) byteAt(pos, i int) byte {
	at, ok := m.field(pos, i)
	if !ok {
		return 0
	}
	return m.buf[at]
}

// elements returns where the elements of a slot's vector begin, and how many
// there are.
func (m *metadata) elements(pos, i int) (at, n int) {
	target, ok := m.follow(pos, i)
	if !ok {
		return 0, 0
	}
	return target + 4, int(binary.LittleEndian.Uint32(m.buf[target:]))
}

// pairs yields the elements of a vector of two 64-bit numbers each.
func (m *metadata) pairs(pos, i int) iter.Seq2[int64, int64] {
	at, n := m.elements(pos, i)
	return func(yield func(a, b int64) bool) {
		for j := range n {
			p := m.buf[at+16*j:]
			if !yield(int64(binary.LittleEndian.Uint64(p)), int64(binary.LittleEndian.Uint64(p[8:]))) {
				return
			}
		}
	}
}
