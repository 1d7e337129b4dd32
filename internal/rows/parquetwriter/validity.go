package parquetwriter

import (
	"encoding/binary"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// validity says which rows of a column have a value: a bit each, which is also how
// a page says it.
type validity struct {
	most        *int // rows of a group
	rows, nulls int
	bits        []byte
}

// add takes over rows from to end of an array.
func (v *validity) add(arr arrow.Array, from, end int) {
	n := end - from
	if need := (v.rows + n + 7) / 8; need > len(v.bits) {
		from := len(v.bits)
		v.bits = room(v.bits, need-from, (*v.most+7)/8)[:need]
		clear(v.bits[from:])
	}
	if bitmap := arr.NullBitmapBytes(); arr.NullN() > 0 && len(bitmap) > 0 {
		offset := arr.Data().Offset() + from
		bitutil.CopyBitmap(bitmap, offset, n, v.bits, v.rows)
		v.nulls += n - bitutil.CountSetBits(bitmap, offset, n)
	} else {
		bitutil.SetBitsTo(v.bits, int64(v.rows), int64(n), true)
	}
	v.rows += n
}

func (v *validity) clear() { v.rows, v.nulls, v.bits = 0, 0, v.bits[:0] }

// appendLevels appends how many of the column's levels each row has: one, or none
// where it is NULL.
func (v *validity) appendLevels(to []byte) []byte {
	start := len(to)
	to = append(to, 0, 0, 0, 0)
	switch v.nulls {
	case 0:
		to = append(binary.AppendUvarint(to, uint64(v.rows)<<1), 1)
	case v.rows:
		to = append(binary.AppendUvarint(to, uint64(v.rows)<<1), 0)
	default:
		to = binary.AppendUvarint(to, uint64(len(v.bits))<<1|1)
		to = append(to, v.bits...)
	}
	binary.LittleEndian.PutUint32(to[start:], uint32(len(to)-start-4))
	return to
}

// eachValidRange calls f for each range of rows of an array that has values.
func eachValidRange(arr arrow.Array, from, end int, f func(from, end int)) {
	bitmap := arr.NullBitmapBytes()
	if arr.NullN() == 0 || len(bitmap) == 0 {
		f(from, end)
		return
	}
	offset := arr.Data().Offset()
	for at := from; at < end; {
		for at < end && !bitutil.BitIsSet(bitmap, offset+at) {
			at++
		}
		start := at
		for at < end && bitutil.BitIsSet(bitmap, offset+at) {
			at++
		}
		if start < at {
			f(start, at)
		}
	}
}
