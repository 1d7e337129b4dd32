package spark

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"
	"github.com/google/uuid"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"

	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/internal/rows/wholestream"
	"github.com/agnes-data/da/internal/rows/wire"
)

// fruitless is how often the stream of a result may be taken up again, one time after
// the other, without an answer. A server ends streams after some minutes by itself.
const fruitless = 1000

// run starts a plan and returns its rows.
func (s *Spark) run(ctx context.Context, w work) (array.RecordReader, error) {
	r := &reader{s: s, w: w, outer: ctx, operation: uuid.NewString()}
	r.ctx, r.cancel = bounded(ctx, s.o.Timeout)
	r.Begin(w.schema, r.free)
	err := s.in(r.ctx, func(at *session) (err error) {
		r.at = at
		// Without this option there is no sign of a whole result: the stream of an
		// operation that was interrupted ends like that of one that is done.
		reattachable := within(5, within(1, number(1, 1)))
		r.stream, err = s.stream(r.ctx, "ExecutePlan", at.request(8, text(6, r.operation), within(3, within(1, w.root)), reattachable,
			text(7, "da")))
		if err == nil {
			err = r.receive() // a session that is lost shows only now
		}
		return err
	})
	if err != nil {
		err = failure(r.ctx, err, w.seesAll)
		r.Release()
		return nil, err
	}
	return r, nil
}

// bounded is a context with the source's own bound; 0: none.
func bounded(ctx context.Context, timeout time.Duration) (context.Context, context.CancelFunc) {
	if timeout > 0 {
		return context.WithTimeout(ctx, timeout)
	}
	return context.WithCancel(ctx)
}

// reader returns the rows of an operation.
type reader struct {
	recordreader.Base
	s      *Spark
	w      work
	outer  context.Context //nolint:containedctx // of the scan that it belongs to
	ctx    context.Context //nolint:containedctx // outer, with the source's own bound
	cancel context.CancelFunc

	at        *session
	operation string
	stream    grpc.ClientStream
	last      string // the answer that was read last
	batch     []byte // of Arrow, not yet read
	inBatch   int64  // rows that it should have
	rows      int64
	whole     bool // all has arrived
	err       error
}

var _ array.RecordReader = (*reader)(nil)

// receive reads the answers up to the next batch of rows, or the end. A stream that
// ends before the result does is taken up again behind the last answer, as is one
// whose line broke.
func (r *reader) receive() error {
	for tries := 0; r.batch == nil && !r.whole; {
		var answer []byte
		err := r.stream.RecvMsg(&answer)
		switch {
		case err == nil:
			tries = 0
			if err := r.take(answer); err != nil {
				return err
			}
			continue
		case errors.Is(err, io.EOF) && tries < fruitless, status.Code(err) == codes.Unavailable && r.last != "" && tries < 3:
		case errors.Is(err, io.EOF):
			return unexpected("the stream of a result ends again and again without it")
		default:
			return err
		}
		if tries++; tries > 1 {
			select {
			case <-time.After(time.Duration(min(tries, 10)) * 100 * time.Millisecond):
			case <-r.ctx.Done():
				return r.ctx.Err()
			}
		}
		rest := [][]byte{text(3, r.operation)}
		if r.last != "" {
			rest = append(rest, text(5, r.last))
		}
		if r.stream, err = r.s.stream(r.ctx, "ReattachExecute", r.at.request(6, rest...)); err != nil {
			return err
		}
	}
	return nil
}

// take reads an answer.
func (r *reader) take(answer []byte) error {
	return each(answer, func(n protowire.Number, _ uint64, body []byte) error {
		switch n {
		case 13:
			r.last = string(body)
		case 14:
			r.whole = true
		case 2:
			return r.takeBatch(body)
		}
		return nil
	})
}

func (r *reader) takeBatch(body []byte) error {
	var rows int64
	start, parts := r.rows, uint64(1)
	err := each(body, func(n protowire.Number, v uint64, body []byte) error {
		switch n {
		case 1:
			rows = int64(v)
		case 2:
			r.batch = body
		case 3:
			start = int64(v)
		case 5:
			parts = v
		}
		return nil
	})
	if err != nil {
		return err
	}
	if start != r.rows || parts > 1 {
		return unexpected("a batch of rows is missing")
	}
	r.inBatch = rows
	if r.rows += rows; rows == 0 {
		r.batch = nil
	}
	return nil
}

// Next goes on to the next batch.
func (r *reader) Next() bool {
	r.Set(nil)
	for r.err == nil {
		if r.batch != nil {
			data := r.batch
			r.batch = nil
			var b arrow.RecordBatch
			if b, r.err = r.read(data); r.err == nil {
				r.Set(b)
				return true
			}
		} else if r.whole {
			return false
		} else {
			r.err = r.receive()
		}
	}
	r.err = failure(r.ctx, r.err, r.w.seesAll)
	return false
}

