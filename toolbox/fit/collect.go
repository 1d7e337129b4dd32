package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

const (
	// envelope is the size of an answer without its columns, rows and figures.
	envelope = 160
	// Cells are cut at a length that leaves room for some rows.
	longestCell, shortestCell = 200, 16
	// longestName is the length at which a column name is cut.
	longestName = 200
	// longestExtreme is the length at which a smallest or largest text is cut.
	longestExtreme = 40
)

// Collector receives a result batch by batch and answers with what fits. It is
// for one goroutine.
type Collector struct {
	o      Options
	budget int // in bytes
	fields []arrow.Field
	names  []string // of the columns that fit
	keys   [][]byte // the same as JSON
	types  []string
	cell   int // where cells are cut
	told   []api.Caveat

	rows     []row // candidates
	columns  []candidate
	full     bool // no more rows are candidates
	cut      bool // a cell of theirs is cut
	total    int64
	segments []segment // of the candidates, in order
	tail     []figures // of all rows behind them
	buf      []byte
}

// row is a candidate: its cells as JSON, and which of them are cut.
type row struct {
	cells []json.RawMessage
	cut   []bool // nil: no cell is cut
}

// candidate has the size and values of one column of the candidate rows.
type candidate struct {
	bytes  int    // of all its cells
	first  []byte // its first cell
	varies bool
}

// segment are the figures of some candidates, which become part of the account
// if these don't fit in the end.
type segment struct {
	from, to int // rows
	columns  []figures
}

// New starts an answer for batches of a schema.
func New(schema *arrow.Schema, o Options) (*Collector, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	if o.MaxTokens == 0 {
		o.MaxTokens = DefaultTokens
	}
	c := &Collector{o: o, budget: max(o.MaxTokens*BytesPerToken-o.Reserve, MinTokens*BytesPerToken/2), fields: schema.Fields()}
	names := arrowjson.Names(schema)
	unique, changed := arrowjson.Unique(names, strings.ToLower) // a query ignores case
	if changed {
		c.told = api.CaveatsOf(api.CaveatRenamed, arrowjson.Renamed(names, unique))
		c.budget -= len(c.told[0].Text)
	}
	room := c.budget / 3 // of the budget is for the names of columns at most
	for i, name := range unique {
		key := cutText(nil, []byte(name), longestName)
		typ := arrowjson.TypeName(c.fields[i])
		if room -= 2*len(key) + len(typ) + 4; room < 0 && i > 0 {
			break
		}
		c.names, c.keys, c.types = append(c.names, plainText(key)), append(c.keys, key), append(c.types, typ)
	}
	n := len(c.names)
	c.cell = min(max(c.budget/(4*max(n, 1)), shortestCell), longestCell)
	c.columns, c.tail = make([]candidate, n), c.newFigures()
	return c, nil
}

func (c *Collector) newFigures() []figures {
	all := make([]figures, len(c.names))
	for j := range all {
		all[j] = figuresOf(c.fields[j])
	}
	return all
}

// Read answers for all rows of rdr, which stays the caller's.
func Read(ctx context.Context, rdr array.RecordReader, o Options) (*Answer, error) {
	c, err := New(rdr.Schema(), o)
	if err != nil {
		return nil, err
	}
	for ctx.Err() == nil && rdr.Next() {
		c.Add(rdr.RecordBatch())
	}
	if err := rdr.Err(); err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, context.Cause(ctx)
	}
	return c.Answer(), nil
}

// Add adds the next rows. It does not keep the batch.
func (c *Collector) Add(batch arrow.RecordBatch) {
	from, n := 0, int(batch.NumRows())
	bound := make([]*arrowjson.Column, len(c.names))
	for j := range bound {
		bound[j] = arrowjson.Bind(c.fields[j], batch.Column(j))
	}
	for ; from < n && !c.full; from++ {
		c.candidate(bound, from)
		c.account(c.segmentOf(len(c.rows)-1).columns, bound, batch, from, from+1)
	}
	c.account(c.tail, bound, batch, from, n)
	c.total += int64(n)
}

// Missing reports whether the answer certainly cannot have the whole result.
func (c *Collector) Missing() bool {
	return c.full || c.cut || len(c.names) < len(c.fields)
}

func (c *Collector) account(to []figures, bound []*arrowjson.Column, batch arrow.RecordBatch, from, until int) {
	if from == until {
		return
	}
	for j, f := range to {
		f.add(batch.Column(j), bound[j], from, until)
	}
}

// candidate keeps row i, which may be shown.
func (c *Collector) candidate(bound []*arrowjson.Column, i int) {
	r := row{cells: make([]json.RawMessage, len(bound))}
	for j, col := range bound {
		var cut bool
		c.buf, cut = appendCell(c.buf[:0], col, i, c.cell)
		r.cells[j] = bytes.Clone(c.buf)
		if cut && r.cut == nil {
			r.cut = make([]bool, len(bound))
		}
		if cut {
			r.cut[j], c.cut = true, true
		}
		k := &c.columns[j]
		k.bytes += len(c.buf) + 1
		if len(c.rows) == 0 {
			k.first = r.cells[j]
		} else if !k.varies {
			k.varies = !bytes.Equal(k.first, c.buf)
		}
	}
	c.rows = append(c.rows, r)
	// A column that has not varied so far may still be folded, so it does not
	// count.
	size := envelope + 2*len(c.rows)
	for _, k := range c.columns {
		if k.varies {
			size += k.bytes
		}
	}
	c.full = size > c.budget || c.o.MaxRows > 0 && int64(len(c.rows)) > c.o.MaxRows || len(c.rows) >= mostRows
}

// mostRows bounds the candidates where every column has one value.
const mostRows = 100_000

// segmentOf returns the segment of row n. Segments grow with the number of rows
// before them, so that there are few; one ends at MaxRows.
func (c *Collector) segmentOf(n int) *segment {
	if last := len(c.segments) - 1; last >= 0 && int64(n) != c.o.MaxRows {
		s := &c.segments[last]
		if n < s.from+1+s.from/8 {
			s.to = n + 1
			return s
		}
	}
	c.segments = append(c.segments, segment{from: n, to: n + 1, columns: c.newFigures()})
	return &c.segments[len(c.segments)-1]
}

// appendCell adds value i as JSON, or the start of it.
func appendCell(dst []byte, col *arrowjson.Column, i, most int) (cell []byte, cut bool) {
	start, kind, cut := col.AppendStart(nil, i, most)
	if !cut || kind == arrowjson.Number {
		return col.AppendJSON(dst, i), false
	}
	whole, _ := col.AppendText(nil, i)
	return appendCut(dst, start, utf8.RuneCount(whole)), true
}

// appendCut appends the JSON of a cut text.
func appendCut(dst, start []byte, chars int) []byte {
	dst = append(dst, `{"start":`...)
	dst = arrowjson.AppendString(dst, start)
	dst = append(dst, `,"chars":`...)
	dst = strconv.AppendInt(dst, int64(chars), 10)
	return append(dst, '}')
}

// cutText appends a text as a JSON string of at most that many characters.
func cutText(dst, text []byte, most int) []byte {
	if utf8.RuneCount(text) > most {
		end := 0
		for range most {
			_, size := utf8.DecodeRune(text[end:])
			end += size
		}
		text = append(bytes.Clone(text[:end]), "…"...)
	}
	return arrowjson.AppendString(dst, text)
}

// plainText decodes a JSON string that AppendString wrote.
func plainText(quoted []byte) string {
	var s string
	_ = json.Unmarshal(quoted, &s) // AppendString wrote it
	return s
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
