package intake

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal128"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/internal/rows/format"
	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/infer"
)

// Schema returns the Arrow types of the profile's columns. Integers of more than
// 64 bits become decimals with 38 digits.
func (p *Profile) Schema() *arrow.Schema {
	fields := make([]arrow.Field, len(p.Columns))
	for i, c := range p.Columns {
		fields[i] = arrow.Field{Name: c.Name, Type: arrowType(c.Decision), Nullable: true}
		if c.Type == infer.JSON {
			fields[i].Metadata = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{"arrow.json", ""})
		}
	}
	return arrow.NewSchema(fields, nil)
}

func arrowType(d infer.Decision) arrow.DataType {
	switch d.Type {
	case infer.Integer:
		if d.Precision > 18 {
			return &arrow.Decimal128Type{Precision: 38}
		}
		return arrow.PrimitiveTypes.Int64
	case infer.Decimal:
		return &arrow.Decimal128Type{Precision: int32(d.Precision), Scale: int32(d.Scale)}
	case infer.Float:
		return arrow.PrimitiveTypes.Float64
	case infer.Boolean:
		return arrow.FixedWidthTypes.Boolean
	case infer.Date:
		return arrow.FixedWidthTypes.Date32
	case infer.Time:
		return arrow.FixedWidthTypes.Time64us
	case infer.Timestamp:
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	case infer.TimestampTZ:
		return &arrow.TimestampType{Unit: arrow.Microsecond, TimeZone: "UTC"}
	}
	return arrow.BinaryTypes.String
}

// Reader yields the rows of a file as Arrow batches, in file order.
type Reader struct {
	recordreader.Base
	profile *Profile
	batches chan arrow.RecordBatch
	cancel  context.CancelFunc
	done    chan struct{}
	err     error // set before batches is closed

	misfits  []int64   // by column, of forced types; complete when the stream has ended
	problems []Problem // the first of them
}

var _ array.RecordReader = (*Reader)(nil)

// Load reads the file again, as p says. The caller releases the reader before
// it closes the file.
func (f *File) Load(ctx context.Context, p *Profile) (*Reader, error) {
	rows, done, err := f.rows(ctx, p)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	r := &Reader{
		profile: p, cancel: cancel,
		batches: make(chan arrow.RecordBatch, 2), done: make(chan struct{}), misfits: make([]int64, len(p.Columns)),
	}
	r.Begin(p.Schema(), r.free)
	go func() {
		defer close(r.done)
		defer close(r.batches)
		defer func() { _ = done() }() // nothing was written there
		r.err = r.run(ctx, rows)
	}()
	return r, nil
}

// rows starts reading the records of any file that is not the engine's to read.
func (f *File) rows(ctx context.Context, p *Profile) (Rows, func() error, error) {
	if p.Kind == format.Sheet {
		return f.sheetRows(ctx, p)
	}
	return f.textRows(ctx, p)
}

