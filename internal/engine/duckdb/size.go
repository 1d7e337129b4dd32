package duckdb

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
)

// batchBytes is the size of a batch's rows, without the parts of its buffers
// beyond them.
func batchBytes(b arrow.RecordBatch) int64 {
	var sum int64
	for _, c := range b.Columns() {
		sum += arrayBytes(c)
	}
	return sum
}

func arrayBytes(a arrow.Array) int64 {
	n := int64(a.Len())
	if n == 0 {
		return 0
	}
	sum := n / 8 // validity
	switch a := a.(type) {
	case *array.String:
		return sum + 4*n + int64(len(a.ValueBytes()))
	case *array.Binary:
		return sum + 4*n + int64(len(a.ValueBytes()))
	case array.ExtensionArray:
		return arrayBytes(a.Storage())
	case *array.FixedSizeList: // its offsets are not those of a ListLike
		return sum + listBytes(a, 0)
	case array.ListLike:
		return sum + listBytes(a, 4)
	case *array.Struct:
		for i := range a.NumField() {
			sum += arrayBytes(a.Field(i))
		}
		return sum
	case array.Union:
		for i := range a.NumFields() {
			sum += arrayBytes(a.Field(i)) * n / int64(max(a.Field(i).Len(), 1))
		}
		return sum + n
	}
	if t, ok := a.DataType().(arrow.FixedWidthDataType); ok {
		return sum + n*int64(t.BitWidth())/8
	}
	return sum
}

func listBytes(a array.ListLike, offset int64) int64 {
	first, _ := a.ValueOffsets(0)
	_, last := a.ValueOffsets(a.Len() - 1)
	values := array.NewSlice(a.ListValues(), first, last)
	defer values.Release()
	return offset*int64(a.Len()) + arrayBytes(values)
}
