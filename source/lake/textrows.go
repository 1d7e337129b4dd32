package lake

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/table/intake"
)

// textRows yields the rows of files of a table of delimited text: their own columns as c0, c1, …, and the partitions' values as texts h0, h1, ….
type textRows struct {
	recordreader.Base
	ctx   context.Context //nolint:containedctx // RecordReader.Next has no parameter for it
	lake  *Lake
	table *table
	files []file

	first int64 // how many rows are left to read, if limited
	next  int   // of files
	file  *intake.File
	rows  *intake.Reader // of file; nil: no file is open
	err   error
}

var _ array.RecordReader = (*textRows)(nil)

func newTextRows(ctx context.Context, l *Lake, t *table, files []file, first int64) *textRows {
	if first == 0 {
		first = math.MaxInt64
	}
	r := &textRows{ctx: ctx, lake: l, table: t, files: files, first: first}
	var fields []arrow.Field
	for _, p := range t.profiles {
		if len(p.Columns) == 0 {
			continue
		}
		for i, f := range p.Schema().Fields() {
			f.Name = fmt.Sprintf("c%d", i)
			fields = append(fields, f)
		}
		break
	}
	for i := range t.set.keys {
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("h%d", i), Type: arrow.BinaryTypes.String, Nullable: true})
	}
	r.Begin(arrow.NewSchema(fields, nil), r.free)
	return r
}

// Next implements array.RecordReader.
func (r *textRows) Next() bool {
	r.Set(nil)
	for r.err == nil && r.first > 0 {
		if r.rows == nil && !r.begin() {
			return false
		}
		if r.rows.Next() {
			b := r.rows.RecordBatch()
			b = b.NewSlice(0, min(b.NumRows(), r.first))
			r.first -= b.NumRows()
			r.Set(r.batch(b))
			b.Release()
			return true
		}
		r.err = errors.Join(r.rows.Err(), r.end())
	}
	return false
}

// begin advances to the next file with rows.
func (r *textRows) begin() bool {
	for r.next < len(r.files) && r.profile().Rows == 0 {
		r.next++
	}
	if r.next == len(r.files) {
		return false
	}
	if r.file, r.err = r.lake.intake(r.files[r.next]); r.err != nil {
		return false
	}
	if r.rows, r.err = r.file.Load(r.ctx, r.profile()); r.err != nil {
		_ = r.file.Close() // only read
		return false
	}
	r.next++
	return true
}

// profile is that of the next file.
func (r *textRows) profile() *intake.Profile { return r.table.profiles[r.files[r.next].index] }

// end closes the file. A value that does not fit any more is an error.
func (r *textRows) end() error {
	var err error
	if _, places := r.rows.Misfits(); len(places) > 0 {
		err = misfitAt(r.files[r.next-1].rel, places[0])
	}
	r.rows.Release()
	r.rows = nil
	return errors.Join(err, r.file.Close())
}

// misfitAt is the error for a cell that does not fit its column's type. It does
// not quote the cell, which only callers who see all of the table may see.
func misfitAt(rel string, at intake.Problem) error {
	return &api.Error{Code: api.CodeQueryFailed, Message: fmt.Sprintf("%s line %d does not fit the columns of the table: column %q is %s",
		rel, at.Line, at.Column, at.Reason),
		Hint: "If the file was changed, ask again. Else give the column another type, with the key types of the table in the instance file: string keeps every cell, and TRY_CAST in a query converts those that fit.", Details: map[string]any{"file": rel, "line": at.Line}}
}

// batch adds the partitions' values to a batch of the file.
func (r *textRows) batch(b arrow.RecordBatch) arrow.RecordBatch {
	cols := append([]arrow.Array{}, b.Columns()...)
	for _, value := range r.files[r.next-1].hive {
		text, ok := hiveValue(value)
		bld := array.NewStringBuilder(memory.DefaultAllocator)
		for range b.NumRows() {
			if ok {
				bld.Append(text)
			} else {
				bld.AppendNull()
			}
		}
		cols = append(cols, bld.NewArray())
		bld.Release()
	}
	out := array.NewRecordBatch(r.Schema(), cols, b.NumRows())
	for _, c := range cols[b.NumCols():] {
		c.Release()
	}
	return out
}

// Err implements array.RecordReader.
func (r *textRows) Err() error { return r.err }

// free closes an open file.
func (r *textRows) free() {
	if r.rows != nil {
		r.rows.Release()
		_ = r.file.Close() // only read
	}
}
