package table

import (
	"context"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
)

// Stream is the rows of a file, in its order, for a caller that stores them.
type Stream struct {
	Batches array.RecordReader // released by Close
	Rows    int64              // the expected number of rows
	Hash    string             // of the file's bytes: xxh3-128, hex
	Caveats []api.Caveat
	Dated   []api.Column // columns with dates, and the order in which the file has these

	closers []func()
}

// Close ends the reading.
func (s *Stream) Close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
	s.closers = nil
}

// Stream starts reading all rows of a file. The caller closes the stream, and
// checks Batches.Err at its end.
func (t *Tables) Stream(ctx context.Context, src Source) (*Stream, error) {
	l, err := t.examine(ctx, src)
	if err != nil {
		return nil, err
	}
	p := l.profile()
	s := &Stream{Rows: p.Rows, Hash: l.entry.Head.Hash, Caveats: Caveats(p), closers: []func(){l.Close}}
	if len(p.Columns) == 0 {
		s.Close()
		return nil, noTable(src)
	}
	for _, c := range p.Columns {
		if dated := c.Dated(api.Column{Name: c.Name}); dated.DateOrder != "" {
			s.Dated = append(s.Dated, dated)
		}
	}
	if l.file.Ours() {
		rows, err := l.file.Load(ctx, p)
		if err != nil {
			s.Close()
			return nil, t.explain(src.Path, err)
		}
		s.Batches = explained{rows, func(err error) error { return t.explain(src.Path, err) }}
		s.closers = append(s.closers, rows.Release)
		return s, nil
	}
	session, err := t.session(ctx, map[string]*looked{dataTable: l}, limits{threads: 1})
	if err != nil {
		s.Close()
		return nil, err
	}
	s.closers = append(s.closers, session.Close)
	// Cast types that neither Arrow nor parquet has.
	sql, warned, err := session.conn.Carry(ctx, "SELECT * FROM "+relation(l, "f0"))
	if err != nil {
		s.Close()
		return nil, queryError(ctx, nil, err)
	}
	s.Caveats = append(s.Caveats, api.CaveatsOf(api.CaveatNarrowed, warned...)...)
	rows, err := session.conn.Query(ctx, sql)
	if err != nil {
		s.Close()
		return nil, queryError(ctx, nil, err)
	}
	s.Batches = explained{rows, func(err error) error { return queryError(ctx, nil, err) }}
	s.closers = append(s.closers, rows.Release)
	return s, nil
}

// explained are rows whose errors are in the terms of the contract.
type explained struct {
	array.RecordReader
	explain func(error) error
}

// Err implements array.RecordReader.
func (e explained) Err() error {
	if err := e.RecordReader.Err(); err != nil {
		return e.explain(err)
	}
	return nil
}

// noTable says that a file holds no columns, so that there is nothing to store.
func noTable(src Source) error {
	return &api.Error{Code: api.CodeReadFailed, Message: "there is no table in " + src.Path, Hint: "It takes at least a line of column names.",
		Next: []api.Step{api.Do(api.ActionMap, "see how it was read", "path", src.Path)}}
}
