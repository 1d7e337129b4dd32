package table

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
)

// mostCommon is how many of the commonest values are named.
const mostCommon = 5

// columnFigures computes the statistics of a file's columns in the engine, which puts
// what is too much for memory into temporary files.
type columnFigures struct {
	tables *Tables
	l      *looked
	dir    string // for temporary files
	known  map[string]ColumnStats
}

// of computes the figures of columns. What the engine does not read itself is
// read into a database first, of at most so many columns as are cheap.
func (f *columnFigures) of(ctx context.Context, columns []intake.Column) error {
	for some := range slices.Chunk(columns, widest) {
		if err := f.ofSome(ctx, some); err != nil {
			return err
		}
	}
	return nil
}

func (f *columnFigures) ofSome(ctx context.Context, columns []intake.Column) error {
	f.l.pass(columns)
	s, err := f.tables.session(ctx, map[string]*looked{dataTable: f.l}, limits{temp: f.dir})
	if err != nil {
		return err
	}
	defer s.Close()
	for _, c := range columns {
		st := ColumnStats{Name: c.Name, Type: string(c.Type), NonNullCount: c.NonNull, NullCount: c.Nulls}
		if err := st.measure(ctx, s, c, relation(f.l, "f0")); err != nil {
			return queryError(ctx, nil, fmt.Errorf("column %q: %w", c.Name, err))
		}
		f.known[c.Name] = st
	}
	return nil
}

// measure computes the figures that the column's type has.
func (st *ColumnStats) measure(ctx context.Context, s *session, c intake.Column, from string) error {
	column := duckdb.Quote(c.Name)
	switch {
	case c.SQL == "BIGNUM": // longer than any number elsewhere
	case c.Type == infer.Integer || c.Type == infer.Decimal || c.Type == infer.Float:
		return st.ofNumbers(ctx, s, column, from)
	case c.Type == infer.Boolean:
		return st.ofFlags(ctx, s, column, from)
	case c.SQL == "INTERVAL": // some are equal whose texts differ, such as 30 days and a month
		return st.ofTexts(ctx, s, column, from)
	case c.Type == infer.String:
		return st.ofTexts(ctx, s, column+"::VARCHAR", from)
	}
	return st.ofOthers(ctx, s, column, from)
}

// ofOthers counts different values, and finds the extremes of dates and times.
func (st *ColumnStats) ofOthers(ctx context.Context, s *session, column, from string) error {
	sql := fmt.Sprintf("WITH g AS (SELECT DISTINCT %s AS v FROM %s WHERE %[1]s IS NOT NULL) SELECT count(*)", column, from)
	ordered := slices.Contains([]infer.Type{infer.Date, infer.Time, infer.Timestamp, infer.TimestampTZ}, infer.Type(st.Type))
	if ordered {
		sql += ", min(v), max(v)"
	}
	rows, err := profile.Rows(ctx, s.conn, sql+" FROM g")
	if err != nil {
		return err
	}
	if st.DistinctEstimate = number(rows[0][0]); ordered {
		st.Min, st.Max = rows[0][1], rows[0][2]
	}
	return nil
}

func (st *ColumnStats) ofFlags(ctx context.Context, s *session, column, from string) error {
	rows, err := profile.Rows(ctx, s.conn, fmt.Sprintf("SELECT count(*) FILTER (%s), count(*) FILTER (NOT %[1]s) FROM %s", column, from))
	if err != nil {
		return err
	}
	yes, no := number(rows[0][0]), number(rows[0][1])
	st.TrueCount, st.FalseCount, st.DistinctEstimate = &yes, &no, min(yes, 1)+min(no, 1)
	return nil
}

// ofTexts finds lengths, in characters, and the commonest values, ties by value.
func (st *ColumnStats) ofTexts(ctx context.Context, s *session, column, from string) error {
	rows, err := profile.Rows(ctx, s.conn, fmt.Sprintf(`WITH g AS MATERIALIZED (SELECT v, count(*) AS n FROM (SELECT %s AS v FROM %s) WHERE v IS NOT NULL GROUP BY v)
SELECT t.*, v, n FROM (SELECT count(*), min(length(v::VARCHAR)), max(length(v::VARCHAR)) FROM g) AS t, g ORDER BY n DESC, v LIMIT %d`, column, from, mostCommon))
	for _, r := range rows {
		st.DistinctEstimate = number(r[0])
		short, long := number(r[1]), number(r[2])
		st.MinLength, st.MaxLength = &short, &long
		st.MostCommon = append(st.MostCommon, Value{r[3], number(r[4])})
	}
	return err
}

// number reads a count.
func number(v json.RawMessage) int64 {
	var n int64
	if json.Unmarshal(v, &n) != nil {
		return 0
	}
	return n
}
