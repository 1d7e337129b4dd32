package bigquery

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"cloud.google.com/go/bigquery"
	storage "cloud.google.com/go/bigquery/storage/apiv1"
	"cloud.google.com/go/bigquery/storage/apiv1/storagepb"
	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/internal/rows/wire"
)

const (
	// maxStreams is how many streams of one result are read at the same time.
	maxStreams = 4
	// maxResumes is how often in a row a broken stream is resumed without
	// receiving a row.
	maxResumes = 4
	// resumeWait is the pause before a stream is first resumed; it doubles each
	// time.
	resumeWait = 100 * time.Millisecond
)

// reader returns the rows of a result: the Arrow messages of its streams, in the
// order of their arrival.
type reader struct {
	recordreader.Rows
	schema *arrow.Schema
	marked bool              // batches need the schema's marks
	cur    arrow.RecordBatch // owned, where they do
	ctx    context.Context
	cancel context.CancelFunc
	w      work
	parts  chan []byte // closed when all streams have ended
	group  sync.WaitGroup

	mu  sync.Mutex
	err error // the first one
}

var _ array.RecordReader = (*reader)(nil)

// openReader opens a session on the result and starts its streams. An ordered
// result has one stream.
func (b *BigQuery) openReader(ctx context.Context, rows *storage.BigQueryReadClient, w work, result *bigquery.Table) (*reader, error) {
	most := int32(maxStreams)
	if w.ordered {
		most = 1
	}
	name, err := result.Identifier(bigquery.StorageAPIResourceID)
	if err != nil {
		return nil, err
	}
	call, cancel := b.call(ctx)
	defer cancel()
	session, err := rows.CreateReadSession(call, &storagepb.CreateReadSessionRequest{
		Parent: "projects/" + b.o.Project, MaxStreamCount: most,
		ReadSession: &storagepb.ReadSession{Table: name, DataFormat: storagepb.DataFormat_ARROW},
	})
	if err != nil {
		return nil, failure(call, err, w.what)
	}
	r := &reader{ctx: ctx, w: w, parts: make(chan []byte, maxStreams)}
	streaming, stop := context.WithCancel(ctx)
	for _, s := range session.GetStreams() {
		r.group.Go(func() {
			if err := b.stream(streaming, rows, s.GetName(), r.parts); err != nil {
				r.fail(err)
				stop()
			}
		})
	}
	go func() {
		r.group.Wait()
		close(r.parts)
		stop()
	}()
	read, err := wire.ReadParts(session.GetArrowSchema().GetSerializedSchema(), r.next)
	if err != nil {
		stop()
		return nil, unreadable(err)
	}
	if err := asSelected(w.selected, read.Schema()); err != nil {
		stop()
		read.Release()
		return nil, err
	}
	r.Own(read, r.end)
	r.schema, r.marked = marked(read.Schema(), w.warnings)
	return r, nil
}

// jsonMark is Arrow's mark for a text that is JSON.
var jsonMark = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"arrow.json", ""})

// marked returns the schema with the warnings, and with Arrow's mark on JSON
// columns instead of BigQuery's own. again reports whether there are such columns.
func marked(s *arrow.Schema, warnings []string) (out *arrow.Schema, again bool) {
	fields := s.Fields()
	for i, f := range fields {
		if mark, _ := f.Metadata.GetValue("ARROW:extension:name"); mark == "google:sqlType:json" {
			fields[i].Metadata, again = jsonMark, true
		}
	}
	return api.SchemaWith(fields, api.CaveatsOf(api.CaveatNarrowed, warnings...)), again
}

// Next implements array.RecordReader.
func (r *reader) Next() bool {
	if r.cur != nil {
		r.cur.Release()
		r.cur = nil
	}
	if !r.RecordReader.Next() {
		return false
	}
	if b := r.RecordReader.RecordBatch(); r.marked {
		r.cur = array.NewRecordBatch(r.schema, b.Columns(), b.NumRows())
	}
	return true
}

