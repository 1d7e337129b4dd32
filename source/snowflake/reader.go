package snowflake

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
)

// reader gives the parts of a result the types that were asked for. Each part may have
// others: Snowflake sends a number in as few bytes as its largest one needs there.
type reader struct {
	recordreader.Base
	ctx     context.Context //nolint:containedctx // of the scan that it belongs to
	of      *result
	columns []column
	seesAll bool

	part   int // of those that are being read
	body   io.ReadCloser
	stream *ipc.Reader
	came   int64 // rows of the part
	total  int64
	err    error
}

var _ array.RecordReader = (*reader)(nil)

func newReader(ctx context.Context, of *result, columns []column, seesAll bool) *reader {
	r := &reader{ctx: ctx, of: of, columns: columns, seesAll: seesAll}
	fields := make([]arrow.Field, len(columns))
	var caveats []api.Caveat
	for i, c := range columns {
		fields[i] = c.codec.field(c.Name)
		if c.codec.note != "" {
			caveats = append(caveats, api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: []string{c.Name}},
				Text: "column " + c.Name + ": " + c.codec.note})
		}
	}
	r.Begin(api.SchemaWith(fields, caveats), func() {
		r.shut()
		of.done()
	})
	if of.texts != nil {
		r.err = broken(ctx, errors.New("the rows came as JSON, and not as Arrow"), seesAll)
	}
	return r
}

// Next goes on to the next batch.
func (r *reader) Next() bool {
	r.Set(nil)
	for r.err == nil {
		switch {
		case r.ctx.Err() != nil:
			r.err = broken(r.ctx, r.ctx.Err(), r.seesAll)
		case r.stream == nil && r.part == len(r.of.batches):
			if r.total != r.of.rows {
				r.err = broken(r.ctx, fmt.Errorf("%d rows came, and %d were announced", r.total, r.of.rows), r.seesAll)
			}
			return false
		case r.stream == nil:
			if err := r.open(); err != nil {
				r.err = broken(r.ctx, err, r.seesAll)
			}
		case r.stream.Next():
			return r.next(r.stream.RecordBatch())
		default:
			err := r.stream.Err()
			if want := r.of.batches[r.part].rows; err == nil && r.came != want {
				err = fmt.Errorf("a part has %d rows, and not the %d that were announced", r.came, want)
			}
			if err != nil {
				r.err = broken(r.ctx, err, r.seesAll)
			}
			r.shut()
			r.part++
		}
	}
	return false
}

// open begins to read the next part.
func (r *reader) open() (err error) {
	r.came = 0
	if r.body, err = r.of.batches[r.part].open(r.ctx); err != nil {
		return err
	}
	r.stream, err = ipc.NewReader(r.body, ipc.WithAllocator(memory.NewGoAllocator()))
	if err == nil && r.stream.Schema().NumFields() != len(r.columns) {
		err = errors.New("the rows have other columns than those that were asked for")
	}
	return err
}

func (r *reader) shut() {
	if r.stream != nil {
		r.stream.Release()
		r.stream = nil
	}
	if r.body != nil {
		_ = r.body.Close() // of a part that is read or given up
		r.body = nil
	}
}

// next makes a batch of what came.
func (r *reader) next(came arrow.RecordBatch) bool {
	r.came += came.NumRows()
	r.total += came.NumRows()
	out := make([]arrow.Array, len(r.columns))
	defer func() {
		for _, a := range out {
			if a != nil {
				a.Release()
			}
		}
	}()
	for i, c := range r.columns {
		scale, _ := came.Schema().Field(i).Metadata.GetValue("scale")
		digits, _ := strconv.Atoi(scale)
		if out[i], r.err = c.convert(came.Column(i), digits); r.err != nil {
			return false
		}
	}
	r.Set(array.NewRecordBatch(r.Schema(), out, came.NumRows()))
	return true
}

// Err is the reason why Next returned false; nil at the end.
func (r *reader) Err() error { return r.err }

