package table

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
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

// valuesOf selects columns, and the text of those that are shown as text. Intervals
// stay as they are: some are equal whose texts differ, such as 30 days and a month.
func valuesOf(columns []intake.Column) string {
	items := make([]string, len(columns))
	for i, c := range columns {
		items[i] = duckdb.Quote(c.Name)
		if c.Type == infer.String && c.SQL != "INTERVAL" {
			items[i] += "::VARCHAR"
		}
	}
	return strings.Join(items, ", ")
}

// ofType computes the figures of a column whose type the summary does not know,
// such as a list, times with a zone, and intervals.
func (f *figures) ofType(ctx context.Context, s *session, c intake.Column, from string) error {
	st := statsFor(c)
	values := fmt.Sprintf("(SELECT %s AS v FROM %s)", duckdb.Quote(c.Name), from)
	fill := st.ofOthers
	if c.Type == infer.String {
		fill = st.ofIntervals
	}
	if err := fill(ctx, s, values); err != nil {
		return fmt.Errorf("column %q: %w", c.Name, err)
	}
	f.known[c.Name] = st
	return nil
}

// ofOthers counts different values, and finds the extremes of times.
func (st *ColumnStats) ofOthers(ctx context.Context, s *session, values string) error {
	sql := "SELECT (SELECT count(*) FROM (SELECT DISTINCT v FROM " + values + " WHERE v IS NOT NULL))"
	ordered := st.Type == string(infer.Time) || st.Type == string(infer.Timestamp)
	if ordered {
		sql += ", min(v), max(v) FROM " + values
	}
	rows, err := s.rows(ctx, sql)
	if err != nil {
		return err
	}
	if st.DistinctEstimate = number(rows[0][0]); ordered {
		st.Min, st.Max = rows[0][1], rows[0][2]
	}
	return nil
}

// ofIntervals groups equal intervals. Their lengths are those of the engine's texts.
func (st *ColumnStats) ofIntervals(ctx context.Context, s *session, values string) error {
	rows, err := s.rows(ctx, fmt.Sprintf(`WITH g AS MATERIALIZED (SELECT v, count(*) AS n FROM %s WHERE v IS NOT NULL GROUP BY v)
SELECT (SELECT count(*) FROM g), (SELECT min(length(v::VARCHAR)) FROM g), (SELECT max(length(v::VARCHAR)) FROM g), v, n FROM g ORDER BY n DESC, v LIMIT %d`,
		values, summary.MostCommon))
	for _, r := range rows {
		st.DistinctEstimate = number(r[0])
		short, long := number(r[1]), number(r[2])
		st.MinLength, st.MaxLength = &short, &long
		st.MostCommon = append(st.MostCommon, Value{r[3], number(r[4])})
	}
	return err
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

// rows runs a statement of few rows.
func (s *session) rows(ctx context.Context, sql string) ([][]json.RawMessage, error) {
	stream, err := s.conn.Query(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer stream.Release()
	var out [][]json.RawMessage
	for stream.Next() {
		rec := stream.RecordBatch()
		columns := arrowjson.BindBatch(rec)
		for i := range int(rec.NumRows()) {
			row := make([]json.RawMessage, len(columns))
			for j, c := range columns {
				row[j] = c.AppendJSON(nil, i)
			}
			out = append(out, row)
		}
	}
	return out, stream.Err()
}

// number reads a count.
func number(v json.RawMessage) int64 {
	var n int64
	if json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}
