package parquetwriter

import (
	"encoding/binary"
	"math/bits"
)

// A block of differences has miniblocks with a width of their own.
const (
	miniValues  = 128
	minis       = 4
	blockValues = miniValues * minis
)

// delta is how values are written in the encoding DELTA_BINARY_PACKED. It is known
// before they are packed, which is most of the work and often in vain: a dictionary
// may take less.
type delta struct {
	blocks []block
	size   int // of all, in bytes
}

// block has the least difference of its values. A miniblock stores how far its
// differences are above that, each in so many bits.
type block struct {
	least  int64
	widths [minis]byte
}

// planDelta finds the blocks of values.
func planDelta[T number](d *delta, values []T) {
	var head [3 * binary.MaxVarintLen64]byte
	d.blocks, d.size = d.blocks[:0], len(appendHead(head[:0], values))
	for at := 1; at < len(values); at += blockValues {
		end := min(at+blockValues, len(values))
		var most [minis]T
		least := values[at] - values[at-1] // may wrap around, and back in the reader
		for m := range minis {
			from := at + m*miniValues
			if from >= end {
				break
			}
			var lo T
			lo, most[m] = gaps(values[from-1 : min(from+miniValues, end)])
			least = min(least, lo)
		}
		b := block{least: int64(least)}
		for m := 0; at+m*miniValues < end; m++ {
			width := bits.Len64(unsigned(most[m] - least))
			b.widths[m] = byte(width)
			d.size += width * miniValues / 8
		}
		d.size += len(binary.AppendVarint(head[:0], b.least)) + minis
		d.blocks = append(d.blocks, b)
	}
}

// gaps returns the least and the greatest difference between neighbours.
func gaps[T number](values []T) (lo, hi T) {
	last, rest := values[0], values[1:]
	lo = rest[0] - last
	hi = lo
	for _, v := range rest {
		gap := v - last
		last = v
		lo, hi = min(lo, gap), max(hi, gap)
	}
	return lo, hi
}

// appendHead appends what comes before the blocks.
func appendHead[T number](to []byte, values []T) []byte {
	to = binary.AppendUvarint(to, blockValues)
	to = binary.AppendUvarint(to, minis)
	to = binary.AppendUvarint(to, uint64(len(values)))
	if len(values) == 0 {
		return binary.AppendVarint(to, 0)
	}
	return binary.AppendVarint(to, int64(values[0]))
}

// appendDelta appends values as planned.
func appendDelta[T number](to []byte, values []T, d *delta) []byte {
	to = appendHead(room(to, d.size+8, 0), values)
	var packed [miniValues]uint64
	for i, b := range d.blocks {
		to = binary.AppendVarint(to, b.least)
		to = append(to, b.widths[:]...)
		from := 1 + i*blockValues
		end := min(from+blockValues, len(values))
		for m := 0; from < end; m++ {
			mini := values[from-1 : min(from+miniValues, end)]
			from += miniValues
			if b.widths[m] == 0 {
				continue
			}
			last, least := mini[0], T(b.least)
			for i, v := range mini[1:] {
				packed[i] = unsigned(v - last - least)
				last = v
			}
			clear(packed[len(mini)-1:])
			to = pack(to, packed[:], int(b.widths[m]))
		}
	}
	return to
}