// convert gives values the type of the column. digits are those behind the point of a
// number, or behind the second of a time.
func (c column) convert(in arrow.Array, digits int) (arrow.Array, error) {
	if arrow.TypeEqual(in.DataType(), c.codec.typ) {
		in.Retain()
		return in, nil
	}
	value := numbers(in, digits)
	if value == nil {
		return nil, sourceError(api.KindUnexpectedAnswer,
			fmt.Sprintf("Snowflake sends column '%s' as %s", api.Clip(c.Name, 80), in.DataType()), "", nil)
	}
	b := array.NewBuilder(memory.DefaultAllocator, c.codec.typ)
	defer b.Release()
	b.Reserve(in.Len())
	time, isTime := in.(*array.Struct)
	for i := range in.Len() {
		if in.IsNull(i) || isTime && time.Field(0).IsNull(i) {
			b.AppendNull()
			continue
		}
		n, scale := value(i)
		if why := appendNumber(b, n, scale); why != "" {
			return nil, unreadable(c.Name, why)
		}
	}
	return b.NewArray(), nil
}

// numbers reads values as whole numbers with so many digits behind the point; nil if they
// are none. Times count seconds.
func numbers(in arrow.Array, digits int) func(int) (decimal128.Num, int32) {
	whole := func(of func(int) int64) func(int) (decimal128.Num, int32) {
		return func(i int) (decimal128.Num, int32) { return decimal128.FromI64(of(i)), int32(digits) }
	}
	switch a := in.(type) {
	case *array.Int8:
		return whole(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int16:
		return whole(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int32:
		return whole(func(i int) int64 { return int64(a.Value(i)) })
	case *array.Int64:
		return whole(a.Value)
	case *array.Decimal128:
		scale := a.DataType().(*arrow.Decimal128Type).Scale //nolint:forcetypeassert // as its array is
		if digits > 0 {
			scale = int32(digits)
		}
		return func(i int) (decimal128.Num, int32) { return a.Value(i), scale }
	case *array.Struct: // of a time: seconds since 1970, and nanoseconds
		epoch, ok := a.Field(0).(*array.Int64)
		fraction, ok2 := a.Field(min(1, a.NumField()-1)).(*array.Int32)
		if !ok || !ok2 {
			return nil
		}
		return func(i int) (decimal128.Num, int32) {
			if nanos := int64(fraction.Value(i)); nanos%1000 != 0 {
				return decimal128.FromI64(nanos), 9 // which does not fit
			}
			return decimal128.FromI64(epoch.Value(i)*1_000_000 + int64(fraction.Value(i))/1000), 6
		}
	}
	return nil
}

// appendNumber appends a number; it returns why that cannot be done.
func appendNumber(b array.Builder, n decimal128.Num, scale int32) (why string) {
	to, digits, what := int32(0), int32(38), "more digits than 64 bits hold"
	switch t := b.Type().(type) {
	case *arrow.Decimal128Type:
		to, digits, what = t.Scale, t.Precision, "more digits than its type has"
	case *arrow.TimestampType, *arrow.Time64Type:
		to, what = 6, "nanoseconds"
	}
	if scale != to {
		var err error
		if n, err = n.Rescale(scale, to); err != nil {
			return "it has " + what
		}
	}
	if _, wide := b.(*array.Decimal128Builder); !n.FitsInPrecision(digits) || !wide && n != decimal128.FromI64(int64(n.LowBits())) {
		return "it has " + what
	}
	switch b := b.(type) {
	case *array.Decimal128Builder:
		b.Append(n)
	case *array.Int64Builder:
		b.Append(int64(n.LowBits()))
	case *array.TimestampBuilder:
		b.Append(arrow.Timestamp(n.LowBits()))
	case *array.Time64Builder:
		b.Append(arrow.Time64(n.LowBits()))
	default:
		return "it is a number"
	}
	return ""
}
