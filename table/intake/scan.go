package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/infer"
)

// Rows yields the records of a file in order, as delimited.Reader does.
type Rows interface {
	Next(b *delimited.Batch) error
}

// each hands every batch of rows to f, reading ahead in a goroutine of its own
// that has ended when each returns.
func each(ctx context.Context, rows Rows, f func(*delimited.Batch) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	const ahead = 3
	free, full := make(chan *delimited.Batch, ahead), make(chan *delimited.Batch, ahead)
	for range ahead {
		free <- &delimited.Batch{}
	}
	var readErr error
	go func() {
		defer close(full)
		for {
			select {
			case <-ctx.Done():
				return
			case b := <-free:
				if err := rows.Next(b); err != nil {
					if !errors.Is(err, io.EOF) {
						readErr = err
					}
					return
				}
				full <- b
			}
		}
	}()
	var err error
	for b := range full {
		if err != nil {
			continue // only to let the reader end
		}
		if err = f(b); err != nil {
			cancel()
		}
		free <- b
	}
	if err == nil {
		err = readErr
	}
	if err == nil {
		err = ctx.Err()
	}
	return err
}

// maxColumns bounds the columns that overlong records may add.
const maxColumns = 16384

// evidence gathers what all records say.
type evidence struct {
	n        int // the usual number of fields
	cols     []*infer.Column
	names    []string // of the header, for reports
	rows     int64
	problems Problems
	header   bool // the next record is the header
	pending  []pendingRow
	lastLine int64 // on which the last full record ended
}

// pendingRow is a record of one field near the end of the file: a remark, or a
// record that was cut.
type pendingRow struct {
	text   string
	quoted bool
	line   int64
	gap    bool // a blank line stands before it
}

func newEvidence(n int, names []string, header bool) *evidence {
	e := &evidence{n: n, names: names, header: header}
	for range n {
		e.cols = append(e.cols, &infer.Column{})
	}
	return e
}

// add takes the next batch.
func (e *evidence) add(b *delimited.Batch) error {
	from := 0
	if e.header && b.Len() > 0 {
		e.header = false
		from = 1
	}
	if b.Len() == from {
		return nil
	}
	uniform := true
	for i := from; i < b.Len(); i++ {
		if b.Mended(i) {
			e.problems.add(&e.problems.Mended, Problem{Line: b.Line(i), Reason: "a quote in the wrong place was mended"})
		}
		if len(b.Record(i)) != e.n {
			uniform = false
		}
	}
	if uniform {
		e.flush()
		e.addColumns(b, from)
	} else {
		for i := from; i < b.Len(); i++ {
			e.addRecord(b, i)
		}
	}
	last := b.Len() - 1
	if len(b.Record(last)) == e.n {
		e.lastLine = b.Line(last) + int64(newlines(b, last))
	}
	return nil
}

// addColumns takes records that all have the usual number of fields.
func (e *evidence) addColumns(b *delimited.Batch, from int) {
	for j := range e.n {
		c := e.cols[j]
		for i := from; i < b.Len(); i++ {
			f := b.Record(i)[j]
			c.Add(b.Bytes(f), f.Quoted(), b.Line(i))
		}
	}
	n := int64(b.Len() - from)
	for _, c := range e.cols[e.n:] {
		c.Skip(n)
	}
	e.rows += n
}

// addRecord takes one record of any length.
func (e *evidence) addRecord(b *delimited.Batch, i int) {
	rec := b.Record(i)
	if len(rec) == 1 && e.n > 1 && len(e.pending) < 20 {
		text := string(b.Bytes(rec[0]))
		gap := len(e.pending) > 0 && e.pending[0].gap || e.lastLine > 0 && b.Line(i) > e.lastLine+1
		e.pending = append(e.pending, pendingRow{text, rec[0].Quoted(), b.Line(i), gap})
		return
	}
	e.flush()
	e.widen(b, i)
	for j, c := range e.cols {
		if j < len(rec) {
			c.Add(b.Bytes(rec[j]), rec[j].Quoted(), b.Line(i))
		} else {
			c.Skip(1)
		}
	}
	e.rows++
	if len(rec) < e.n {
		e.short(b.Line(i), len(rec))
	}
	e.lastLine = b.Line(i) + int64(newlines(b, i))
}

func (e *evidence) short(line int64, n int) {
	e.problems.add(&e.problems.Short, Problem{Line: line, Reason: fmt.Sprintf("%d fields instead of %d: the rest is null", n, e.n)})
}

// widen adds columns for the fields of a record that has too many, unless
// those are all empty.
func (e *evidence) widen(b *delimited.Batch, i int) {
	rec := b.Record(i)
	used := len(rec)
	for used > e.n && rec[used-1].Empty() && !rec[used-1].Quoted() {
		used--
	}
	if used <= e.n {
		return
	}
	used = min(used, maxColumns)
	e.problems.add(&e.problems.Long, Problem{
		Line: b.Line(i), Reason: fmt.Sprintf("%d fields instead of %d: columns were added for the rest", used, e.n),
	})
	for len(e.cols) < used {
		c := &infer.Column{}
		c.Skip(e.rows)
		e.cols = append(e.cols, c)
	}
}

// flush takes the pending records for data after all.
func (e *evidence) flush() {
	for _, p := range e.pending {
		e.cols[0].Add([]byte(p.text), p.quoted, p.line)
		for _, c := range e.cols[1:] {
			c.Skip(1)
		}
		e.rows++
		e.short(p.line, 1)
	}
	e.pending = e.pending[:0]
}

// finish decides about the pending records and returns the remarks among them.
func (e *evidence) finish() (footer []string) {
	if len(e.pending) > 0 {
		p := e.pending[0]
		if p.gap || e.n > 2 && remark(p.text) {
			for _, p := range e.pending {
				footer = append(footer, p.text)
			}
			e.pending = nil
		}
	}
	e.flush()
	return footer
}

// remark reports whether a lone field is a sentence rather than a value.
func remark(s string) bool {
	if infer.LookAt([]byte(s)) != infer.LooksText {
		return false
	}
	return strings.ContainsAny(strings.TrimSpace(s), " :") || strings.Trim(s, "-=*_") == ""
}

func newlines(b *delimited.Batch, i int) int {
	n := 0
	for _, f := range b.Record(i) {
		if f.Quoted() {
			n += bytes.Count(b.Bytes(f), []byte{'\n'})
		}
	}
	return n
}
