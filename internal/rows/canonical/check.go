package canonical

import (
	"math/bits"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// isCanonical reports whether d is in canonical form. It may return false for a
// canonical array, which is then copied unnecessarily. It is hot code: it sees
// every batch.
func isCanonical(d arrow.ArrayData) bool {
	dt := storage(d.DataType())
	if dt.ID() == arrow.NULL {
		return true
	}
	if d.Offset() != 0 || d.Len() == 0 || !validityIsExact(d, dt) {
		return false
	}
	switch dt := dt.(type) {
	case *arrow.BooleanType:
		return bitsAreExact(bytesOf(d, 1), d.Len()) && boolsAreZero(d)
	case *arrow.StringType, *arrow.BinaryType:
		return offsetsAreExact[int32](d, len(bytesOf(d, 2)))
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		return offsetsAreExact[int64](d, len(bytesOf(d, 2)))
	case *arrow.ListType, *arrow.MapType:
		return offsetsAreExact[int32](d, d.Children()[0].Len()) && isCanonical(d.Children()[0])
	case *arrow.LargeListType:
		return offsetsAreExact[int64](d, d.Children()[0].Len()) && isCanonical(d.Children()[0])
	case *arrow.StructType:
		return childrenAreCanonical(d, d.Len())
	case *arrow.FixedSizeListType:
		return childrenAreCanonical(d, d.Len()*int(dt.Len()))
	case *arrow.DictionaryType:
		dict := dictionary(d)
		return dict != nil && (dict.Len() == 0 || isCanonical(dict)) && slotsAreZero(d, dt.Bytes())
	case arrow.UnionType, arrow.BinaryViewDataType:
		return false
	case arrow.FixedWidthDataType:
		return slotsAreZero(d, dt.Bytes())
	}
	return false
}

// childrenAreCanonical says no where d has NULLs, without a look below them.
func childrenAreCanonical(d arrow.ArrayData, rows int) bool {
	if nulls(d) > 0 {
		return false
	}
	for _, c := range d.Children() {
		if c.Len() != rows || !isCanonical(c) {
			return false
		}
	}
	return true
}

func validityIsExact(d arrow.ArrayData, dt arrow.DataType) bool {
	if _, union := dt.(arrow.UnionType); union {
		return true
	}
	if nulls(d) == 0 {
		return len(bytesOf(d, 0)) == 0
	}
	return bitsAreExact(bytesOf(d, 0), d.Len())
}

// bitsAreExact reports whether a bitmap has n bits, followed by zeros.
func bitsAreExact(bitmap []byte, n int) bool {
	return len(bitmap) == int(bitutil.BytesForBits(int64(n))) && (n%8 == 0 || bitmap[n/8]>>(n%8) == 0)
}

func boolsAreZero(d arrow.ArrayData) bool {
	if nulls(d) == 0 {
		return true
	}
	valid := bytesOf(d, 0)
	for i, b := range bytesOf(d, 1) {
		if b&^valid[i] != 0 {
			return false
		}
	}
	return true
}

// offsetsAreExact reports whether the offsets of d start at 0, end at limit, and
// are empty for NULLs.
func offsetsAreExact[T int32 | int64](d arrow.ArrayData, limit int) bool {
	offsets := valuesOf[T](bytesOf(d, 1))
	if len(offsets) != d.Len()+1 || offsets[0] != 0 || int(offsets[d.Len()]) != limit {
		return false
	}
	for i := range nullsOf(d) {
		if offsets[i] != offsets[i+1] {
			return false
		}
	}
	return true
}

// slotsAreZero reports whether values of width bytes are zero where they are
// NULL.
func slotsAreZero(d arrow.ArrayData, width int) bool {
	data := bytesOf(d, 1)
	if len(data) != d.Len()*width {
		return false
	}
	switch width {
	case 1:
		return nullsAreZero(d, data)
	case 2:
		return nullsAreZero(d, valuesOf[uint16](data))
	case 4:
		return nullsAreZero(d, valuesOf[uint32](data))
	case 8:
		return nullsAreZero(d, valuesOf[uint64](data))
	case 16:
		return nullsAreZero(d, valuesOf[[2]uint64](data))
	}
	for i := range nullsOf(d) {
		for _, b := range data[i*width : (i+1)*width] {
			if b != 0 {
				return false
			}
		}
	}
	return true
}

func nullsAreZero[T comparable](d arrow.ArrayData, values []T) bool {
	var zero T
	for i := range nullsOf(d) {
		if values[i] != zero {
			return false
		}
	}
	return true
}

// nullsOf iterates over the NULL rows of d, which must start at offset 0 and have
// an exact bitmap.
func nullsOf(d arrow.ArrayData) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		if nulls(d) == 0 {
			return
		}
		for i, b := range bytesOf(d, 0) {
			null := ^b
			if left := d.Len() - 8*i; left < 8 {
				null &= 1<<left - 1
			}
			for ; null != 0; null &= null - 1 {
				if !yield(8*i + bits.TrailingZeros8(null)) {
					return
				}
			}
		}
	}
}
