package listed

import (
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow/array"
)

// reader is a running scan or statement: the engine's rows, with errors of the
// vocabulary.
type reader struct {
	array.RecordReader
	request *Request
	// done returns the resources that the rows came from; clean says that they
	// were read to the end without an error.
	done    func(clean bool)
	failure func(error) error
	refs    atomic.Int64
	ended   bool
	version string
}

// newReader takes ownership of the rows, and retains the request.
func newReader(rows array.RecordReader, r *Request, done func(bool), failure func(error) error) *reader {
	out := &reader{RecordReader: rows, request: r, done: done, failure: failure}
	r.refs.Add(1)
	out.refs.Store(1)
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

// Retain adds a reference.
func (r *reader) Retain() { r.refs.Add(1) }

// Release drops a reference; with the last one the scan stops, if it still runs.
func (r *reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	r.RecordReader.Release()
	r.done(r.ended)
	r.request.release()
}
