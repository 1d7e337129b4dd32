package table

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/table/infer"
	"github.com/agnes-data/da/table/intake"
)

// columnTypes are expressions over i, the row, and r, a number by chance from 0 to n,
// for columns of every type that has figures.
var columnTypes = []string{
	"r::TINYINT", "(r * 250)::SMALLINT", "(r - 60)::INTEGER", "(i * 1000003 - r)::BIGINT", "(r * 2)::UTINYINT", "(r * 500)::USMALLINT",
	"(r * 35000000)::UINTEGER", "r::UBIGINT * 150000000000000000::UBIGINT", "r::HUGEINT * 1000000000000000000 - 40000000000000000000",
	"(r::HUGEINT * 1000000000000000000000000000000000)::UHUGEINT * 2", "(r / 3)::DECIMAL(4,1)", "(r / 7 - i)::DECIMAL(18,6)", "(r / 7 - i)::DECIMAL(30,12)", "(i % 5 - 2)::DECIMAL(38,0)",
	"(r / 7)::FLOAT", "(r / 3 - i)::DOUBLE", "exp(r) - exp(i % 100)", "r % 3 = 0", "DATE '1990-01-01' + r::INTEGER",
	"TIMESTAMP '2024-02-28 23:59:59.5' - to_microseconds(r * 777777777)", "(TIMESTAMP '2024-02-28' + to_seconds(r))::TIMESTAMP_S", "(TIMESTAMP '2024-02-28' + to_seconds(r))::TIMESTAMP_NS",
	"TIMESTAMPTZ '2024-02-28 23:59:59.5+00' - to_microseconds(r * 777777777)", "TIME '00:00:00' + to_microseconds(r * 777777777)",
	"'t' || r", "repeat('žé', (r % 40)::INTEGER) || (i % 3)", "CASE WHEN r % 2 = 0 THEN '' ELSE i::VARCHAR END", "('b' || r)::BLOB", "(r::VARCHAR)::JSON",
}

