package table

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agnes-data/da/internal/arrowjson"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
)

const (
	// statsMemory bounds the engine that computes statistics, whose sets of
	// different values are held in memory.
	statsMemory = "2GB"
	mostCommon  = 5
	histogram   = 10 // bins
)

// StatsRequest asks for statistics of columns.
type StatsRequest struct {
	Source
	Columns []string `json:"columns,omitempty"` // empty: all
}

// Stats are statistics of columns.
type Stats struct {
	RowCount int64         `json:"row_count"`
	Columns  []ColumnStats `json:"columns"`
	Warnings []string      `json:"warnings"`
}

// ColumnStats are statistics of one column. What does not apply to its type is
// left out. Values are as in rows.
type ColumnStats struct {
	Name             string `json:"name"`
	Type             string `json:"type"`
	NonNullCount     int64  `json:"non_null_count"`
	NullCount        int64  `json:"null_count"`
	DistinctEstimate int64  `json:"distinct_estimate"` // exact, whatever it is called

	Min    json.RawMessage `json:"min,omitempty"`
	Max    json.RawMessage `json:"max,omitempty"`
	Mean   json.RawMessage `json:"mean,omitempty"`
	Sum    json.RawMessage `json:"sum,omitempty"`
	Stddev json.RawMessage `json:"stddev,omitempty"` // of the sample
	P25    json.RawMessage `json:"p25,omitempty"`    // quartiles, interpolated
	Median json.RawMessage `json:"median,omitempty"`
	P75    json.RawMessage `json:"p75,omitempty"`

	// Histogram counts values in bins of equal width from Min to Max.
	Histogram []int64 `json:"histogram,omitempty"`

	MinLength  *int64  `json:"min_length,omitempty"` // characters
	MaxLength  *int64  `json:"max_length,omitempty"`
	MostCommon []Value `json:"most_common,omitempty"` // ties by value

	TrueCount  *int64 `json:"true_count,omitempty"`
	FalseCount *int64 `json:"false_count,omitempty"`
}

// Value is a value with how often it occurs.
type Value struct {
	Value json.RawMessage `json:"value"`
	Count int64           `json:"count"`
}

// Stats computes statistics of columns, exactly. They are kept, so that the
// next call only reads them.
func (t *Tables) Stats(ctx context.Context, r StatsRequest) (*Stats, error) {
	l, err := t.look(ctx, r.Source)
	if err != nil {
		return nil, err
	}
	defer l.Close()
	p := l.profile()
	columns, err := chooseColumns(p, r.Columns)
	if err != nil {
		return nil, err
	}
	known := map[string]ColumnStats{}
	if kept, ok := l.entry.Answers["stats"]; ok {
		_ = json.Unmarshal(kept, &known) // damaged: computed again
	}
	if err := t.complete(ctx, l, columns, known); err != nil {
		return nil, err
	}
	out := &Stats{RowCount: p.Rows, Columns: []ColumnStats{}, Warnings: warnings(p)}
	for _, c := range columns {
		out.Columns = append(out.Columns, known[c.Name])
	}
	return out, nil
}

// complete computes what known lacks.
func (t *Tables) complete(ctx context.Context, l *looked, columns []intake.Column, known map[string]ColumnStats) error {
	var missing []intake.Column
	for _, c := range columns {
		if _, ok := known[c.Name]; !ok {
			missing = append(missing, c)
			known[c.Name] = ColumnStats{Name: c.Name, Type: string(c.Type), NonNullCount: c.NonNull, NullCount: c.Nulls}
		}
	}
	if len(missing) == 0 {
		return nil
	}
	s, err := t.session(ctx, map[string]*looked{dataTable: l}, limits{memory: statsMemory})
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.portions(ctx, l, missing, func(some []intake.Column, data string) error {
		for _, c := range some {
			st := known[c.Name]
			if err := st.fill(ctx, s, c, data); err != nil {
				return fmt.Errorf("column %q: %w", c.Name, err)
			}
			known[c.Name] = st
		}
		return nil
	})
	if err != nil {
		return queryError(ctx, nil, err)
	}
	if err := t.sums(ctx, l, missing, known); err != nil {
		return err
	}
	t.store.Remember(ctx, l.src, l.entry.Head.Hash, "stats", known)
	return nil
}

