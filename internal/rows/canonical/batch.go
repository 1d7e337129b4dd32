package canonical

import (
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
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
