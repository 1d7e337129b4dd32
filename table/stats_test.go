package table

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
)

// parquet writes the result of a statement, without the reader under test.
func parquet(t testing.TB, path, sql string) {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.Exec(context.Background(), "COPY ("+sql+") TO "+duckdb.Literal(path)+" (FORMAT parquet)"); err != nil {
		t.Fatal(err)
	}
}

// TestStatsOfEveryType has figures for columns of any type, and for all others
// beside one that has none.
func TestStatsOfEveryType(t *testing.T) {
	ts, dir := newTables(t)
	types := map[string]string{
		"uuid": "'6ccd780c-baba-1026-9564-5b8c656024db'::UUID", "interval": "INTERVAL 3 DAYS", "time": "TIME '10:00:00'", "blob": "'x'::BLOB",
		"hugeint": "1::HUGEINT", "utinyint": "1::UTINYINT", "decimal": "1.5::DECIMAL(38,10)", "list": "[1]", "struct": "{'a': 1}",
		"map": "MAP {'a': 1}", "json": `'{"a":1}'::JSON`, "enum": "'a'::ENUM('a')", "timestamptz": "TIMESTAMPTZ '2024-01-01 00:00:00+00'",
		"timestamp_ns": "TIMESTAMP_NS '2024-01-01'", "bit": "'101'::BIT", "nothing": "NULL", "boolean": "true", "date": "DATE '2024-01-01'", "float": "1.5::FLOAT",
	}
	var parts []string
	for name, v := range types {
		parts = append(parts, v+" AS "+duckdb.Quote(name))
	}
	parquet(t, filepath.Join(dir, "all.parquet"), "SELECT "+strings.Join(parts, ", "))
	st, err := ts.Stats(context.Background(), StatsRequest{Source: Source{Path: "all.parquet"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range st.Columns {
		if want := int64(1); c.Name != "nothing" && c.DistinctEstimate != want {
			t.Errorf("%s (%s): %d different values", c.Name, c.Type, c.DistinctEstimate)
		}
	}
}

// TestStatsOfIntervals holds that intervals are shown as rows show them, that equal
// ones count as one, and that no name of a column is taken for one of ours.
func TestStatsOfIntervals(t *testing.T) {
	ts, dir := newTables(t)
	parquet(t, filepath.Join(dir, "i.parquet"), `SELECT i AS v, i AS n, i AS g, NULL::INTERVAL AS none FROM (VALUES (INTERVAL 30 DAYS), (INTERVAL 1 MONTH), (INTERVAL 1 HOUR), (NULL)) AS t(i)`)
	st, err := ts.Stats(context.Background(), StatsRequest{Source: Source{Path: "i.parquet"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range st.Columns {
		want := `[{"value":"P30D","count":2},{"value":"PT1H","count":1}]`
		distinct := int64(2)
		if c.Name == "none" {
			want, distinct = "null", 0
		}
		got := strings.ReplaceAll(show(t, c.MostCommon), `"P1M"`, `"P30D"`) // either stands for both
		if got != want || c.DistinctEstimate != distinct {
			t.Errorf("%s: %s, %d different", c.Name, got, c.DistinctEstimate)
		}
	}
}

// TestStatsOfLargeNumbers computes what a float can hold and leaves out the
// rest.
func TestStatsOfLargeNumbers(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "large.csv", "id,x\n1,1.5e308\n2,-1.5e308\n3,1.0e308\n4,1.6e308\n")
	st, err := ts.Stats(context.Background(), StatsRequest{Source: Source{Path: "large.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	x := st.Columns[1]
	mean, dev := 0.0, 0.0
	for _, v := range []float64{1.5, -1.5, 1, 1.6} {
		mean += v / 4
	}
	for _, v := range []float64{1.5, -1.5, 1, 1.6} {
		dev += (v - mean) * (v - mean) / 3
	}
	if !near(x.Mean, mean*1e308) || !near(x.Stddev, math.Sqrt(dev)*1e308) || !near(x.Median, 1.25e308) || string(x.Sum) != "null" ||
		fmt.Sprint(x.Histogram) != "[1 0 0 0 0 0 0 0 1 2]" || st.Columns[0].Sum == nil {
		t.Error(show(t, st))
	}
}

func near(v json.RawMessage, want float64) bool {
	var got float64
	return json.Unmarshal(v, &got) == nil && math.Abs(got-want) <= 1e-12*math.Abs(want)
}

// TestQuartilesAreTheEngines compares quartiles with those that the engine
// computes from all values.
func TestQuartilesAreTheEngines(t *testing.T) {
	ts, dir := newTables(t)
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range 12 {
		var b strings.Builder
		b.WriteString("i,f\n")
		for range n * n {
			fmt.Fprintf(&b, "%d,%.6f\n", rng.IntN(9)-4, rng.NormFloat64())
		}
		b.WriteString("3,\n")
		name := fmt.Sprintf("q%d.csv", n)
		write(t, dir, name, b.String())
		st, err := ts.Stats(context.Background(), StatsRequest{Source: Source{Path: name}})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range st.Columns {
			got := fmt.Sprintf("[[%s,%s,%s]]", c.P25, c.Median, c.P75)
			sql := fmt.Sprintf("SELECT quantile_cont(%s::DOUBLE, 0.25), quantile_cont(%[1]s::DOUBLE, 0.5), quantile_cont(%[1]s::DOUBLE, 0.75) FROM data", c.Name)
			if want := answer(t, ts, name, sql); c.Type != "string" && !strings.HasSuffix(want, " "+got) {
				t.Errorf("%d rows, %s: %s, the engine says %s", n*n+1, c.Name, got, want)
			}
		}
	}
}

// TestFiguresOfDecimalsAreRoundedOnce: halves of 1.1 and of 99999999.99 have no exact floats.
func TestFiguresOfDecimalsAreRoundedOnce(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "d.csv", "d\n1.10\n99999999.99\n")
	st, err := ts.Stats(context.Background(), StatsRequest{Source: Source{Path: "d.csv"}})
	if err != nil {
		t.Fatal(err)
	}
	c := st.Columns[0]
	if got := fmt.Sprintf("%s %s %s %s", c.P25, c.Median, c.P75, c.Mean); got != "25000000.8225 50000000.545 75000000.2675 50000000.545" {
		t.Error(got)
	}
}

// TestTimeIsBounded ends each operation at its limit with an error that says
// so, and gives no answer.
func TestTimeIsBounded(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "a.csv", sales)
	ctx, src, short := context.Background(), Source{Path: "a.csv"}, time.Nanosecond
	for name, err := range map[string]error{
		"map":      second(ts.Map(ctx, MapRequest{Source: src, Timeout: short})),
		"describe": second(ts.Describe(ctx, DescribeRequest{Source: src, Timeout: short})),
		"stats":    second(ts.Stats(ctx, StatsRequest{Source: src, Timeout: short})),
		"rows":     second(ts.Rows(ctx, RowsRequest{Source: src, RowStart: 1, RowCount: 1, Timeout: short})),
		"query":    second(ts.Query(ctx, QueryRequest{Source: src, Query: "SELECT 1 FROM data", Timeout: short})),
	} {
		if !api.CodeTimeout.Is(err) || !strings.Contains(err.Error(), "before the file was read") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestReadingHasItsOwnTime: the limit of a statement does not count what reads a file, or
// builds what is kept of it.
func TestReadingHasItsOwnTime(t *testing.T) {
	ts, dir := newTables(t)
	write(t, dir, "long.csv", "a,b,c\n"+strings.Repeat("1,2,3\n", 1<<18))
	for i, want := range []time.Duration{ReadTimeout, DefaultTimeout, DefaultTimeout} { // the first reads the file itself
		ctx, cancel := limitTime(t.Context(), 0, ReadTimeout)
		defer cancel()
		q, err := ts.prepare(ctx, Source{Path: "long.csv"}, nil, "SELECT sum(a) FROM data", limits{threads: 1})
		if err != nil {
			t.Fatal(err)
		}
		if got := q.time(); got != want {
			t.Errorf("statement %d may take %s, not %s", i+1, got, want)
		}
		q.Close()
		if _, err := ts.Query(t.Context(), QueryRequest{Source: Source{Path: "long.csv"}, Query: "SELECT sum(a) FROM data"}); err != nil {
			t.Fatal(err)
		}
	}
}