// fill computes what comes out the same on any number of threads.
func (st *ColumnStats) fill(ctx context.Context, s *session, c intake.Column, data string) error {
	q := duckdb.Quote(c.Name)
	distinct := fmt.Sprintf("(SELECT count(*) FROM (SELECT DISTINCT %s FROM %s WHERE %[1]s IS NOT NULL))", q, data)
	switch c.Type {
	case infer.Integer, infer.Decimal, infer.Float:
		return st.fillNumber(ctx, s, c, q, data, distinct)
	case infer.Date, infer.Timestamp, infer.TimestampTZ, infer.Time:
		row, err := s.row(ctx, fmt.Sprintf("SELECT %s, min(%s), max(%[2]s) FROM %[3]s", distinct, q, data))
		if err != nil {
			return err
		}
		st.DistinctEstimate, st.Min, st.Max = number(row[0]), row[1], row[2]
	case infer.Boolean:
		row, err := s.row(ctx, fmt.Sprintf("SELECT %s, count(*) FILTER (WHERE %s), count(*) FILTER (WHERE NOT %[2]s) FROM %[3]s", distinct, q, data))
		if err != nil {
			return err
		}
		yes, no := number(row[1]), number(row[2])
		st.DistinctEstimate, st.TrueCount, st.FalseCount = number(row[0]), &yes, &no
	case infer.String:
		return st.fillText(ctx, s, q, data)
	default:
		row, err := s.row(ctx, "SELECT "+distinct)
		if err != nil {
			return err
		}
		st.DistinctEstimate = number(row[0])
	}
	return nil
}

func (st *ColumnStats) fillNumber(ctx context.Context, s *session, c intake.Column, q, data, distinct string) error {
	sum := "sum(" + q + ")"
	if c.Type == infer.Float {
		sum = "NULL" // see sums
	}
	sql := fmt.Sprintf("SELECT %s, min(%s), max(%[2]s), %s, avg(%[2]s), quantile_cont(%[2]s::DOUBLE, 0.25), quantile_cont(%[2]s::DOUBLE, 0.5), quantile_cont(%[2]s::DOUBLE, 0.75) FROM %[4]s",
		distinct, q, sum, data)
	row, err := s.row(ctx, sql)
	if err != nil && c.Precision > 18 {
		// Numbers of 38 digits can add up to more than a number holds.
		row, err = s.row(ctx, strings.Replace(sql, sum, "NULL", 1))
	}
	if err != nil {
		return err
	}
	st.DistinctEstimate, st.Min, st.Max, st.Sum = number(row[0]), row[1], row[2], row[3]
	st.Mean, st.P25, st.Median, st.P75 = row[4], row[5], row[6], row[7]
	if c.NonNull == 0 {
		return nil
	}
	return st.fillHistogram(ctx, s, q, data)
}

// fillHistogram counts the values in bins.
func (st *ColumnStats) fillHistogram(ctx context.Context, s *session, q, data string) error {
	sql := fmt.Sprintf(`WITH r AS (SELECT min(%[1]s)::DOUBLE AS lo, max(%[1]s)::DOUBLE AS hi FROM %[2]s WHERE isfinite(%[1]s::DOUBLE))
SELECT CASE WHEN hi > lo THEN least(%[3]d, floor((%[1]s::DOUBLE - lo) / (hi - lo) * %[4]d))::INTEGER ELSE 0 END AS bin, count(*)
FROM %[2]s, r WHERE isfinite(%[1]s::DOUBLE) GROUP BY bin ORDER BY bin`, q, data, histogram-1, histogram)
	rows, err := s.rows(ctx, sql)
	if err != nil {
		return err
	}
	st.Histogram = make([]int64, histogram)
	for _, r := range rows {
		if bin := number(r[0]); bin >= 0 && bin < histogram {
			st.Histogram[bin] = number(r[1])
		}
	}
	return nil
}

