package canonical

import (
	"slices"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
	"github.com/apache/arrow-go/v18/arrow/memory"
)

// trim returns d without what follows its last row, and without a bitmap that
// marks no NULLs. It copies nothing, so arrays of builders and slices from the
// first row on are cheap. An array with an offset is returned unchanged.
func trim(d arrow.ArrayData) arrow.ArrayData {
	dt := storage(d.DataType())
	if d.Offset() != 0 {
		d.Retain()
		return d
	}
	n, null := d.Len(), nulls(d)
	buffers := slices.Clone(d.Buffers())
	cut := func(i, size int) {
		if len(bytesOf(d, i)) > size {
			buffers[i] = memory.SliceBuffer(buffers[i], 0, size)
		}
	}
	defer func() {
		for i, b := range d.Buffers() {
			if buffers[i] != nil && buffers[i] != b {
				buffers[i].Release()
			}
		}
	}()
	switch {
	case len(buffers) == 0:
	case null == 0:
		buffers[0] = nil
	default:
		cut(0, int(bitutil.BytesForBits(int64(n))))
	}
	rows := n // of the children
	switch dt := dt.(type) {
	case *arrow.BooleanType:
		cut(1, int(bitutil.BytesForBits(int64(n))))
	case *arrow.StringType, *arrow.BinaryType:
		cut(1, 4*(n+1))
		cut(2, last[int32](d))
	case *arrow.LargeStringType, *arrow.LargeBinaryType:
		cut(1, 8*(n+1))
		cut(2, last[int64](d))
	case *arrow.ListType, *arrow.MapType:
		cut(1, 4*(n+1))
		rows = last[int32](d)
	case *arrow.LargeListType:
		cut(1, 8*(n+1))
		rows = last[int64](d)
	case *arrow.FixedSizeListType:
		rows = n * int(dt.Len())
	case *arrow.StructType:
	case arrow.FixedWidthDataType:
		cut(1, n*dt.Bytes())
	default: // pick brings it into its own form
		d.Retain()
		return d
	}
	children := make([]arrow.ArrayData, len(d.Children()))
	for i, c := range d.Children() {
		if c.Len() == rows {
			children[i] = trim(c)
			continue
		}
		part := array.NewSliceData(c, 0, int64(rows))
		children[i] = trim(part)
		part.Release()
	}
	trimmed := array.NewData(d.DataType(), n, buffers, children, null, 0)
	for _, c := range children {
		c.Release()
	}
	if dict, ok := dictionary(d).(*array.Data); ok {
		trimmed.SetDictionary(dict)
	}
	return trimmed
}

// last returns the offset behind the last row of d.
func last[T int32 | int64](d arrow.ArrayData) int {
	offsets := valuesOf[T](bytesOf(d, 1))
	if d.Len() >= len(offsets) {
		return 0
	}
	return int(offsets[d.Len()])
}
