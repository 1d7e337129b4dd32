package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/printable"
	"github.com/agnes-data/da/plot"
)

// Answer is what da ask prints as JSON.
type Answer struct {
	agent.Answer
	DataFrames []agent.DataFrame `json:"data_frames,omitempty"` // tables for the user
	Charts     []agent.Chart     `json:"charts,omitempty"`
}

// table prints a table from the model, before its answer.
func (s *steps) table(f *agent.DataFrame) error {
	if s.format != output.Table {
		return nil
	}
	list := output.List{Columns: f.Columns}
	rows := f.Rows
	if s.app.IO.OutTerminal { // the answer should stay in sight
		rows = rows[:min(len(rows), mostSeen)]
	}
	for _, row := range rows {
		cells := make([]any, len(row))
		for i, cell := range row {
			cells[i] = plainCell(cell)
		}
		list.Rows = append(list.Rows, cells)
	}
	if _, err := fmt.Fprintln(s.out, printable.Line(f.Name)+":"); err != nil {
		return err
	}
	s.app.Tell(f.Caveats...)
	if int64(len(rows)) < f.Total {
		s.app.Note(fmt.Sprintf("the first %s of %s rows are shown", humanize.Grouped(int64(len(rows))), humanize.Grouped(f.Total)))
	}
	return s.app.Show(output.Table, nil, list)
}

// mostSeen is how many rows of a table a terminal shows during a turn.
const mostSeen = 20

// plainCell returns a cell as people read it.
func plainCell(cell json.RawMessage) any {
	var text string
	switch {
	case string(cell) == "null":
		return nil
	case json.Unmarshal(cell, &text) == nil:
		return text
	}
	return string(cell)
}

// mostDrawn is how many series a terminal can distinguish.
const mostDrawn = 8

// chart draws a chart from the model, before its answer.
func (s *steps) chart(c *agent.Chart) error {
	if s.format != output.Table {
		return nil
	}
	series := c.Series
	if len(series) > mostDrawn {
		s.app.Note(fmt.Sprintf("the first %d of %d series are drawn; -o json has all", mostDrawn, len(series)))
		series = series[:mostDrawn]
	}
	rows, names, err := chartRows(c, series)
	if err != nil {
		return err
	}
	defer rows.Release()
	kind := plot.Bar
	switch c.Kind {
	case "line":
		kind = plot.Line
	case "scatter":
		kind = plot.Scatter
	}
	title := c.Title
	if title == "" {
		title = c.Name
	}
	drawn, err := plot.Read(context.Background(), api.WithCaveats(rows, func() []api.Caveat { return c.Table.Caveats }),
		plot.Spec{Kind: kind, X: names[0], Y: names[1:], Title: title})
	if err != nil {
		return err
	}
	s.app.Tell(drawn.Caveats...)
	if c.Note != "" {
		s.app.Note(clipped(c.Note))
	}
	return query.DrawText(s.app, s.out, drawn, query.PlotOptions{})
}

// chartRows returns a column for x and one for each series, and the names of
// both. The caller releases the rows.
func chartRows(c *agent.Chart, series []agent.ChartSeries) (array.RecordReader, []string, error) {
	x, build := slices.Index(c.Table.Columns, c.X), 0
	fields := []arrow.Field{{Name: c.X, Type: axisType(c.Table, x), Nullable: true}}
	from := []int{x}
	for _, s := range series {
		name := s.Name
		for slices.ContainsFunc(fields, func(f arrow.Field) bool { return f.Name == name }) {
			build++
			name = fmt.Sprintf("%s %d", s.Name, build+1)
		}
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Float64, Nullable: true})
		from = append(from, slices.Index(c.Table.Columns, s.Field))
	}
	b := array.NewRecordBuilder(memory.DefaultAllocator, arrow.NewSchema(fields, nil))
	defer b.Release()
	for _, row := range c.Table.Rows {
		for i, at := range from {
			appendCell(b.Field(i), row[at])
		}
	}
	batch := b.NewRecordBatch()
	defer batch.Release()
	rows, err := array.NewRecordReader(batch.Schema(), []arrow.RecordBatch{batch})
	var names []string
	for _, f := range fields {
		names = append(names, f.Name)
	}
	return rows, names, err
}

// axisType is the column type for an axis.
func axisType(f agent.DataFrame, at int) arrow.DataType {
	switch f.Types[at] {
	case "integer", "decimal", "float":
		return arrow.PrimitiveTypes.Float64
	case "date", "timestamp", "timestamptz":
		return &arrow.TimestampType{Unit: arrow.Microsecond}
	}
	return arrow.BinaryTypes.String
}

// times are the formats of dates and times in answers.
var times = []string{time.DateOnly, time.DateTime, "2006-01-02 15:04:05.999999", time.RFC3339Nano, "2006-01-02T15:04:05.999999"}

// appendCell appends a cell; a cell that does not have the column's type becomes
// NULL.
func appendCell(b array.Builder, cell json.RawMessage) {
	value := plainCell(cell)
	if value == nil {
		b.AppendNull()
		return
	}
	text := fmt.Sprint(value)
	switch b := b.(type) {
	case *array.Float64Builder:
		if v, err := strconv.ParseFloat(text, 64); err == nil {
			b.Append(v)
			return
		}
	case *array.TimestampBuilder:
		for _, form := range times {
			if t, err := time.Parse(form, text); err == nil {
				b.Append(arrow.Timestamp(t.UnixMicro()))
				return
			}
		}
	case *array.StringBuilder:
		b.Append(text)
		return
	}
	b.AppendNull()
}