// measured computes the figures of the columns of a statement's rows.
func measured(t *testing.T, sql string) (*session, []ColumnStats) {
	t.Helper()
	s, err := (&Tables{}).session(t.Context(), nil, limits{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	if err := s.conn.Exec(t.Context(), "CREATE TABLE t AS "+sql); err != nil {
		t.Fatal(err)
	}
	columns, err := s.conn.Describe(t.Context(), "FROM t")
	if err != nil {
		t.Fatal(err)
	}
	var all []ColumnStats
	for _, c := range columns {
		st := ColumnStats{Name: c.Name, Type: typeName(c.Type)}
		if err := st.measure(t.Context(), s, intake.Column{Name: c.Name, SQL: c.Type, Decision: infer.Decision{Type: infer.Type(st.Type)}}, "t"); err != nil {
			t.Fatalf("%s: %v", c.Type, err)
		}
		all = append(all, st)
	}
	return s, all
}

// TestFiguresAreTheEngines compares the statistics of columns of every type with
// the engine's aggregates.
func TestFiguresAreTheEngines(t *testing.T) {
	for _, size := range [][2]int{{0, 1}, {1, 1}, {2, 2}, {7, 3}, {100, 120}, {5000, 120}, {3000, 2}} {
		items := make([]string, len(columnTypes))
		for j, x := range columnTypes {
			items[j] = fmt.Sprintf("CASE WHEN hash(i, %d) %% 11 > 0 THEN %s END AS c%[1]d", j, x)
		}
		s, columns := measured(t, fmt.Sprintf("SELECT %s FROM (SELECT i, (hash(i) %% %d)::BIGINT AS r FROM range(%d) t(i))", strings.Join(items, ", "), size[1], size[0]))
		for j, c := range columns {
			compare(t, s, fmt.Sprintf("%v rows of %s", size, columnTypes[j]), c)
		}
	}
}

// compare compares with the engine's figures.
func compare(t *testing.T, s *session, what string, c ColumnStats) {
	t.Helper()
	engine := func(sql string) []json.RawMessage {
		t.Helper()
		rows, err := profile.Rows(t.Context(), s.conn, "SELECT "+strings.ReplaceAll(sql, "$v", duckdb.Quote(c.Name))+" FROM t")
		if err != nil {
			t.Fatal(err)
		}
		return rows[0]
	}
	same := func(sql string, got ...json.RawMessage) {
		t.Helper()
		if want := engine(sql); fmt.Sprintf("%s", want) != fmt.Sprintf("%s", got) {
			t.Errorf("%s: %s: %s, the engine says %s", what, sql, got, want)
		}
	}
	almost := func(sql string, got json.RawMessage) {
		t.Helper()
		var want *float64
		if err := json.Unmarshal(engine(sql)[0], &want); err != nil {
			t.Fatal(err)
		}
		if text := json.RawMessage(strings.Trim(string(got), `"`)); want == nil && string(got) != "null" || want != nil && !near(text, *want) {
			t.Errorf("%s: %s: %s, the engine says %v", what, sql, got, *want)
		}
	}
	count := func(n int64) json.RawMessage { return json.RawMessage(fmt.Sprint(n)) }
	same("count(DISTINCT $v)", count(c.DistinctEstimate))
	switch {
	case c.TrueCount != nil:
		same("count(*) FILTER ($v), count(*) FILTER (NOT $v)", count(*c.TrueCount), count(*c.FalseCount))
	case len(c.MostCommon) > 0:
		same("min(length($v)), max(length($v))", count(*c.MinLength), count(*c.MaxLength))
		for i, v := range c.MostCommon {
			same(fmt.Sprintf("k, n FROM (SELECT $v AS k, count($v) AS n FROM t WHERE $v IS NOT NULL GROUP BY $v ORDER BY n DESC, k LIMIT 1 OFFSET %d) AS x --", i), v.Value, count(v.Count))
		}
	case c.Min != nil:
		same("min($v), max($v)", c.Min, c.Max)
		if c.Histogram == nil {
			return
		}
		almost("avg($v::DOUBLE)", c.Mean)
		almost("stddev_samp($v::DOUBLE)", c.Stddev)
		almost("sum($v::DOUBLE)", c.Sum)
		almost("quantile_cont($v::DOUBLE, 0.25)", c.P25)
		almost("quantile_cont($v::DOUBLE, 0.5)", c.Median)
		almost("quantile_cont($v::DOUBLE, 0.75)", c.P75)
		same(`list(n ORDER BY b) FROM (SELECT b, count(bin) AS n FROM range(10) r(b) LEFT JOIN
			(SELECT CASE WHEN hi > lo THEN least(9, floor(($v::DOUBLE / 2 - lo) / (hi - lo) * 10)) ELSE 0 END AS bin FROM t,
				(SELECT min($v)::DOUBLE / 2 AS lo, max($v)::DOUBLE / 2 AS hi FROM t) WHERE $v IS NOT NULL) ON bin = b GROUP BY b) --`,
			json.RawMessage(strings.ReplaceAll(fmt.Sprint(c.Histogram), " ", ",")))
	}
}

// TestNumbersThatAreNone have NaN above infinity, one zero, and no deviation.
func TestNumbersThatAreNone(t *testing.T) {
	for sql, want := range map[string][]string{
		`SELECT unnest(['nan'::DOUBLE, '-inf'::DOUBLE, 1, 2, 'inf'::DOUBLE, -0.0, 0, -'nan'::DOUBLE]) AS v`: {`"-Infinity"`, `"NaN"`, `"NaN"`, `"NaN"`, "null", "0.0", "1.5", `"NaN"`, "[2 0 0 0 0 1 0 0 0 1]", "6"},
		`SELECT unnest([1, 2, 'inf'::DOUBLE]) AS v`:                                                         {"1.0", `"Infinity"`, `"Infinity"`, `"Infinity"`, "null", "1.5", "2.0", `"Infinity"`, "[1 0 0 0 0 0 0 0 0 1]", "3"},
		`SELECT unnest([-0.0, 5]) AS v`:                                                                     {"0.0", "5.0", "2.5", "5.0", "3.5355339059327378", "1.25", "2.5", "3.75", "[1 0 0 0 0 0 0 0 0 1]", "2"},
	} {
		_, columns := measured(t, sql)
		c := columns[0]
		var got []string
		for _, v := range []json.RawMessage{c.Min, c.Max, c.Mean, c.Sum, c.Stddev, c.P25, c.Median, c.P75} {
			got = append(got, string(v))
		}
		if got = append(got, fmt.Sprint(c.Histogram), fmt.Sprint(c.DistinctEstimate)); !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", sql, got, want)
		}
	}
}
