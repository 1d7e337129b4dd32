package intake

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/table/delimited"
	"github.com/agnes-data/da/table/dialect"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/jsonrows"
)

// Rows yields the records of a file in order, as delimited.Reader does.
type Rows interface {
	Next(b *delimited.Batch) error
}

// eachBatch calls f for every batch of rows, reading ahead in a goroutine that has
// ended when each returns.
func eachBatch(ctx context.Context, rows Rows, f func(*delimited.Batch) error) error {
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

// evidence collects information from all records.
type evidence struct {
	n        int // the usual number of fields
	file     int // which of the files that are one table
	cols     []*infer.Column
	names    []string // from the header, for messages
	start    []string // the first record
	rows     int64
	problems Problems
	totals   totals
	sums     Sums
	heads    int  // records of the header that are still to come
	sheet    bool // rows of a sheet: a single filled cell is not unusual
	first    int  // characters of the first column of an aligned text, in which a single field is not unusual either
	pending  []pendingRow
	lastLine int64    // on which the last record ended
	tooWide  error    // about the first record with too many fields; may be nil
	another  *Problem // where another table begins: what follows is none of this one's; may be nil
	whole    bool     // all records are of the table
	repeats  []int64  // lines on which the header is repeated, in the last batch
	plain    bool     // the text has no quotes, by its dialect
}

func newEvidence(n int, names []string, heads int) *evidence {
	e := &evidence{n: n, names: names, heads: heads}
	for range n {
		e.cols = append(e.cols, &infer.Column{})
	}
	return e
}

// add takes the next batch.
func (e *evidence) add(b *delimited.Batch) error {
	if e.another != nil {
		return nil
	}
	e.repeats = append(e.repeats[:0], b.Repeats...)
	for _, line := range b.Repeats {
		e.problems.add(&e.problems.Repeats, Problem{Kind: Repeat, Line: line, Reason: "the header is repeated here: left out"})
	}
	if e.start == nil && b.Len() > 0 {
		for _, f := range b.Record(0) {
			e.start = append(e.start, string(b.Bytes(f)))
		}
	}
	from := min(e.heads, b.Len())
	e.heads -= from
	if b.Len() == from {
		return nil
	}
	if e.plain {
		e.openQuotes(b, from)
	}
	uniform := len(e.pending) == 0 && !e.gap(b, from)
	for i := from; i < b.Len(); i++ {
		if b.Mended(i) {
			e.problems.add(&e.problems.Mended, Problem{Kind: MendedRow, Line: b.Line(i), Reason: "a quote in the wrong place was mended"})
		}
		if len(b.Record(i)) != e.n || i > from && b.Line(i) > b.Line(i-1)+1 && e.gapBetween(b, i) || blankRecord(b, i) {
			uniform = false
		}
	}
	if uniform {
		e.addColumns(b, from)
	} else {
		for i := from; i < b.Len(); i++ {
			e.addRecord(b, i)
		}
	}
	last := b.Len() - 1
	e.lastLine = b.Line(last) + int64(newlines(b, last))
	return e.tooWide
}

// openQuotes notes the cells that seem to begin a quoted text and do not end it.
func (e *evidence) openQuotes(b *delimited.Batch, from int) {
	for i := from; i < b.Len(); i++ {
		for _, f := range b.Record(i) {
			if text := b.Bytes(f); len(text) > 0 && text[0] == '"' && bytes.Count(text, text[:1])%2 == 1 {
				e.problems.add(&e.problems.OpenQuotes, Problem{Kind: OpenQuote, Line: b.Line(i), Reason: "a quote that does not end was kept as text",
					Text: api.Clip(string(text), 60)})
			}
		}
	}
}

// addColumns takes records that all have the usual number of fields.
func (e *evidence) addColumns(b *delimited.Batch, from int) {
	for j := range e.n {
		c := e.cols[j]
		for i := from; i < b.Len(); i++ {
			f := b.Record(i)[j]
			c.Add(b.Bytes(f), f.Quoted(), infer.Position(e.file, b.Line(i)))
		}
	}
	for i := from; i < b.Len(); i++ {
		e.totals.add(b, i)
	}
	n := int64(b.Len() - from)
	for _, c := range e.cols[e.n:] {
		c.Skip(n)
	}
	e.rows += n
}

// addRecord adds one record of any length. A record that may be a remark after
// the table is held back until it is known whether more of the table follows.
func (e *evidence) addRecord(b *delimited.Batch, i int) {
	gap := e.gap(b, i)
	if gap && e.n == 1 && e.rows > 0 && e.another == nil {
		e.problems.Blanks += b.Line(i) - e.lastLine - 1
	}
	e.lastLine = b.Line(i) + int64(newlines(b, i))
	blank := blankRecord(b, i)
	if gap && len(e.pending) > 0 && !e.remarks() || len(e.pending) == maxPending {
		e.flush()
	}
	if rec := b.Record(i); e.another == nil && !e.whole && len(rec) != e.n && slices.Contains(e.start, string(b.Bytes(rec[0]))) &&
		dialect.NamesAgain(b.Strings(i), e.start) {
		e.another = &Problem{Line: b.Line(i), Text: strings.Join(b.Strings(i), " ")}
	}
	if e.another != nil {
		return
	}
	apart := gap || blank || len(e.pending) > 0 && e.pending[0].gap
	if e.n > 1 && (apart || len(b.Record(i)) == 1) && e.rows > 0 && textOf(b, i) <= maxRemark {
		e.pending = append(e.pending, pend(b, i, gap || blank))
		return
	}
	if e.flush(); e.another == nil {
		e.take(b, i)
	}
}

// take adds a record to the table.
func (e *evidence) take(b *delimited.Batch, i int) {
	rec := b.Record(i)
	e.totals.add(b, i)
	e.widen(b, i)
	for j, c := range e.cols {
		if j < len(rec) {
			c.Add(b.Bytes(rec[j]), rec[j].Quoted(), infer.Position(e.file, b.Line(i)))
		} else {
			c.Skip(1)
		}
	}
	e.rows++
	if len(rec) < e.n && !e.sheet && (len(rec) != 1 || utf8.RuneCount(b.Bytes(rec[0])) > e.first) {
		e.short(b.Line(i), len(rec))
	}
}

func (e *evidence) short(line int64, n int) {
	e.problems.add(&e.problems.Short, Problem{Kind: ShortRow, Line: line,
		Reason: fmt.Sprintf("%s instead of %d: the rest is null", humanize.Plural(int64(n), "field", "fields"), e.n)})
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
	if used > dialect.MaxColumns {
		if e.tooWide == nil {
			e.tooWide = tooWide(&dialect.TooWide{Line: b.Line(i), Fields: used})
		}
		return
	}
	e.problems.add(&e.problems.Long, Problem{
		Kind: LongRow, Line: b.Line(i), Reason: fmt.Sprintf("%s instead of %d: columns were added for the rest",
			humanize.Plural(int64(used), "field", "fields"), e.n),
	})
	for len(e.cols) < used {
		c := &infer.Column{}
		c.Skip(e.rows)
		e.cols = append(e.cols, c)
	}
}

// EngineColumns is how many columns the engine can handle at once: more would
// cost minutes, and gigabytes of memory.
const EngineColumns = jsonrows.MaxKeys

// tooWide is err, in the terms of the contract if it is of a record of too many
// fields.
func tooWide(err error) error {
	var at *dialect.TooWide
	if !errors.As(err, &at) {
		return err
	}
	return &api.Error{
		Code: api.CodeReadFailed, Kind: api.KindTooWide, Message: at.Error(),
		Hint:    "Correct that line, name the delimiter if the file uses another one, or give a file of fewer columns.",
		Details: map[string]any{"line": at.Line, "fields": at.Fields, "max_columns": dialect.MaxColumns}, Err: err,
	}
}

// passed takes the lines that only the reader knows of.
func (p *Problems) passed(rows *delimited.Reader) {
	comments, rulers := rows.Comments(), rows.Rulers()
	p.Comments, p.Rulers = comments.Count, rulers.Count
	for _, c := range comments.First {
		p.Places = append(p.Places, Problem{Kind: Remark, Line: c.Line, Reason: "a comment: left out", Text: c.Text})
	}
	crossed := rows.Crossed()
	p.Crossed = crossed.Count
	for _, c := range crossed.First {
		p.Places = append(p.Places, Problem{Kind: Crossing, Line: c.Line, Reason: "text across the start of a column: no word was cut",
			Text: c.Text})
	}
	for _, c := range rulers.First {
		p.Places = append(p.Places, Problem{Kind: Ruler, Line: c.Line, Reason: "a drawn line: left out", Text: c.Text})
	}
}

// gap reports whether a blank line comes before record i, or a drawn one: a comment
// does not part a table.
func (e *evidence) gap(b *delimited.Batch, i int) bool {
	return e.lastLine > 0 && b.Line(i) > e.lastLine+1 && (e.sheet || b.Apart(i))
}

// blankRecord reports whether nothing is in a record but delimiters.
func blankRecord(b *delimited.Batch, i int) bool {
	return !slices.ContainsFunc(b.Record(i), func(f delimited.Field) bool { return !f.Empty() || f.Quoted() })
}

func (e *evidence) gapBetween(b *delimited.Batch, i int) bool {
	return b.Line(i) > b.Line(i-1)+int64(newlines(b, i-1))+1 && (e.sheet || b.Apart(i))
}

// textOf is how many bytes the fields of a record have.
func textOf(b *delimited.Batch, i int) (n int) {
	for _, f := range b.Record(i) {
		n += len(b.Bytes(f))
	}
	return n
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
