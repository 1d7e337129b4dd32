package output

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
	"github.com/agnes-data/da/internal/rows/recordreader"
)

// List is a small table that a command makes itself, such as a catalog, or the
// rows of a sample.
type List struct {
	Columns []string
	// Rows have one value per column: nil for NULL, text, Figure, bool, int,
	// int64, float64, or any value that an api.Row can have.
	Rows [][]any
	// Each is there in place of Rows if there may be very many. They are read twice.
	Each iter.Seq2[[]any, error]
	// Spare names columns that a table on a terminal drops, in this order, until
	// the others fit.
	Spare []string
}

// Figure is a number formatted for people, such as "1.2 MB". Like a number it is
// right-aligned and never cut.
type Figure string

// WriteList writes a list in any format: as aligned columns without borders for
// Table, otherwise as Write would. In formats with types, columns with only
// integers, only floats or only booleans get that type; all others are text.
func WriteList(ctx context.Context, w io.Writer, l List, f Format, o Options) (Summary, error) {
	switch f {
	case Table:
		return l.writeTable(w, o)
	case JSON, NDJSON:
		return l.writeJSON(w, f)
	}
	rdr, err := l.reader()
	if err != nil {
		return Summary{}, err
	}
	defer rdr.Release()
	return Write(ctx, w, api.WithCaveats(rdr, nil), f, o)
}

// each returns the rows.
func (l List) each() iter.Seq2[[]any, error] {
	if l.Each != nil {
		return l.Each
	}
	return func(yield func([]any, error) bool) {
		for _, row := range l.Rows {
			if !yield(row, nil) {
				return
			}
		}
	}
}

// listPart is how many rows of a list are held at once.
const listPart = 1000

// parts passes the rows on, some at a time.
func (l List) parts(use func([][]any) error) error {
	part := make([][]any, 0, min(listPart, max(len(l.Rows), 1)))
	for row, err := range l.each() {
		if err != nil {
			return err
		}
		if part = append(part, row); len(part) == listPart {
			if err := use(part); err != nil {
				return err
			}
			part = part[:0]
		}
	}
	if len(part) == 0 {
		return nil
	}
	return use(part)
}

func (l List) writeTable(w io.Writer, o Options) (Summary, error) {
	s := plain(o.ASCII)
	all := grid{list: true}
	for _, name := range l.Columns {
		all.columns = append(all.columns, gridColumn{name: columnName(name, s)})
	}
	// Widths and kinds are known only after the last row.
	kinds := newKinds(len(l.Columns))
	if err := l.parts(func(rows [][]any) error {
		for _, row := range rows {
			kinds.add(row)
		}
		g := all.of(rows, s)
		g.measure()
		all.natural = g.natural
		return nil
	}); err != nil {
		return Summary{}, err
	}
	all.measure()
	for j, k := range kinds {
		all.columns[j].right = k.known && k.numbers
		all.columns[j].elastic = !all.columns[j].right
	}
	var summary Summary
	summary.LeftOut = all.leaveOut(l.Spare, s, o.Width)
	if len(all.columns) == 0 {
		return summary, nil
	}
	draw := all.drawn(s, o)
	err := l.parts(func(rows [][]any) error {
		var b strings.Builder
		g := all.of(rows, s)
		g.before = int(summary.Rows)
		summary.Clipped += draw(&g, &b)
		summary.Rows += int64(len(rows))
		_, err := io.WriteString(sink{w}, b.String())
		return err
	})
	if err == nil && summary.Rows == 0 {
		var b strings.Builder
		draw(&all, &b)
		_, err = io.WriteString(sink{w}, b.String())
	}
	return summary, err
}

