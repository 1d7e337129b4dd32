package output

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

// List is a small table that a command makes itself, such as a catalog, or the
// rows of a sample.
type List struct {
	Columns []string
	// Rows have one value per column: nil for NULL, text, Figure, bool, int,
	// int64, float64, or any value that an api.Row can have.
	Rows [][]any
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

func (l List) writeTable(w io.Writer, o Options) (Summary, error) {
	g := grid{list: true}
	s := plain(o.ASCII)
	for j, name := range l.Columns {
		right := l.allNumbers(j)
		g.columns = append(g.columns, gridColumn{name: columnName(name, s), right: right, elastic: !right})
	}
	for _, row := range l.Rows {
		cells := make([]cell, len(row))
		for j, v := range row {
			cells[j] = cell{text: nullText, null: true}
			if v != nil {
				cells[j] = textCell(listText(v), s.ellipsis)
			}
		}
		g.rows = append(g.rows, cells)
	}
	left := g.leaveOut(l.Spare, s, o.Width)
	clipped, err := g.write(w, s, o)
	return Summary{Rows: int64(len(l.Rows)), Clipped: clipped, LeftOut: left}, err
}

// writeJSON writes the values themselves, not as columns of one type.
func (l List) writeJSON(w io.Writer, f Format) (Summary, error) {
	summary := Summary{Rows: int64(len(l.Rows))}
	names, changed := arrowjson.Unique(l.Columns, nil)
	if changed {
		summary.Caveats = api.CaveatsOf(api.CaveatRenamed, renamedWarning(l.Columns, names))
	}
	lines := make([]string, len(l.Rows))
	for i, values := range l.Rows {
		line, err := EncodeJSON(api.Row{Columns: names, Values: values}, "")
		if err != nil {
			return summary, err
		}
		lines[i] = string(bytes.TrimSuffix(line, []byte{'\n'}))
	}
	text := "[]\n"
	switch {
	case f == NDJSON && len(lines) == 0:
		text = ""
	case f == NDJSON:
		text = strings.Join(lines, "\n") + "\n"
	case len(lines) > 0:
		text = "[\n" + strings.Join(lines, ",\n") + "\n]\n"
	}
	_, err := io.WriteString(sink{w}, text)
	return summary, err
}

// allNumbers reports whether column j has only numbers and NULLs, and at least
// one number.
func (l List) allNumbers(j int) bool {
	found := false
	for _, row := range l.Rows {
		switch row[j].(type) {
		case nil:
		case Figure, json.Number, int, int64, float64:
			found = true
		default:
			return false
		}
	}
	return found
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

// reader returns the list as one batch.
func (l List) reader() (array.RecordReader, error) {
	fields, columns := make([]arrow.Field, len(l.Columns)), make([]arrow.Array, len(l.Columns))
	for j, name := range l.Columns {
		columns[j] = l.column(j)
		fields[j] = arrow.Field{Name: name, Type: columns[j].DataType(), Nullable: true}
	}
	schema := arrow.NewSchema(fields, nil)
	batch := array.NewRecordBatch(schema, columns, int64(len(l.Rows)))
	defer batch.Release()
	return array.NewRecordReader(schema, []arrow.RecordBatch{batch})
}

func (l List) column(j int) arrow.Array {
	if arr, ok := typed(l.Rows, j, array.NewInt64Builder(memory.DefaultAllocator)); ok {
		return arr
	}
	if arr, ok := typed(l.Rows, j, array.NewFloat64Builder(memory.DefaultAllocator)); ok {
		return arr
	}
	if arr, ok := typed(l.Rows, j, array.NewBooleanBuilder(memory.DefaultAllocator)); ok {
		return arr
	}
	b := array.NewStringBuilder(memory.DefaultAllocator)
	for _, row := range l.Rows {
		if row[j] == nil {
			b.AppendNull()
			continue
		}
		b.Append(listText(row[j]))
	}
	return b.NewArray()
}

// typed builds column j if at least one value is of type T and the others are T
// or NULL.
func typed[T any](rows [][]any, j int, b interface {
	array.Builder
	Append(T)
}) (arr arrow.Array, ok bool) {
	for _, row := range rows {
		if row[j] == nil {
			b.AppendNull()
			continue
		}
		v := row[j]
		if n, is := v.(int); is {
			v = int64(n)
		}
		value, is := v.(T)
		if !is {
			return nil, false
		}
		b.Append(value)
		ok = true
	}
	return b.NewArray(), ok
}
