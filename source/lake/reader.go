package lake

import (
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/source"
)

// reader is a running scan or statement: the engine's rows, with errors of the
// vocabulary.
type reader struct {
	recordreader.Rows
	hold    *hold
	failure func(error) error
	ended   bool
	version string  // of the files
	filed   *traced // nil: the scan is not traced
	// begun says that the first batch, if there is one, has been read ahead.
	begun, first bool
}

// newReader takes ownership of the rows, and retains the hold. done returns the
// resources that the rows came from; clean says that they were read to the end
// without an error.
func newReader(rows array.RecordReader, h *hold, done func(clean bool), failure func(error) error) *reader {
	r := &reader{hold: h, failure: failure}
	h.retain()
	r.Own(rows, func() {
		done(r.ended)
		h.release()
	})
	return r
}

// begin reads the first batch, and returns its error: at this point the request
// can still be retried.
func (r *reader) begin() (*reader, error) {
	r.first = r.Next()
	r.begun = true
	if err := r.Err(); err != nil {
		r.Release()
		return nil, err
	}
	return r, nil
}

// RowsVersion implements source.Versioned.
func (r *reader) RowsVersion() string { return r.version }

// Files implements source.TracedRows.
func (r *reader) Files() []source.FileRows {
	if r.filed == nil {
		return nil
	}
	return r.filed.files()
}

// Next advances to the next batch.
func (r *reader) Next() bool {
	if r.begun {
		r.begun = false
		return r.first
	}
	more := r.RecordReader.Next()
	r.ended = !more && r.RecordReader.Err() == nil
	return more
}

// Err is why Next returned false; nil at the end.
func (r *reader) Err() error { return r.hold.lost(r.failure(r.RecordReader.Err())) }
