package canonical

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/bitutil"
)

// Batch returns the rows of b in canonical form. Columns that are canonical
// already are shared with b, others are copied. The caller releases the result,
// and still owns b. Types that streams do not support (see wire) are an error.
func Batch(b arrow.RecordBatch) (arrow.RecordBatch, error) {
	cols := make([]arrow.Array, b.NumCols())
	defer func() {
		for _, c := range cols {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i, col := range b.Columns() {
		data, err := column(col.Data())
		if err != nil {
			return nil, fmt.Errorf("column %d: %w", i, err)
		}
		cols[i] = array.MakeFromData(data)
		data.Release()
	}
	return array.NewRecordBatch(b.Schema(), cols, b.NumRows()), nil
}

func column(d arrow.ArrayData) (arrow.ArrayData, error) {
	d = trim(d)
	if isCanonical(d) {
		return d, nil
	}
	defer d.Release()
	rows := make([]int, d.Len())
	for i := range rows {
		rows[i] = i
	}
	return pick(d, rows, true)
}

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