// RecordBatch implements array.RecordReader.
func (r *reader) RecordBatch() arrow.RecordBatch {
	if r.cur != nil {
		return r.cur
	}
	return r.RecordReader.RecordBatch()
}

// Record is the older name of RecordBatch.
func (r *reader) Record() arrow.RecordBatch { return r.RecordBatch() }

// fail keeps the first error. Later ones are its consequences.
func (r *reader) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.err == nil {
		r.err = err
	}
}

// next returns the next part of any stream. The streams end with their context, so
// it never waits longer than they do.
func (r *reader) next() ([]byte, error) {
	part, more := <-r.parts
	if err := r.ctx.Err(); err != nil {
		r.fail(err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.err != nil:
		return nil, r.err
	case !more:
		return nil, io.EOF
	}
	return part, nil
}

// Schema returns the schema; its metadata holds the warnings, if any.
func (r *reader) Schema() *arrow.Schema { return r.schema }

// Err is the reason why Next returned false; nil at the end.
func (r *reader) Err() error {
	err := r.RecordReader.Err()
	r.mu.Lock()
	if r.err != nil {
		err = r.err
	}
	r.mu.Unlock()
	if err == nil {
		return nil
	}
	return r.w.fail(failure(r.ctx, unreadable(err), r.w.what))
}

// unreadable turns an error of the Arrow reader into one about the form of the
// answer, unless another error caused it.
func unreadable(err error) error {
	if _, told := faultOf(err); told || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	var known *api.Error
	if errors.As(err, &known) {
		return err
	}
	return &api.Error{Code: api.CodeSource, Kind: api.KindUnavailable, Err: err, Message: "BigQuery has sent rows that cannot be read",
		Hint: "Try again."}
}

// end ends the streams.
func (r *reader) end() {
	r.cancel()
	if r.cur != nil {
		r.cur.Release()
	}
}

// stream reads one stream to its end, and resumes it if it breaks.
func (b *BigQuery) stream(ctx context.Context, rows *storage.BigQueryReadClient, name string, parts chan<- []byte) error {
	offset, failures := int64(0), 0
	for {
		got, err := b.receive(ctx, rows, name, offset, parts)
		offset += got
		if err == nil || ctx.Err() != nil || !resumable(err) {
			return err
		}
		if failures++; got > 0 {
			failures = 1
		}
		if failures > maxResumes {
			return err
		}
		select {
		case <-time.After(resumeWait << failures):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// resumable reports whether a stream can go on after an error: the connection or a
// server failed, not the request.
func resumable(err error) bool {
	switch status.Code(err) {
	case codes.Unavailable, codes.Aborted, codes.Internal:
		return true
	}
	return false
}

// receive passes on the rows of a stream from an offset, and returns their number.
func (b *BigQuery) receive(ctx context.Context, rows *storage.BigQueryReadClient, name string, offset int64,
	parts chan<- []byte) (got int64, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watch := time.AfterFunc(b.o.StallTimeout, func() { cancel(errSilent) })
	defer watch.Stop()
	stream, err := rows.ReadRows(ctx, &storagepb.ReadRowsRequest{ReadStream: name, Offset: offset})
	for err == nil {
		var answer *storagepb.ReadRowsResponse
		if answer, err = stream.Recv(); err != nil {
			break
		}
		// Waiting for a slow receiver does not count as silence of the service.
		watch.Stop()
		if part := answer.GetArrowRecordBatch().GetSerializedRecordBatch(); len(part) > 0 {
			select {
			case parts <- part:
				got += answer.GetRowCount()
			case <-ctx.Done():
				return got, ctx.Err()
			}
		}
		watch.Reset(b.o.StallTimeout)
	}
	if errors.Is(err, io.EOF) {
		return got, nil
	}
	if errors.Is(context.Cause(ctx), errSilent) {
		return got, failure(ctx, err, "a stream of rows")
	}
	return got, err
}