func (r *Reader) run(ctx context.Context, rows Rows) error {
	left := r.profile.Rows
	heads := r.profile.HeaderRows
	err := eachBatch(ctx, rows, func(b *delimited.Batch) error {
		from := min(heads, b.Len())
		heads -= from
		to := int(min(int64(b.Len()), int64(from)+left))
		if to <= from {
			return nil
		}
		left -= int64(to - from)
		rec := r.convert(b, from, to)
		select {
		case r.batches <- rec:
			return nil
		case <-ctx.Done():
			rec.Release()
			return ctx.Err()
		}
	})
	if err == nil && left > 0 {
		return fmt.Errorf("the file changed while it was read: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// convert converts the records from..to into one Arrow batch.
func (r *Reader) convert(b *delimited.Batch, from, to int) arrow.RecordBatch {
	cols := make([]arrow.Array, len(r.profile.Columns))
	for j := range cols {
		c := &r.profile.Columns[j]
		cols[j] = r.column(b, from, to, j, c)
	}
	rec := array.NewRecordBatch(r.Schema(), cols, int64(to-from))
	for _, c := range cols {
		c.Release()
	}
	return rec
}

// column converts one column cell by cell. A cell that does not fit a forced type
// becomes null and is counted.
func (r *Reader) column(b *delimited.Batch, from, to, j int, c *Column) arrow.Array {
	bld := array.NewBuilder(memory.DefaultAllocator, r.Schema().Field(j).Type)
	defer bld.Release()
	bld.Reserve(to - from)
	put := putter(bld, &c.Decision)
	if s, ok := bld.(*array.StringBuilder); ok {
		s.ReserveData((to - from) * min(c.MaxLen, 16))
	}
	at := r.profile.field(j)
	for i := from; i < to; i++ {
		rec := b.Record(i)
		if at >= len(rec) {
			bld.AppendNull()
			continue
		}
		f := rec[at]
		cell := b.Bytes(f)
		if c.Missing(cell, f.Quoted()) {
			bld.AppendNull()
			continue
		}
		if !put(cell) {
			bld.AppendNull()
			r.misfit(b.Line(i), j, cell)
		}
	}
	return bld.NewArray()
}

func (r *Reader) misfit(line int64, j int, cell []byte) {
	c := r.profile.Columns[j]
	if r.misfits[j]++; r.misfits[j] <= maxProblems {
		r.problems = append(r.problems, Problem{
			Kind: Misfit, Line: line, Column: c.Name, Reason: "not " + article(c.Type) + ": read as null", Text: clipText(cell),
		})
	}
}

func clipText(cell []byte) string {
	if len(cell) > 60 {
		return string(cell[:60]) + "…"
	}
	return string(cell)
}

// putter returns a function that appends a cell's value to a builder; it returns
// false if the cell does not fit.
func putter(bld array.Builder, d *infer.Decision) func([]byte) bool {
	switch b := bld.(type) {
	case *array.Int64Builder:
		return func(s []byte) bool {
			v, ok := d.Int(s)
			if ok {
				b.UnsafeAppend(v)
			}
			return ok
		}
	case *array.Decimal128Builder:
		return func(s []byte) bool {
			v, ok := d.Decimal(s)
			if ok {
				b.UnsafeAppend(decimal128.New(v.High, v.Low))
			}
			return ok
		}
	case *array.Float64Builder:
		return func(s []byte) bool {
			v, ok := d.Float(s)
			if ok {
				b.UnsafeAppend(v)
			}
			return ok
		}
	case *array.BooleanBuilder:
		return func(s []byte) bool {
			v, ok := d.Bool(s)
			if ok {
				b.UnsafeAppend(v)
			}
			return ok
		}
	case *array.StringBuilder:
		return func(s []byte) bool {
			b.BinaryBuilder.Append(s)
			return true
		}
	}
	return timePutter(bld, d)
}

// timePutter is putter for dates and times.
func timePutter(bld array.Builder, d *infer.Decision) func([]byte) bool {
	switch b := bld.(type) {
	case *array.Date32Builder:
		return func(s []byte) bool {
			v, ok := d.Days(s)
			if ok {
				b.UnsafeAppend(arrow.Date32(v))
			}
			return ok
		}
	case *array.Time64Builder:
		return func(s []byte) bool {
			v, ok := d.Clock(s)
			if ok {
				b.UnsafeAppend(arrow.Time64(v))
			}
			return ok
		}
	}
	b := bld.(*array.TimestampBuilder) // arrowType returns no other type
	return func(s []byte) bool {
		v, ok := d.Micros(s)
		if ok {
			b.UnsafeAppend(arrow.Timestamp(v))
		}
		return ok
	}
}

// Misfits returns, for each column, how many cells did not fit a forced type, and
// the first such cells. Call it after the end of the stream.
func (r *Reader) Misfits() ([]int64, []Problem) {
	<-r.done
	return r.misfits, r.problems
}

// Next implements array.RecordReader.
func (r *Reader) Next() bool {
	r.Set(nil)
	rec, ok := <-r.batches
	r.Set(rec)
	return ok
}

// Err implements array.RecordReader.
func (r *Reader) Err() error {
	select {
	case <-r.done:
		return r.err
	default:
		return nil
	}
}

// free stops the reading.
func (r *Reader) free() {
	r.cancel()
	for rec := range r.batches {
		rec.Release()
	}
	<-r.done
}
