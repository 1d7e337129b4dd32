package recordreader

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// Rows are those of another record reader, which it owns. A reader embeds it and adds
// what differs. It has one reference to begin with.
type Rows struct {
	array.RecordReader
	more atomic.Int64 // references beside the first
	free func()
}

// Own sets the other reader, and what the last Release does once that is released.
func (r *Rows) Own(rows array.RecordReader, free func()) { r.RecordReader, r.free = rows, free }

// Retain adds a reference.
func (r *Rows) Retain() { r.more.Add(1) }

// Release drops a reference. The last one frees what the reader holds.
func (r *Rows) Release() {
	if r.more.Add(-1) < 0 {
		r.RecordReader.Release()
		r.free()
	}
}