// Err is the reason why Next returned false; nil at the end.
func (r *reader) Err() error { return r.err }

// endMark ends an Arrow stream.
const endMark = "\xff\xff\xff\xff\x00\x00\x00\x00"

// read reads a batch, which is a whole Arrow stream of its own.
func (r *reader) read(data []byte) (arrow.RecordBatch, error) {
	data, whole := bytes.CutSuffix(data, []byte(endMark))
	if !whole {
		return nil, wholestream.ErrCut
	}
	in, err := wire.ReadParts(data, func() ([]byte, error) { return nil, io.EOF })
	if err != nil {
		return nil, err
	}
	defer in.Release()
	if !in.Next() {
		return nil, cmp.Or(in.Err(), unexpected("a batch holds no rows"))
	}
	b := in.RecordBatch()
	if b.NumRows() != r.inBatch {
		return nil, unexpected("a batch has not the rows that it should have")
	}
	return like(b, r.Schema())
}

// like is a batch with the names and types of a schema, by the order of its columns.
func like(b arrow.RecordBatch, schema *arrow.Schema) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, b.NumCols())
	if len(columns) != schema.NumFields() {
		return nil, unexpected("the rows have other columns than were asked for")
	}
	for i, c := range b.Columns() {
		as, err := named(c.Data(), schema.Field(i).Type)
		if err != nil {
			return nil, err
		}
		columns[i] = array.MakeFromData(as)
	}
	return array.NewRecordBatch(schema, columns, b.NumRows()), nil
}

// named gives data a type that differs only in how its parts are called, whether they
// may be NULL, and in which zone instants are shown: engines choose that.
func named(d arrow.ArrayData, as arrow.DataType) (arrow.ArrayData, error) {
	to, nested := as.(arrow.NestedType)
	if !nested {
		is, at := d.DataType().(*arrow.TimestampType)
		to, instant := as.(*arrow.TimestampType)
		if at && instant && is.Unit == to.Unit && is.TimeZone != "" && to.TimeZone != "" {
			return array.NewData(as, d.Len(), d.Buffers(), nil, d.NullN(), d.Offset()), nil
		}
		if narrow := narrower(d.DataType()); narrow != nil && arrow.TypeEqual(narrow, as) {
			return narrowed(d, as)
		}
		if !arrow.TypeEqual(d.DataType(), as) {
			return nil, unexpected(fmt.Sprintf("a column is %s, not %s", d.DataType(), as))
		}
		return d, nil
	}
	parts := d.Children()
	if d.DataType().ID() != as.ID() || len(parts) != to.NumFields() {
		return nil, unexpected(fmt.Sprintf("a column is %s, not %s", d.DataType(), as))
	}
	changed := make([]arrow.ArrayData, len(parts))
	for i, p := range parts {
		var err error
		if changed[i], err = named(p, to.Fields()[i].Type); err != nil {
			return nil, err
		}
	}
	return array.NewData(as, d.Len(), d.Buffers(), changed, d.NullN(), d.Offset()), nil
}

// narrower is the type with offsets of 32 bits for one with 64: engines choose that, too.
func narrower(t arrow.DataType) arrow.DataType {
	switch t.ID() {
	case arrow.LARGE_STRING:
		return arrow.BinaryTypes.String
	case arrow.LARGE_BINARY:
		return arrow.BinaryTypes.Binary
	}
	return nil
}

func narrowed(d arrow.ArrayData, as arrow.DataType) (arrow.ArrayData, error) {
	buffers := slices.Clone(d.Buffers())
	wide := arrow.Int64Traits.CastFromBytes(buffers[1].Bytes())
	wide = wide[:min(len(wide), d.Offset()+d.Len()+1)] // behind them is what nobody reads
	offsets := make([]int32, len(wide))
	for i, o := range wide {
		if offsets[i] = int32(o); int64(offsets[i]) != o {
			return nil, unexpected("a batch of texts is too large")
		}
	}
	buffers[1] = memory.NewBufferBytes(arrow.Int32Traits.CastToBytes(offsets))
	return array.NewData(as, d.Len(), buffers, nil, d.NullN(), d.Offset()), nil
}

// free ends the operation if it still runs, in the server too: it goes on when the
// stream is only closed.
func (r *reader) free() {
	r.cancel()
	if r.at == nil {
		return
	}
	r.s.stopping.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.outer), stopTime)
		defer cancel()
		const interruptOperation = 3
		if !r.whole {
			_, _ = r.s.call(ctx, "Interrupt", r.at.request(7, number(4, interruptOperation), text(6, r.operation)))
		}
		_, _ = r.s.call(ctx, "ReleaseExecute", r.at.request(7, text(3, r.operation), within(5)))
	})
}
