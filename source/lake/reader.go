package lake

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/source"
)

// reader is a running scan or statement: the engine's rows, with errors of the
// vocabulary.
type reader struct {
	array.RecordReader
	hold *hold
	// done returns the resources that the rows came from; clean says that they
	// were read to the end without an error.
	done    func(clean bool)
	failure func(error) error
	refs    atomic.Int64
	ended   bool
	version string  // of the files
	filed   *traced // nil: the scan is not traced
	// begun says that the first batch, if there is one, has been read ahead.
	begun, first bool
}

// newReader takes ownership of the rows, and retains the hold.
func newReader(rows array.RecordReader, h *hold, done func(bool), failure func(error) error) *reader {
	r := &reader{RecordReader: rows, hold: h, done: done, failure: failure}
	h.retain()
	r.refs.Store(1)
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

// Retain adds a reference.
func (r *reader) Retain() { r.refs.Add(1) }

// Release drops a reference; with the last one the scan stops, if it still
// runs.
func (r *reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	r.RecordReader.Release()
	r.done(r.ended)
	r.hold.release()
}
