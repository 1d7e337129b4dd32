package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/internal/rows/wholestream"
	"github.com/agnes-data/da/source"
)

// reader gives the batches of a statement the names and types that they were asked for.
type reader struct {
	recordreader.Base
	ctx     context.Context //nolint:containedctx // of the scan that it belongs to
	a       *answer
	stream  *ipc.Reader
	columns []column
	left    int64 // rows that may still come; negative: any number
	seesAll bool
	err     error
}

var _ array.RecordReader = (*reader)(nil)

// newReader returns a reader that owns the answer, unless there is an error.
func newReader(ctx context.Context, a *answer, columns []column, limit *int64, seesAll bool) (*reader, error) {
	r := &reader{ctx: ctx, a: a, columns: columns, seesAll: seesAll, left: -1}
	if limit != nil {
		r.left = max(*limit, 0)
	}
	var err error
	if r.stream, err = wholestream.New(a.Body, wholestream.Nothing); err != nil {
		return nil, broken(ctx, a.because(err), seesAll)
	}
	if r.stream.Schema().NumFields() != len(columns) {
		return nil, broken(ctx, errors.New("the rows have other columns than those that were asked for"), seesAll)
	}
	fields := make([]arrow.Field, len(columns))
	var caveats []api.Caveat
	for i, c := range columns {
		if fields[i], err = c.field(r.stream.Schema().Field(i)); err != nil {
			return nil, err
		}
		if c.codec.note != "" {
			caveats = append(caveats, api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: []string{c.Name}},
				Text: "column " + c.Name + ": " + c.codec.note})
		}
	}
	r.Begin(api.SchemaWith(fields, caveats), r.free)
	return r, nil
}

// field is the column's field in place of the one that came.
func (c column) field(came arrow.Field) (arrow.Field, error) {
	f := arrow.Field{Name: c.Name, Type: came.Type, Nullable: true}
	if x, ok := came.Type.(arrow.ExtensionType); ok {
		f.Type = x.StorageType()
		f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{x.ExtensionName(), x.Serialize()})
	} else if name, ok := came.Metadata.GetValue("ARROW:extension:name"); ok {
		f.Metadata = arrow.NewMetadata([]string{"ARROW:extension:name", "ARROW:extension:metadata"}, []string{name, ""})
	}
	switch {
	case c.codec.bytes:
		f.Type = arrow.BinaryTypes.Binary
	case c.codec.nanos:
		f.Type = &arrow.TimestampType{Unit: arrow.Nanosecond}
	}
	if f.Type.ID() != came.Type.ID() && f.Metadata.Len() == 0 && !(c.codec.bytes && came.Type.ID() == arrow.STRING) {
		return f, sourceError(api.KindUnsupportedServer, fmt.Sprintf("the database sends column '%s' as %s", api.Clip(c.Name, 80), came.Type),
			supported, nil)
	}
	return f, nil
}

// Next goes on to the next batch.
func (r *reader) Next() bool {
	r.Set(nil)
	if r.err != nil || r.a.ended {
		return false
	}
	if !r.stream.Next() {
		if err := r.stream.Err(); err != nil {
			r.err = broken(r.ctx, r.a.because(err), r.seesAll)
			return false
		}
		r.a.end()
		return false
	}
	came := r.stream.RecordBatch()
	if n := came.NumRows(); r.left >= 0 && n > r.left {
		r.err = broken(r.ctx, errors.New("there are more rows than were asked for"), r.seesAll)
		return false
	} else if r.left >= 0 {
		r.left -= n
	}
	batch, err := r.named(came)
	if err != nil {
		r.err = err
		return false
	}
	r.Set(batch)
	return true
}

// named gives a batch the schema of the reader, over the same memory.
func (r *reader) named(came arrow.RecordBatch) (arrow.RecordBatch, error) {
	columns := make([]arrow.Array, came.NumCols())
	defer func() {
		for _, c := range columns {
			if c != nil {
				c.Release()
			}
		}
	}()
	for i := range columns {
		d := came.Column(i).Data()
		of := array.NewData(r.Schema().Field(i).Type, d.Len(), d.Buffers(), d.Children(), d.NullN(), d.Offset())
		columns[i] = array.MakeFromData(of)
		of.Release()
		if err := valid(columns[i]); err != nil {
			return nil, source.Unreadable(r.columns[i].Name, err, true)
		}
	}
	return array.NewRecordBatch(r.Schema(), columns, came.NumRows()), nil
}

// valid says which value of an array means something else in DuckDB: texts are bytes in the engine.
func valid(a arrow.Array) error {
	switch a := a.(type) {
	case *array.String:
		if utf8.Valid(a.ValueBytes()) && starts(a) {
			return nil
		}
		return errors.New("the text is not valid UTF-8")
	case *array.Timestamp:
		if a.DataType().(*arrow.TimestampType).Unit == arrow.Nanosecond && slices.Contains(a.TimestampValues(), math.MaxInt64) {
			return errors.New("the last nanosecond of 2262 that can be stored means infinity in DuckDB")
		}
	case *array.Struct:
		for i := range a.NumField() {
			if err := valid(a.Field(i)); err != nil {
				return err
			}
		}
	case array.ListLike:
		return valid(a.ListValues())
	}
	return nil
}

// starts reports whether each text begins where a character does.
func starts(a *array.String) bool {
	all := a.ValueBytes()
	from := 0
	if a.Len() > 0 {
		from = a.ValueOffset(0)
	}
	for i := range a.Len() {
		if at := a.ValueOffset(i) - from; at < len(all) && !utf8.RuneStart(all[at]) {
			return false
		}
	}
	return true
}

// Err is the reason why Next returned false; nil at the end.
func (r *reader) Err() error { return r.err }

// free stops the statement if it still runs.
func (r *reader) free() {
	r.stream.Release()
	r.a.stop()
}
