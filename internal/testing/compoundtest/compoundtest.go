// Package compoundtest makes compound files for tests.
//
// Their documents are empty: it is for what reads the names in such files, and must
// not be used by anything but tests.
package compoundtest

import (
	"encoding/binary"
	"unicode/utf16"

	"github.com/agnes-data/da/internal/compound"
)

// Sector is the size of the file's sectors in bytes.
const Sector = 512

// Numbers of sectors with a meaning of their own.
const (
	none = 0xffffffff
	end  = 0xfffffffe // of a chain
	fat  = 0xfffffffd // a part of the allocation table
)

// File returns a compound file with entries of these names directly below its root.
// Each is the right neighbour of the one before. inside are entries in a folder of
// the root that has the first of the names.
func File(names []string, inside ...string) []byte {
	all := append(append([]string{"Root Entry"}, names...), inside...)
	sectors := (len(all) + 3) / 4
	out := make([]byte, Sector*(2+sectors))
	put := binary.LittleEndian.PutUint32
	copy(out, compound.Magic)
	binary.LittleEndian.PutUint16(out[30:], 9)
	put(out[44:], 1)   // sectors of the allocation table
	put(out[48:], 1)   // where the directory starts
	put(out[60:], end) // no small streams
	put(out[68:], end) // no further parts of the table
	for i := range 109 {
		put(out[76+4*i:], none)
	}
	put(out[76:], 0)
	table := out[Sector:]
	for i := range Sector / 4 {
		put(table[4*i:], none)
	}
	put(table, fat)
	for i := 1; i < sectors; i++ {
		put(table[4*i:], uint32(i)+1)
	}
	put(table[4*sectors:], end)
	for i, name := range all {
		e := out[2*Sector+128*i:]
		for j, u := range utf16.Encode([]rune(name)) {
			binary.LittleEndian.PutUint16(e[2*j:], u)
		}
		binary.LittleEndian.PutUint16(e[64:], uint16(2*len(utf16.Encode([]rune(name)))+2))
		put(e[68:], none)
		put(e[72:], none)
		put(e[76:], none)
		put(e[116:], end)
		switch { // 5 is the root, 1 a folder, 2 a stream
		case i == 0:
			e[66] = 5
			put(e[76:], 1)
		case i == 1 && len(inside) > 0:
			e[66] = 1
			put(e[76:], uint32(len(names))+1)
		default:
			e[66] = 2
		}
		if i > 0 && i != len(names) && i+1 < len(all) {
			put(e[72:], uint32(i)+1)
		}
	}
	return out
}
