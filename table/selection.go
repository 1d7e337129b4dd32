package table

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/statement"
)

// Selection is a whole result that is read on demand.
type Selection struct {
	Batches array.RecordReader // released by Close
	Caveats []api.Caveat

	closers []func()
}

// Rows returns the rows with their caveats.
func (s *Selection) Rows() api.Rows {
	return api.WithCaveats(s.Batches, func() []api.Caveat { return s.Caveats })
}

// Close ends the reading.
func (s *Selection) Close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
	s.closers = nil
}

// Select is Query for all rows from the window's first on, however many there
// are. A Timeout of 0 means no limit, because the time depends on the reader.
// carried says that the rows go to a format with Arrow's types.
func (t *Tables) Select(ctx context.Context, r QueryRequest, carried bool) (*Selection, error) {
	ctx, cancel := limitTime(ctx, r.Timeout, -1)
	q, err := t.prepare(ctx, r.Source, r.Tables, r.Query, limits{memory: r.MemoryLimit, threads: 1})
	if err != nil {
		cancel()
		return nil, timedOut(ctx, err)
	}
	s := &Selection{Caveats: q.caveats, closers: []func(){cancel, q.Close}}
	return s, s.start(ctx, q.session, q.sel.SQL, q.sel, carried, r.WindowOffset)
}

// Pick is Rows for a result of any length.
func (t *Tables) Pick(ctx context.Context, r RowsRequest, carried bool) (*Selection, error) {
	if r.RowStart < 1 || r.RowCount < 0 {
		return nil, badWindow(r)
	}
	ctx, cancel := limitTime(ctx, r.Timeout, -1)
	s := &Selection{closers: []func(){cancel}}
	l, err := t.examine(ctx, r.Source)
	if err != nil {
		s.Close()
		return nil, timedOut(ctx, err)
	}
	s.Caveats, s.closers = Caveats(l.profile()), append(s.closers, l.Close)
	r.RowCount = min(r.RowCount, max(l.profile().Rows-r.RowStart+1, 0))
	columns, err := chooseColumns(l, r.Columns)
	if err != nil {
		s.Close()
		return nil, err
	}
	l.only(columns)
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	if len(names) == 0 {
		s.Batches, err = array.NewRecordReader(arrow.NewSchema(nil, nil), nil)
		return s, err
	}
	session, err := t.session(ctx, map[string]*looked{dataTable: l}, limits{})
	if err != nil {
		s.Close()
		return nil, timedOut(ctx, err)
	}
	s.closers = append(s.closers, session.Close)
	return s, s.start(ctx, session, rowsSQL(l, names, r), nil, carried, 0)
}

// start runs the statement, which sel is if it is the user's; if that fails, it
// closes the selection.
func (s *Selection) start(ctx context.Context, in *session, sql string, sel *statement.Select, carried bool, skip int64) error {
	run := sql
	explain := func(err error) error { return queryError(ctx, sel, duckdb.Within(run, sql, err)) }
	err := func() error {
		cast := in.conn.Legible
		if carried {
			cast = in.conn.Carry
		}
		given, warned, err := cast(ctx, sql)
		if err != nil {
			return err
		}
		run, s.Caveats = given, append(s.Caveats, api.CaveatsOf(api.CaveatNarrowed, warned...)...)
		rows, err := in.conn.Query(ctx, run)
		if err != nil {
			return err
		}
		s.closers = append(s.closers, rows.Release)
		s.Batches = &behind{RecordReader: explained{rows, explain}, skip: skip}
		return nil
	}()
	if err != nil {
		err = explain(err) // before Close ends ctx: a context that has ended explains every error
		s.Close()
	}
	return err
}

// behind is a result without its first rows.
type behind struct {
	array.RecordReader
	skip int64
	cur  arrow.RecordBatch
}

// Next implements array.RecordReader.
func (b *behind) Next() bool {
	if b.cur != nil {
		b.cur.Release()
		b.cur = nil
	}
	for b.RecordReader.Next() {
		rec := b.RecordReader.RecordBatch()
		if n := rec.NumRows(); n <= b.skip {
			b.skip -= n
			continue
		}
		b.cur, b.skip = rec.NewSlice(b.skip, rec.NumRows()), 0
		return true
	}
	return false
}

// RecordBatch implements array.RecordReader.
func (b *behind) RecordBatch() arrow.RecordBatch { return b.cur }

// Record implements array.RecordReader.
func (b *behind) Record() arrow.RecordBatch { return b.cur }
