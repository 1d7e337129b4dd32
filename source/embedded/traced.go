package embedded

import (
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/rows/recordreader"
)

// MaxTraced limits the files of a traced scan, because each answer lists all of
// them.
const MaxTraced = 2000

// Traced are rows of some files, in the order of these. The last column tells the file
// of each row, and is taken off.
type Traced struct {
	recordreader.Base
	inner array.RecordReader
	of    func(int64) int32
	// Rows are how many have come, by the number of the file.
	Rows map[int32]int64
	// Order has the files whose rows have come.
	Order []int32
	// Mixed says that the rows are not in the order of their files.
	Mixed bool
}

// Trace takes over rows whose last column has numbers of files, or values from which of
// makes them.
func Trace(rows array.RecordReader, of func(int64) int32) *Traced {
	fields, meta := rows.Schema().Fields(), rows.Schema().Metadata()
	t := &Traced{inner: rows, of: of, Rows: map[int32]int64{}}
	t.Begin(arrow.NewSchema(fields[:len(fields)-1], &meta), rows.Release)
	return t
}

// Next implements array.RecordReader.
func (t *Traced) Next() bool {
	t.Set(nil)
	if !t.inner.Next() {
		return false
	}
	batch := t.inner.RecordBatch()
	last := int(batch.NumCols()) - 1
	switch column := batch.Column(last).(type) {
	case *array.Int32:
		for files := column.Int32Values(); !t.Mixed && len(files) > 0; {
			n := 1
			for n < len(files) && files[n] == files[0] {
				n++
			}
			t.count(files[0], n)
			files = files[n:]
		}
	case *array.Int64:
		for i := 0; !t.Mixed && i < column.Len(); i++ {
			t.count(t.of(column.Value(i)), 1)
		}
	default:
		t.Mixed = true
	}
	t.Set(array.NewRecordBatch(t.Schema(), batch.Columns()[:last], batch.NumRows()))
	return true
}

// Err implements array.RecordReader.
func (t *Traced) Err() error { return t.inner.Err() }

// count notes rows of a file that come one after another.
func (t *Traced) count(n int32, rows int) {
	if k := len(t.Order); k == 0 || t.Order[k-1] != n {
		if _, again := t.Rows[n]; again || n < 0 {
			t.Mixed = true // and nothing more is noted
			return
		}
		t.Order = append(t.Order, n)
	}
	t.Rows[n] += int64(rows)
}
