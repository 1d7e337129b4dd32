package parquetwriter

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// number is how integers, dates, times, short decimals and floats lie in a file;
// those that are unsigned or floats by their bits.
type number interface{ int32 | int64 }

// pack appends the low width bits of each value, least significant first. The
// number of values must be a multiple of 8.
func pack[V uint32 | uint64](to []byte, values []V, width int) []byte {
	start, size := len(to), len(values)*width/8
	to = slices.Grow(to, size+8)[:start+size+8]
	at, acc, used := start, uint64(0), 0
	for _, v := range values {
		acc |= uint64(v) << used
		if used += width; used >= 64 {
			binary.LittleEndian.PutUint64(to[at:], acc)
			at += 8
			used -= 64
			acc = uint64(v) >> (width - used)
		}
	}
	binary.LittleEndian.PutUint64(to[at:], acc)
	return to[:start+size]
}

// A block of differences has miniblocks with a width of their own.
const (
	miniValues   = 128
	minis        = 4
	blockValues  = miniValues * minis
	leastRepeats = 16 // that are worth a run of their own
)

// appendDelta appends values in the encoding DELTA_BINARY_PACKED.
func appendDelta[T number](to []byte, values []T) []byte {
	to = binary.AppendUvarint(to, blockValues)
	to = binary.AppendUvarint(to, minis)
	to = binary.AppendUvarint(to, uint64(len(values)))
	if len(values) == 0 {
		return binary.AppendVarint(to, 0)
	}
	last := values[0]
	to = binary.AppendVarint(to, int64(last))
	var gaps [blockValues]T
	var packed [miniValues]uint64
	for rest := values[1:]; len(rest) > 0; {
		block := rest[:min(len(rest), blockValues)]
		rest = rest[len(block):]
		least := block[0] - last // may wrap around, and back in the reader
		for i, v := range block {
			gap := v - last
			last = v
			gaps[i] = gap
			least = min(least, gap)
		}
		to = binary.AppendVarint(to, int64(least))
		widths := len(to)
		to = append(to, make([]byte, minis)...)
		for m := 0; m*miniValues < len(block); m++ {
			mini := gaps[m*miniValues : min((m+1)*miniValues, len(block))]
			all := uint64(0)
			for i, gap := range mini {
				u := unsigned(gap - least)
				packed[i] = u
				all |= u
			}
			clear(packed[len(mini):])
			width := bits.Len64(all)
			to[widths+m] = byte(width)
			to = pack(to, packed[:], width)
		}
	}
	return to
}

// unsigned is the bits of v.
func unsigned[T number](v T) uint64 {
	if v, ok := any(v).(int32); ok {
		return uint64(uint32(v))
	}
	return uint64(v)
}

// appendIndexes appends the places of values in a dictionary of n, as runs of
// equal ones or packed.
func appendIndexes(to []byte, index []uint32, n int) []byte {
	width := max(bits.Len(uint(n-1)), 1)
	to = append(to, byte(width))
	from := 0 // of those that are not written yet
	for at := 0; at < len(index); {
		end := at + 1
		for end < len(index) && index[end] == index[at] {
			end++
		}
		if end-at < leastRepeats {
			at = min(at+8, len(index))
			continue
		}
		to = appendPacked(to, index[from:at], width)
		to = binary.AppendUvarint(to, uint64(end-at)<<1)
		for b := range (width + 7) / 8 {
			to = append(to, byte(index[at]>>(8*b)))
		}
		at, from = end, end
	}
	return appendPacked(to, index[from:], width)
}

// appendPacked appends a run of packed values, filled up to a multiple of 8.
func appendPacked(to []byte, index []uint32, width int) []byte {
	if len(index) == 0 {
		return to
	}
	to = binary.AppendUvarint(to, uint64(len(index)+7)/8<<1|1)
	whole := len(index) / 8 * 8
	to = pack(to, index[:whole], width)
	if rest := index[whole:]; len(rest) > 0 {
		var last [8]uint32
		copy(last[:], rest)
		to = pack(to, last[:], width)
	}
	return to
}

// appendPlain appends values as they are, little-endian.
func appendPlain[T number](to []byte, values []T) []byte {
	for _, v := range values {
		to = appendOne(to, v)
	}
	return to
}

func appendOne[T number](to []byte, v T) []byte {
	if v, ok := any(v).(int32); ok {
		return binary.LittleEndian.AppendUint32(to, uint32(v))
	}
	return binary.LittleEndian.AppendUint64(to, uint64(v))
}

// appendSplit appends values in the encoding BYTE_STREAM_SPLIT: all first bytes,
// then all second ones, and so on.
func appendSplit[T number](to []byte, values []T) []byte {
	width, start, n := widthOf[T](), len(to), len(values)
	to = slices.Grow(to, n*width)[:start+n*width]
	for b := range width {
		plane := to[start+b*n : start+(b+1)*n]
		for i, v := range values {
			plane[i] = byte(v >> (8 * b))
		}
	}
	return to
}

// widthOf is the number of bytes of a value.
func widthOf[T number]() int {
	if _, ok := any(T(0)).(int32); ok {
		return 4
	}
	return 8
}

// most is the largest dictionary of values of so many bytes, by which n values
// take less than size bytes; 0: none.
func most(n, size, width int) int {
	best := 0
	for b := 0; b <= maxIndexBits; b++ {
		if left := size - n*b/8; left > 0 {
			best = max(best, min(1<<b, left/width))
		}
	}
	return best
}
