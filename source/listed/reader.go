package listed

import (
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/rows/recordreader"
)

// reader is a running scan or statement: the engine's rows, with errors of the
// vocabulary.
type reader struct {
	recordreader.Rows
	failure func(error) error
	ended   bool
	version string
	trace   *trace // nil: the rows do not know their files
}

// newReader takes ownership of the rows, and retains the request. done returns the
// resources that the rows came from; clean says that they were read to the end
// without an error.
func newReader(rows array.RecordReader, r *Request, done func(clean bool), failure func(error) error) *reader {
	out := &reader{failure: failure}
	r.refs.Add(1)
	out.Own(rows, func() {
		done(out.ended)
		r.release()
	})
	return out
}

// RowsVersion implements source.Versioned.
func (r *reader) RowsVersion() string { return r.version }

// Next advances to the next batch.
func (r *reader) Next() bool {
	more := r.RecordReader.Next()
	r.ended = !more && r.RecordReader.Err() == nil
	return more
}

// Err is why Next returned false; nil at the end.
func (r *reader) Err() error { return r.failure(r.RecordReader.Err()) }
