package trino

import (
	"context"
	"errors"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/recordreader"
	"github.com/agnes-data/da/source"
)

// maxBatchRows bounds a batch; one that is full is handed on before its page is read to
// its end.
const maxBatchRows = 8192

// reader makes batches of the pages of a statement.
type reader struct {
	recordreader.Base
	ctx     context.Context //nolint:containedctx // of the scan that it belongs to
	c       *conversation
	columns []column
	seesAll bool

	builder *array.RecordBuilder
	values  []appender
	full    []arrow.RecordBatch // that a page made, and Next has not handed on
	came    int64               // rows
	// segments are those of the last page that have not been read.
	segments []segment
	err      error
}

var _ array.RecordReader = (*reader)(nil)

// newReader returns a reader that owns the conversation, unless there is an error.
func newReader(ctx context.Context, c *conversation, first page, columns []column, seesAll bool) (*reader, error) {
	r := &reader{ctx: ctx, c: c, columns: columns, seesAll: seesAll, segments: first.segments}
	if len(first.columns) != len(columns) {
		return nil, broken(ctx, errors.New("the rows have other columns than those that were asked for"), seesAll)
	}
	fields := make([]arrow.Field, len(columns))
	var caveats []api.Caveat
	for i, c := range columns {
		fields[i] = c.codec.field(c.Name)
		if c.codec.note != "" {
			caveats = append(caveats, api.Caveat{Kind: api.CaveatNarrowed, About: api.Subject{Columns: []string{c.Name}},
				Text: "column " + c.Name + ": " + c.codec.note})
		}
		if came := codecOf(first.columns[i].typ); c.codec.base == "" && c.codec.cast == "" &&
			(came.typ == nil || !arrow.TypeEqual(came.typ, c.codec.typ)) {
			return nil, &api.Error{Code: api.CodeQueryFailed, Kind: api.KindSchemaChanged,
				Message: fmt.Sprintf("column '%s' is now a %s", api.Clip(c.Name, 80), api.Clip(first.columns[i].typ, 80))}
		}
	}
	r.Begin(api.SchemaWith(fields, caveats), r.free)
	r.builder = array.NewRecordBuilder(memory.DefaultAllocator, r.Schema())
	for _, b := range r.builder.Fields() {
		r.values = append(r.values, appenderOf(b))
	}
	if first.rows != nil {
		r.err = r.rows(first.rows)
	}
	c.rows = r.rows
	return r, nil
}

// rows reads the rows of a page.
func (r *reader) rows(s *scanner) error {
	at, n := 0, 0
	err := s.each(func(int) error {
		err := s.each(func(i int) error {
			if at = i; i >= len(r.values) {
				return errJSON
			}
			s.peek()
			return r.values[i](s)
		})
		if err == nil && at != len(r.values)-1 {
			err = errJSON
		}
		r.came++
		if n++; err == nil && n == maxBatchRows {
			n = 0
			r.full = append(r.full, r.builder.NewRecordBatch())
		}
		return err
	})
	switch {
	case errors.Is(err, errJSON):
		return err
	case err != nil:
		return source.Unreadable(r.columns[min(at, len(r.columns)-1)].Name, err, r.seesAll)
	case n > 0:
		r.full = append(r.full, r.builder.NewRecordBatch())
	}
	return nil
}

// Next goes on to the next batch.
func (r *reader) Next() bool {
	r.Set(nil)
	for r.err == nil {
		if len(r.full) > 0 {
			r.Set(r.full[0])
			r.full = r.full[1:]
			return true
		}
		var err error
		switch {
		case len(r.segments) > 0:
			err = r.segment()
		case r.c.next == "":
			return false
		default:
			var p page
			p, err = r.c.page()
			r.segments = p.segments
		}
		if err != nil {
			r.err = broken(r.ctx, err, r.seesAll)
		}
	}
	return false
}

// Err is the reason why Next returned false; nil at the end.
func (r *reader) Err() error { return r.err }

// free stops the statement if it still runs.
func (r *reader) free() {
	for _, batch := range r.full {
		batch.Release()
	}
	r.builder.Release()
	r.c.stop()
}
