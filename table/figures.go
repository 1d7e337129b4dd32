package table

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/decimal256"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/agnes-data/da/internal/arrowjson"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
	"github.com/agnes-data/da/table/summary"
)

// figures computes the statistics of a file's columns.
type figures struct {
	tables *Tables
	l      *looked
	dir    string // for temporary files
	known  map[string]ColumnStats
}

// ofFile reads the columns from a file that the engine does not read itself.
func (f *figures) ofFile(ctx context.Context, columns []intake.Column) error {
	p := f.l.profile()
	if len(columns) < len(p.Columns) {
		p = p.Pick(namesOf(columns))
	}
	rows, err := f.l.file.Load(ctx, p)
	if err == nil {
		err = f.take(ctx, rows, columns)
		rows.Release()
	}
	if err != nil {
		return f.tables.explain(f.l.shown, err)
	}
	return nil
}

// mostAtOnce is how many columns the engine reads at once, because each needs
// memory for its rows.
const mostAtOnce = 200

// ofEngine reads the columns from the engine, with one thread, so that floats are
// added in the order of the rows.
func (f *figures) ofEngine(ctx context.Context, columns []intake.Column) error {
	f.l.only(columns)
	s, err := f.tables.session(ctx, map[string]*looked{dataTable: f.l}, limits{threads: 1})
	if err != nil {
		return err
	}
	defer s.Close()
	for some := range slices.Chunk(columns, mostAtOnce) {
		if err := f.ofSession(ctx, s, some); err != nil {
			return queryError(ctx, nil, err)
		}
	}
	return nil
}

// ofSession computes what the summary supports out of rows, and the rest in the
// engine.
func (f *figures) ofSession(ctx context.Context, s *session, columns []intake.Column) error {
	from := relation(f.l, "f0")
	shape, err := s.conn.Query(ctx, "SELECT "+valuesOf(columns)+" FROM "+from+" LIMIT 0")
	if err != nil {
		return err
	}
	fields := shape.Schema().Fields()
	shape.Release()
	var ours []intake.Column
	for i, c := range columns {
		if summary.Supported(fields[i]) {
			ours = append(ours, c)
		} else if err := f.ofType(ctx, s, c, from); err != nil {
			return err
		}
	}
	if len(ours) == 0 {
		return nil
	}
	rows, err := s.conn.Query(ctx, "SELECT "+valuesOf(ours)+" FROM "+from)
	if err != nil {
		return err
	}
	defer rows.Release()
	return f.take(ctx, rows, ours)
}

// valuesOf selects columns, and the text of those that are shown as text.
func valuesOf(columns []intake.Column) string {
	items := make([]string, len(columns))
	for i, c := range columns {
		items[i] = duckdb.Quote(c.Name)
		if c.Type == infer.String {
			items[i] += "::VARCHAR"
		}
	}
	return strings.Join(items, ", ")
}

// ofType computes the figures of a column whose type the summary does not know,
// such as a list, and times with a zone.
func (f *figures) ofType(ctx context.Context, s *session, c intake.Column, from string) error {
	q := duckdb.Quote(c.Name)
	st := statsFor(c)
	sql := fmt.Sprintf("SELECT (SELECT count(*) FROM (SELECT DISTINCT %s FROM %s WHERE %[1]s IS NOT NULL))", q, from)
	ordered := c.Type == infer.Time || c.Type == infer.Timestamp
	if ordered {
		sql += fmt.Sprintf(", min(%s), max(%[1]s) FROM %s", q, from)
	}
	row, err := s.row(ctx, sql)
	if err != nil {
		return fmt.Errorf("column %q: %w", c.Name, err)
	}
	if st.DistinctEstimate = number(row[0]); ordered {
		st.Min, st.Max = row[1], row[2]
	}
	f.known[c.Name] = st
	return nil
}

