package wire

import (
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/agnes-data/da/api"
)

// Decode reads a body that Encode wrote. The schema has been read when it
// returns; the caller sets what the body does not tell (RequestID,
// EffectiveAsOf, Ordered) and closes the stream and r.
//
// Whatever is wrong with the body, from a missing byte to a hostile header, is
// an error of CodeStreamCut, either here or as Batches.Err. An *api.Error from
// r is passed on as it is. Every batch is checked to be safe to read, its
// contents are proven only by the end of the stream: use nothing before that.
func Decode(r io.Reader) (*api.Stream, error) {
	msgs := newMessages(r)
	rdr, err := ipc.NewReaderFromMessageReader(msgs, ipc.WithAllocator(msgs.bufs))
	if err != nil {
		if msgs.err != nil {
			err = msgs.err
		}
		if msgs.end != nil {
			err = errors.New("there is no schema")
		}
		return nil, cut(err)
	}
	if err := checkSchema(rdr.Schema()); err != nil {
		rdr.Release()
		return nil, cut(err)
	}
	b := &batches{Reader: rdr, msgs: msgs, schema: rdr.Schema()}
	return &api.Stream{
		Batches:   b,
		End:       func() api.End { return b.end },
		CloseFunc: b.close,
	}, nil
}

// batches is the reader's side of a stream.
type batches struct {
	*ipc.Reader
	msgs   *messages
	schema *arrow.Schema
	rows   int64
	check  checker
	done   bool
	end    api.End
	err    error
}

var _ array.RecordReader = (*batches)(nil)

// Next implements array.RecordReader. The batch before is released, and its
// memory used again.
func (b *batches) Next() bool {
	for !b.done {
		if !b.Reader.Next() {
			b.finish()
			return false
		}
		batch := b.Reader.RecordBatch()
		if batch.NumRows() == 0 {
			continue
		}
		if err := b.check.batch(batch); err != nil {
			b.fail(err)
			return false
		}
		b.rows += batch.NumRows()
		return true
	}
	return false
}

// finish decides whether the stream was whole.
func (b *batches) finish() {
	switch {
	case b.msgs.err != nil:
		b.fail(b.msgs.err)
	case b.Reader.Err() != nil:
		b.fail(b.Reader.Err())
	case b.msgs.end == nil:
		b.fail(io.ErrUnexpectedEOF)
	case b.msgs.end.Rows != b.rows:
		b.fail(fmt.Errorf("%d rows were sent, %d have arrived", b.msgs.end.Rows, b.rows))
	default:
		b.done, b.end = true, *b.msgs.end
	}
}

func (b *batches) fail(err error) {
	b.done, b.err = true, cut(err)
}

// cut makes the error of a body that cannot be used.
func cut(err error) error {
	var known *api.Error
	if errors.As(err, &known) {
		return known
	}
	what := err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) {
		what = "the connection ended early"
	}
	return &api.Error{
		Code:    api.CodeStreamCut,
		Message: "the result is incomplete: " + what,
		Hint:    "Try again. If it happens each time, something between you and the server may limit size or time.",
		Err:     err,
	}
}

// Schema implements array.RecordReader.
func (b *batches) Schema() *arrow.Schema { return b.schema }

// RecordBatch implements array.RecordReader.
func (b *batches) RecordBatch() arrow.RecordBatch {
	if b.done {
		return nil
	}
	return b.Reader.RecordBatch()
}

// Record implements array.RecordReader under its older name.
func (b *batches) Record() arrow.RecordBatch { return b.RecordBatch() }

// Err implements array.RecordReader.
func (b *batches) Err() error { return b.err }

func (b *batches) close() {
	if !b.done {
		b.fail(errors.New("it was closed before its end"))
	}
	b.Release()
}
