package parquetwriter

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"unsafe"
)

// number is how integers, dates, times, short decimals and floats lie in a file;
// those that are unsigned or floats by their bits.
type number interface{ int32 | int64 }

// pack appends the low width bits of each value, least significant first. Higher bits
// must be zero, and the number of values a multiple of 8. Narrow values are joined
// before they are written.
func pack[V uint32 | uint64](to []byte, values []V, width int) []byte {
	start, size := len(to), len(values)*width/8
	to = slices.Grow(to, size+8)[:start+size+8]
	w, out := bitWriter{to: to[start:]}, values
	shift := uint(width) & 63 // spares the compiler a check
	switch {
	case width > 56:
		packWide(to[start:], values, width)
	case width > 28:
		for _, v := range out {
			w.put(uint64(v), shift)
		}
	case width > 14:
		for ; len(out) >= 2; out = out[2:] {
			w.put(uint64(out[0])|uint64(out[1])<<shift, 2*shift)
		}
	default:
		for ; len(out) >= 4; out = out[4:] {
			low, high := uint64(out[0])|uint64(out[1])<<shift, uint64(out[2])|uint64(out[3])<<shift
			w.put(low|high<<(2*shift&63), 4*shift)
		}
	}
	return to[:start+size]
}

// bitWriter writes numbers of up to 56 bits.
type bitWriter struct {
	to   []byte // begins with the byte that is not full; has room for 8 more
	acc  uint64 // the bits of that byte so far
	used uint   // how many they are
}

func (w *bitWriter) put(v uint64, width uint) {
	w.acc |= v << (w.used & 7)
	binary.LittleEndian.PutUint64(w.to, w.acc)
	w.used += width
	w.to = w.to[w.used/8:]
	w.acc >>= w.used &^ 7 & 63
	w.used &= 7
}

// packWide is pack for any width.
func packWide[V uint32 | uint64](to []byte, values []V, width int) {
	at, acc, used := 0, uint64(0), 0
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
}

// unsigned is the bits of v.
func unsigned[T number](v T) uint64 {
	return uint64(v) << (64 - 8*unsafe.Sizeof(v)) >> (64 - 8*unsafe.Sizeof(v))
}

// leastRepeats is how many equal values are worth a run of their own.
const leastRepeats = 16

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
	width := widthOf[T]()
	to = slices.Grow(to, len(values)*width+8)
	for _, v := range values {
		to = binary.LittleEndian.AppendUint64(to, uint64(v))[:len(to)+width]
	}
	return to
}

func appendOne[T number](to []byte, v T) []byte { return appendPlain(to, []T{v}) }

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
func widthOf[T number]() int { return int(unsafe.Sizeof(T(0))) }

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