// fillText groups once for both the different values and the commonest.
func (st *ColumnStats) fillText(ctx context.Context, s *session, q, data string) error {
	sql := fmt.Sprintf(`WITH g AS MATERIALIZED (SELECT %[1]s AS v, count(*) AS n FROM %[2]s WHERE %[1]s IS NOT NULL GROUP BY v)
SELECT (SELECT count(*) FROM g), (SELECT min(length(v)) FROM g), (SELECT max(length(v)) FROM g), v, n FROM (SELECT 1) LEFT JOIN g ON true ORDER BY n DESC, v LIMIT %[3]d`,
		q, data, mostCommon)
	rows, err := s.rows(ctx, sql)
	if err != nil {
		return err
	}
	for _, r := range rows {
		st.DistinctEstimate = number(r[0])
		if string(r[4]) == "null" {
			break
		}
		short, long := number(r[1]), number(r[2])
		st.MinLength, st.MaxLength = &short, &long
		st.MostCommon = append(st.MostCommon, Value{r[3], number(r[4])})
	}
	return nil
}

// sums computes what depends on the order in which floats are added: with one
// thread that is the order of the file.
func (t *Tables) sums(ctx context.Context, l *looked, columns []intake.Column, known map[string]ColumnStats) error {
	s, err := t.session(ctx, map[string]*looked{dataTable: l}, limits{memory: statsMemory, threads: 1})
	if err != nil {
		return err
	}
	defer s.Close()
	err = s.portions(ctx, l, columns, func(some []intake.Column, data string) error { return s.sums(ctx, some, data, known) })
	return queryError(ctx, nil, err)
}

// sums is Tables.sums for columns that the relation data has.
func (s *session) sums(ctx context.Context, columns []intake.Column, data string, known map[string]ColumnStats) error {
	var parts, names []string
	for _, c := range columns {
		q := duckdb.Quote(c.Name)
		switch c.Type {
		case infer.Float:
			parts = append(parts, "sum("+q+")", "avg("+q+")", "stddev_samp("+q+")")
		case infer.Integer, infer.Decimal:
			parts = append(parts, "NULL", "NULL", "stddev_samp("+q+")")
		default:
			continue
		}
		names = append(names, c.Name)
	}
	if len(names) == 0 {
		return nil
	}
	row, err := s.row(ctx, "SELECT "+strings.Join(parts, ", ")+" FROM "+data)
	if err != nil {
		// NaN and infinity have no deviation: the engine fails at them.
		if row, err = s.row(ctx, "SELECT "+withoutDeviation(parts)+" FROM "+data); err != nil {
			return err
		}
	}
	for i, name := range names {
		st := known[name]
		if st.Type == string(infer.Float) {
			st.Sum, st.Mean = row[3*i], row[3*i+1]
		}
		st.Stddev = row[3*i+2]
		known[name] = st
	}
	return nil
}

func withoutDeviation(parts []string) string {
	out := append([]string(nil), parts...)
	for i, p := range out {
		if col, ok := strings.CutPrefix(p, "stddev_samp("); ok {
			col = strings.TrimSuffix(col, ")")
			out[i] = fmt.Sprintf("CASE WHEN bool_and(isfinite(%s::DOUBLE)) THEN stddev_samp(CASE WHEN isfinite(%[1]s::DOUBLE) THEN %[1]s END) END", col)
		}
	}
	return strings.Join(out, ", ")
}

// row runs a statement of one row.
func (s *session) row(ctx context.Context, sql string) ([]json.RawMessage, error) {
	rows, err := s.rows(ctx, sql)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 {
		return nil, fmt.Errorf("%d rows instead of one", len(rows))
	}
	return rows[0], nil
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
