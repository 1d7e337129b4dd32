package canonical

import (
	"unsafe"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// storage returns the type that defines an array's memory layout.
func storage(dt arrow.DataType) arrow.DataType {
	for dt.ID() == arrow.EXTENSION {
		dt = dt.(arrow.ExtensionType).StorageType()
	}
	return dt
}

// bytesOf returns buffer i of d, which may be absent.
func bytesOf(d arrow.ArrayData, i int) []byte {
	if b := d.Buffers(); i < len(b) && b[i] != nil {
		return b[i].Bytes()
	}
	return nil
}

// nulls returns the number of NULLs of d, which Arrow counts late.
func nulls(d arrow.ArrayData) int {
	n, bitmap := d.NullN(), bytesOf(d, 0)
	switch {
	case n >= 0:
		return n
	case len(bitmap) == 0:
		return 0
	}
	return d.Len() - bitutil.CountSetBits(bitmap, d.Offset(), d.Len())
}

// dictionary returns the dictionary of d, or nil: ArrayData.Dictionary is then
// a nil pointer in an interface that is not nil.
func dictionary(d arrow.ArrayData) arrow.ArrayData {
	if data, ok := d.(*array.Data); ok {
		if dict, _ := data.Dictionary().(*array.Data); dict != nil {
			return dict
		}
	}
	return nil
}

// nowhere replaces a row to request a slot that is never read.
const nowhere = -1

// valuesOf returns b as numbers.
func valuesOf[T any](b []byte) []T {
	var zero T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(zero)))
}