// take summarises the rows of the columns.
func (f *figures) take(ctx context.Context, rows array.RecordReader, columns []intake.Column) error {
	fields := rows.Schema().Fields()
	s := summary.New(fields, f.dir)
	defer s.Close()
	for rows.Next() {
		if err := s.Add(rows.RecordBatch()); err != nil {
			return err
		}
	}
	if err := rows.Err(); err != nil {
		return err
	}
	found, err := s.Columns(ctx)
	if err != nil {
		return err
	}
	for i, c := range columns {
		st := statsFor(c)
		st.fill(fields[i], found[i])
		f.known[c.Name] = st
	}
	return nil
}

func statsFor(c intake.Column) ColumnStats {
	return ColumnStats{Name: c.Name, Type: string(c.Type), NonNullCount: c.NonNull, NullCount: c.Nulls}
}

func namesOf(columns []intake.Column) []string {
	names := make([]string, len(columns))
	for i, c := range columns {
		names[i] = c.Name
	}
	return names
}

// fill takes what was found about a column.
func (st *ColumnStats) fill(field arrow.Field, c summary.Column) {
	st.DistinctEstimate = c.Distinct
	switch field.Type.ID() {
	case arrow.STRING, arrow.BINARY:
		if c.Text != nil && c.Values > 0 {
			st.MinLength, st.MaxLength = &c.Text.Shortest, &c.Text.Longest
			for _, v := range c.Text.Common {
				st.MostCommon = append(st.MostCommon, Value{arrowjson.AppendString(nil, v.Text), v.Count})
			}
		}
	case arrow.BOOL:
		st.TrueCount, st.FalseCount = &c.True, &c.False
	default:
		st.Min, st.Max = valueJSON(field, c.Min), valueJSON(field, c.Max)
	}
	if c.Number != nil {
		st.fillNumber(c.Number)
	}
}

func (st *ColumnStats) fillNumber(n *summary.Number) {
	st.Mean, st.Stddev, st.Sum = floatJSON(n.Mean), floatJSON(n.Stddev), floatJSON(n.FloatSum)
	if n.Sum != nil {
		st.Sum = sumJSON(n)
	}
	st.P25, st.Median, st.P75 = floatJSON(nil), floatJSON(nil), floatJSON(nil)
	if q := n.Quartiles; q != nil {
		st.P25, st.Median, st.P75 = floatJSON(&q[0]), floatJSON(&q[1]), floatJSON(&q[2])
	}
	st.Histogram = n.Histogram
}

// valueJSON is the first value of an array, or null for no array.
func valueJSON(field arrow.Field, values arrow.Array) json.RawMessage {
	if values == nil {
		return json.RawMessage("null")
	}
	return arrowjson.Bind(field, values).AppendJSON(nil, 0)
}

func floatJSON(v *float64) json.RawMessage {
	if v == nil {
		return json.RawMessage("null")
	}
	b := array.NewFloat64Builder(memory.DefaultAllocator)
	b.Append(*v)
	return valueJSON(arrow.Field{Type: arrow.PrimitiveTypes.Float64}, b.NewArray())
}

// sumJSON is an exact sum. It can have more digits than any type of a column.
func sumJSON(n *summary.Number) json.RawMessage {
	if n.Scale == 0 && n.Sum.IsInt64() {
		b := array.NewInt64Builder(memory.DefaultAllocator)
		b.Append(n.Sum.Int64())
		return valueJSON(arrow.Field{Type: arrow.PrimitiveTypes.Int64}, b.NewArray())
	}
	t := &arrow.Decimal256Type{Precision: 76, Scale: n.Scale}
	b := array.NewDecimal256Builder(memory.DefaultAllocator, t)
	b.Append(decimal256.FromBigInt(n.Sum))
	return valueJSON(arrow.Field{Type: t}, b.NewArray())
}

// row runs a statement of one row.
func (s *session) row(ctx context.Context, sql string) ([]json.RawMessage, error) {
	stream, err := s.conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer stream.Release()
	var row []json.RawMessage
	for stream.Next() {
		for _, c := range arrowjson.BindBatch(stream.RecordBatch()) {
			row = append(row, c.AppendJSON(nil, 0))
		}
	}
	return row, stream.Err()
}

// number reads a count.
func number(v json.RawMessage) int64 {
	var n int64
	if json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}