// writeJSON writes the values themselves, not as columns of one type.
func (l List) writeJSON(w io.Writer, f Format) (summary Summary, err error) {
	names, changed := arrowjson.Unique(l.Columns, nil)
	if changed {
		summary.Caveats = api.CaveatsOf(api.CaveatRenamed, arrowjson.Renamed(l.Columns, names))
	}
	open, between, end := "[\n", ",\n", "\n]\n"
	if f == NDJSON {
		open, between, end = "", "\n", "\n"
	}
	to := bufio.NewWriterSize(sink{w}, flushAt)
	for values, err := range l.each() {
		if err != nil {
			return summary, err
		}
		line, err := EncodeJSON(api.Row{Columns: names, Values: values}, "")
		if err != nil {
			return summary, err
		}
		_, _ = to.WriteString(open) // Flush reports its error
		_, _ = to.Write(bytes.TrimSuffix(line, []byte{'\n'}))
		open = between
		summary.Rows++
	}
	switch {
	case summary.Rows > 0:
		_, _ = to.WriteString(end)
	case f == JSON:
		_, _ = to.WriteString("[]\n")
	}
	return summary, to.Flush()
}

// kind is what the values of a column have in common.
type kind struct{ known, numbers, integers, floats, booleans bool }

// kinds are of the columns of a list.
type kinds []kind

func newKinds(n int) kinds {
	ks := make(kinds, n)
	for j := range ks {
		ks[j] = kind{numbers: true, integers: true, floats: true, booleans: true}
	}
	return ks
}

func (ks kinds) add(row []any) {
	for j, v := range row {
		if v == nil {
			continue
		}
		k := &ks[j]
		k.known = true
		switch v.(type) {
		case int, int64:
			k.floats, k.booleans = false, false
		case float64:
			k.integers, k.booleans = false, false
		case Figure, json.Number:
			k.integers, k.floats, k.booleans = false, false, false
		case bool:
			k.numbers, k.integers, k.floats = false, false, false
		default:
			*k = kind{known: true}
		}
	}
}

// listText returns the text of a value; nested values become JSON.
func listText(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case Figure:
		return string(v)
	case json.Number:
		return v.String()
	case []any, api.Row:
		if text, err := EncodeJSON(v, ""); err == nil {
			return string(bytes.TrimSuffix(text, []byte{'\n'}))
		}
	}
	return fmt.Sprint(v)
}

// listRows are the rows of a list in batches.
type listRows struct {
	recordreader.Base
	next func() ([]any, error, bool)
	err  error
}

// reader returns the rows in columns of one type each.
func (l List) reader() (array.RecordReader, error) {
	kinds := newKinds(len(l.Columns))
	for row, err := range l.each() {
		if err != nil {
			return nil, err
		}
		kinds.add(row)
	}
	fields := make([]arrow.Field, len(l.Columns))
	for j, name := range l.Columns {
		fields[j] = arrow.Field{Name: name, Type: kinds[j].arrowType(), Nullable: true}
	}
	r := &listRows{}
	next, stop := iter.Pull2(l.each())
	r.next = next
	r.Begin(arrow.NewSchema(fields, nil), stop)
	return r, nil
}

func (k kind) arrowType() arrow.DataType {
	switch {
	case k.known && k.integers:
		return arrow.PrimitiveTypes.Int64
	case k.known && k.floats:
		return arrow.PrimitiveTypes.Float64
	case k.known && k.booleans:
		return arrow.FixedWidthTypes.Boolean
	}
	return arrow.BinaryTypes.String
}

// Err implements array.RecordReader.
func (r *listRows) Err() error { return r.err }

// Next implements array.RecordReader.
func (r *listRows) Next() bool {
	r.Set(nil)
	b := array.NewRecordBuilder(memory.DefaultAllocator, r.Schema())
	defer b.Release()
	n := 0
	for ; n < listPart; n++ {
		row, err, ok := r.next()
		if r.err = err; !ok || err != nil {
			break
		}
		for j, v := range row {
			appendValue(b.Field(j), v)
		}
	}
	if n == 0 || r.err != nil {
		return false
	}
	r.Set(b.NewRecordBatch())
	return true
}

func appendValue(b array.Builder, v any) {
	switch b := b.(type) {
	case *array.Int64Builder:
		switch v := v.(type) {
		case int:
			b.Append(int64(v))
			return
		case int64:
			b.Append(v)
			return
		}
	case *array.Float64Builder:
		if v, ok := v.(float64); ok {
			b.Append(v)
			return
		}
	case *array.BooleanBuilder:
		if v, ok := v.(bool); ok {
			b.Append(v)
			return
		}
	case *array.StringBuilder:
		if v != nil {
			b.Append(listText(v))
			return
		}
	}
	b.AppendNull()
}
