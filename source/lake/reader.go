package lake

import (
	"encoding/json"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
)

// reader is a running scan: the engine's stream, with the schema's warnings
// and errors of the vocabulary.
type reader struct {
	*duckdb.Stream
	schema  *arrow.Schema
	session *session
	hold    *hold
	failure func(error) error
	refs    atomic.Int64
	ended   bool // read to its end, without an error
	// begun says that the first batch, if there is one, waits to be asked for.
	begun, first bool
	// disposable says that the session must not serve another request.
	disposable bool
}

var _ array.RecordReader = (*reader)(nil)

// newReader takes over the session and the stream, and retains the hold.
func newReader(s *session, h *hold, stream *duckdb.Stream, warnings []string, failure func(error) error) *reader {
	r := &reader{Stream: stream, schema: stream.Schema(), session: s, hold: h, failure: failure}
	h.retain()
	r.refs.Store(1)
	if len(warnings) > 0 {
		text, _ := json.Marshal(warnings) // strings always can
		meta := arrow.NewMetadata([]string{api.WarningsKey}, []string{string(text)})
		r.schema = arrow.NewSchema(r.schema.Fields(), &meta)
	}
	return r
}

// Schema returns the schema; its metadata holds the warnings, if any.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// begin goes to the first batch and returns an error that comes in its place:
// then the request can still be tried anew.
func (r *reader) begin() (*reader, error) {
	r.first = r.Next()
	r.begun = true
	if err := r.Err(); err != nil {
		r.Release()
		return nil, err
	}
	return r, nil
}

// Next goes on to the next batch.
func (r *reader) Next() bool {
	if r.begun {
		r.begun = false
		return r.first
	}
	more := r.Stream.Next()
	r.ended = !more && r.Stream.Err() == nil
	return more
}

// Err is why Next returned false; nil at the end.
func (r *reader) Err() error { return r.hold.lost(r.failure(r.Stream.Err())) }

// Retain adds a reference.
func (r *reader) Retain() { r.refs.Add(1) }

// Release drops a reference; with the last one the scan stops, if it still
// runs.
func (r *reader) Release() {
	if r.refs.Add(-1) != 0 {
		return
	}
	r.Stream.Release()
	r.session.done(r.ended && !r.disposable)
	r.hold.release()
}
