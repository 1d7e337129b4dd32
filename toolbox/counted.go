package toolbox

import (
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
)

// counted reports how many rows and bytes have been read.
type counted struct {
	array.RecordReader
	report      func(rows, bytes int64)
	rows, bytes int64
}

// Next implements array.RecordReader.
func (c *counted) Next() bool {
	if !c.RecordReader.Next() {
		return false
	}
	batch := c.RecordBatch()
	c.rows, c.bytes = c.rows+batch.NumRows(), c.bytes+api.BatchBytes(batch)
	c.report(c.rows, c.bytes)
	return true
}
