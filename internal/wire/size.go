package wire

import "github.com/apache/arrow-go/v18/arrow"

// BatchBytes returns the size of the batch's Arrow buffers, which is how bytes
// of results are counted everywhere. A slice counts as what it was cut from.
// (The Arrow library's own function would link protobuf into every binary.)
func BatchBytes(batch arrow.RecordBatch) int64 {
	var sum int64
	for _, col := range batch.Columns() {
		sum += dataBytes(col.Data())
	}
	return sum
}

func dataBytes(d arrow.ArrayData) int64 {
	var sum int64
	for _, buf := range d.Buffers() {
		if buf != nil {
			sum += int64(buf.Len())
		}
	}
	for _, child := range d.Children() {
		sum += dataBytes(child)
	}
	if d.DataType().ID() == arrow.DICTIONARY {
		sum += dataBytes(d.Dictionary())
	}
	return sum
}
