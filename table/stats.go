package table

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/arrowjson"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
)

const (
	// statsMemory limits the engine that computes statistics, because it holds
	// sets of distinct values in memory.
	statsMemory = "2GB"
	mostCommon  = 5
	histogram   = 10 // bins
)

// StatsRequest asks for statistics of columns.
type StatsRequest struct {
	Source
	Columns []string      `json:"columns,omitempty"` // empty: all
	Timeout time.Duration `json:"-"`                 // 0: ReadTimeout
}

// Stats are statistics of columns.
type Stats struct {
	RowCount int64         `json:"row_count"`
	Columns  []ColumnStats `json:"columns"`
	Warnings []api.Note    `json:"warnings"`
}

// ColumnStats are statistics of one column. Those that do not apply to its type
// are omitted. Values are as in rows.
type ColumnStats struct {
	Name             string `json:"name"`
	Type             string `json:"type"`
	NonNullCount     int64  `json:"non_null_count"`
	NullCount        int64  `json:"null_count"`
	DistinctEstimate int64  `json:"distinct_estimate"` // exact, despite its name

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

// Stats computes exact statistics of columns. They are cached for the next call.
func (t *Tables) Stats(ctx context.Context, r StatsRequest) (*Stats, error) {
	ctx, cancel := limitTime(ctx, r.Timeout, ReadTimeout)
	defer cancel()
	l, err := t.look(ctx, r.Source)
	if err != nil {
		return nil, timedOut(ctx, err)
	}
	defer l.Close()
	p := l.profile()
	columns, err := chooseColumns(p, r.Columns)
	if err != nil {
		return nil, err
	}
	l.only(columns)
	known := map[string]ColumnStats{}
	if kept, ok := l.entry.Answers["stats"]; ok {
		_ = json.Unmarshal(kept, &known) // damaged: computed again
	}
	if err := t.complete(ctx, l, columns, known); err != nil {
		return nil, timedOut(ctx, err)
	}
	out := &Stats{RowCount: p.Rows, Columns: []ColumnStats{}, Warnings: Warnings(p)}
	for _, c := range columns {
		out.Columns = append(out.Columns, known[c.Name])
	}
	return out, nil
}

// complete computes the statistics that known lacks.
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

// fill computes what does not depend on the number of threads.
func (st *ColumnStats) fill(ctx context.Context, s *session, c intake.Column, data string) error {
	q := duckdb.Quote(c.Name)
	distinct := fmt.Sprintf("(SELECT count(*) FROM (SELECT DISTINCT %s FROM %s WHERE %[1]s IS NOT NULL))", q, data)
	switch c.Type {
	case infer.Integer, infer.Decimal, infer.Float:
		return st.fillNumber(ctx, s, c, q, data)
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

// fillNumber groups by value once for all statistics that depend only on the
// distinct values and their counts. Memory grows with these, not with the rows.
func (st *ColumnStats) fillNumber(ctx context.Context, s *session, c intake.Column, q, data string) error {
	parts := []string{"(SELECT count(*) FROM g)", "min(v)", "max(v)"}
	for _, share := range []float64{0.25, 0.5, 0.75} {
		parts = append(parts, quantile(c.NonNull, share))
	}
	for bin := range histogram {
		parts = append(parts, fmt.Sprintf("coalesce(sum(n) FILTER (bin = %d), 0)::BIGINT", bin))
	}
	// Halves of values do not overflow where their differences would.
	row, err := s.row(ctx, fmt.Sprintf(`WITH g AS MATERIALIZED (SELECT %s AS v, count(*) AS n FROM %s WHERE %[1]s IS NOT NULL GROUP BY v),
r AS (SELECT min(v)::DOUBLE / 2 AS lo, max(v)::DOUBLE / 2 AS hi FROM g WHERE isfinite(v::DOUBLE)),
c AS (SELECT v, n, sum(n) OVER (ORDER BY v ROWS UNBOUNDED PRECEDING) AS upto,
CASE WHEN isfinite(v::DOUBLE) THEN CASE WHEN hi > lo THEN least(%[3]d, floor((v::DOUBLE / 2 - lo) / (hi - lo) * %[4]d))::INTEGER ELSE 0 END END AS bin FROM g, r)
SELECT %[5]s FROM c`, q, data, histogram-1, histogram, strings.Join(parts, ", ")))
	if err != nil {
		return err
	}
	st.DistinctEstimate, st.Min, st.Max = number(row[0]), row[1], row[2]
	st.P25, st.Median, st.P75 = row[3], row[4], row[5]
	if c.NonNull > 0 {
		for _, n := range row[6:] {
			st.Histogram = append(st.Histogram, number(n))
		}
	}
	if c.Type == infer.Float {
		return nil // see sums
	}
	if row, err = s.row(ctx, fmt.Sprintf("SELECT avg(%s), sum(%[1]s) FROM %s", q, data)); err != nil && c.Precision > 18 {
		// The sum of 38-digit numbers can overflow.
		row, err = s.row(ctx, fmt.Sprintf("SELECT avg(%s), NULL FROM %s", q, data))
	}
	if err == nil {
		st.Mean, st.Sum = row[0], row[1]
	}
	return err
}

// quantile is an expression for the value that a share of all n values do not
// exceed, interpolated between its two neighbours.
func quantile(n int64, share float64) string {
	at := share * float64(max(n-1, 0))
	low := int64(at)
	v := func(k int64) string {
		return fmt.Sprintf("(min(v) FILTER (upto > %d))::DOUBLE", min(k, max(n-1, 0)))
	}
	if float64(low) == at {
		return v(low)
	}
	part := at - float64(low)
	return fmt.Sprintf("%s * %g + %s * %g", v(low), 1-part, v(low+1), part)
}

// fillText groups once for both the different values and the commonest.
func (st *ColumnStats) fillText(ctx context.Context, s *session, q, data string) error {
	sql := fmt.Sprintf(`WITH g AS MATERIALIZED (SELECT %[1]s AS v, count(*) AS n FROM %[2]s WHERE %[1]s IS NOT NULL GROUP BY v)
SELECT (SELECT count(*) FROM g), (SELECT min(length(v::VARCHAR)) FROM g), (SELECT max(length(v::VARCHAR)) FROM g), v, n FROM (SELECT 1) LEFT JOIN g ON true ORDER BY n DESC, v LIMIT %[3]d`,
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

// sums computes what depends on the order in which floats are added; with one
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
			parts = append(parts, "any_value(NULL)", "any_value(NULL)", "stddev_samp("+q+")")
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
		if row, err = s.eachSum(ctx, parts, data); err != nil {
			return err
		}
	}
	for i, name := range names {
		st := known[name]
		if st.Type == string(infer.Float) {
			st.Sum, st.Mean = row[3*i], row[3*i+1]
			if notFinite(st.Sum) && !notFinite(st.Min) && !notFinite(st.Max) {
				// The values are finite, but their sum overflows a float.
				each, err := s.row(ctx, "SELECT "+instead(parts[3*i+1], data)[0]+" FROM "+data)
				if err != nil {
					return err
				}
				st.Sum, st.Mean = json.RawMessage("null"), each[0]
			}
		}
		st.Stddev = row[3*i+2]
		known[name] = st
	}
	return nil
}

// notFinite reports whether a float is infinite or no number.
func notFinite(v json.RawMessage) bool { return len(v) > 0 && v[0] == '"' }

// eachSum computes sums one by one if the engine fails on all together: NaN and
// infinity have no deviation, and sums can overflow. What cannot be computed is
// null.
func (s *session) eachSum(ctx context.Context, parts []string, data string) ([]json.RawMessage, error) {
	out := make([]json.RawMessage, len(parts))
	for i, part := range parts {
		for _, sql := range append([]string{part}, instead(part, data)...) {
			row, err := s.row(ctx, "SELECT "+sql+" FROM "+data)
			if err == nil {
				out[i] = row[0]
				break
			}
			var said *duckdb.Error
			if !errors.As(err, &said) || said.Type != "Out of Range" {
				return nil, err
			}
			out[i] = json.RawMessage("null")
		}
	}
	return out, nil
}

// instead lists alternatives to an aggregate that support larger values.
func instead(part, data string) []string {
	name, q, _ := strings.Cut(strings.TrimSuffix(part, ")"), "(")
	switch name {
	case "avg":
		return []string{fmt.Sprintf("sum(%s / (SELECT count(%[1]s) FROM %s))", q, data)}
	case "stddev_samp":
		return []string{
			fmt.Sprintf("CASE WHEN bool_and(isfinite(%s::DOUBLE)) THEN stddev_samp(CASE WHEN isfinite(%[1]s::DOUBLE) THEN %[1]s END) END", q),
			fmt.Sprintf("stddev_samp(%s::DOUBLE * 1e-160) * 1e160", q),
		}
	}
	return nil
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
