package summary

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/apache/arrow-go/v18/arrow"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

func connect(t testing.TB) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{Threads: 1, PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// summarize summarises the result of a statement.
func summarize(t testing.TB, c *duckdb.Conn, sql string, l limits) ([]arrow.Field, []Column) {
	t.Helper()
	rows, err := c.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	dir := t.TempDir()
	s := newSummary(rows.Schema().Fields(), dir, l)
	for rows.Next() {
		if err := s.Add(rows.RecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	out, err := s.Columns(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("files are left: %v, %v", left, err)
	}
	return rows.Schema().Fields(), out
}

// shown is everything about a column, in one line.
func shown(f arrow.Field, c Column) string {
	value := func(a arrow.Array) string {
		if a == nil {
			return "-"
		}
		return string(arrowjson.Bind(f, a).AppendJSON(nil, 0))
	}
	out := fmt.Sprintf("%d values, %d distinct, %s to %s, %d/%d", c.Values, c.Distinct, value(c.Min), value(c.Max), c.True, c.False)
	if c.Number != nil {
		n, _ := json.Marshal(map[string]any{"mean": float(c.Number.Mean), "dev": float(c.Number.Stddev), "sum": float(c.Number.FloatSum), "q": fmt.Sprint(c.Number.Quartiles)})
		out += fmt.Sprintf(" %s %v %v %d", n, c.Number.Histogram, c.Number.Sum, c.Number.Scale)
	}
	if c.Text != nil {
		out += fmt.Sprintf(" %d-%d", c.Text.Shortest, c.Text.Longest)
		for _, v := range c.Text.Common {
			out += fmt.Sprintf(" %d×%q", v.Count, v.Text)
		}
	}
	return out
}

func float(v *float64) string {
	if v == nil {
		return "-"
	}
	return fmt.Sprint(*v)
}

// tiny limits put nearly all values into files, and sort and count them in parts
// of parts.
var tiny = limits{held: 1 << 10, keys: 40, texts: 7, bytes: 200}

// types are expressions over i, the row, and r, a number by chance from 0 to n,
// for columns of every type that is summarised.
var types = []string{
	"r::TINYINT", "(r * 250)::SMALLINT", "(r - 60)::INTEGER", "(i * 1000003 - r)::BIGINT", "(r * 2)::UTINYINT", "(r * 500)::USMALLINT",
	"(r * 35000000)::UINTEGER", "r::UBIGINT * 150000000000000000::UBIGINT", "r::HUGEINT * 1000000000000000000 - 40000000000000000000",
	"(r::HUGEINT * 1000000000000000000000000000000000000)::UHUGEINT * 2", "(r / 3)::DECIMAL(4,1)", "(r / 7 - i)::DECIMAL(18,6)", "(r / 7 - i)::DECIMAL(30,12)", "(i % 5 - 2)::DECIMAL(38,0)",
	"(r / 7)::FLOAT", "(r / 3 - i)::DOUBLE", "exp(r) - exp(i % 100)", "r % 3 = 0", "DATE '1990-01-01' + r::INTEGER",
	"TIMESTAMP '2024-02-28 23:59:59.5' - to_microseconds(r * 777777777)", "(TIMESTAMP '2024-02-28' + to_seconds(r))::TIMESTAMP_S", "(TIMESTAMP '2024-02-28' + to_seconds(r))::TIMESTAMP_NS",
	"TIMESTAMPTZ '2024-02-28 23:59:59.5+00' - to_microseconds(r * 777777777)", "TIME '00:00:00' + to_microseconds(r * 777777777)",
	"'t' || r", "repeat('žé', (r % 40)::INTEGER) || (i % 3)", "CASE WHEN r % 2 = 0 THEN '' ELSE i::VARCHAR END", "('b' || r)::BLOB", "(r::VARCHAR)::JSON",
}

// rowsOf has n rows of all types, with NULLs.
func rowsOf(n, different int) string {
	items := make([]string, len(types))
	for j, x := range types {
		items[j] = fmt.Sprintf("CASE WHEN hash(i, %d) %% 11 > 0 THEN %s END AS c%[1]d", j, x)
	}
	return fmt.Sprintf("SELECT %s FROM (SELECT i, (hash(i) %% %d)::BIGINT AS r FROM range(%d) t(i))", strings.Join(items, ", "), min(different, 120), n)
}

// TestFiguresAreTheEngines compares the statistics of columns of every type with
// those that the engine computes, and those of little memory with those of much.
func TestFiguresAreTheEngines(t *testing.T) {
	c := connect(t)
	for _, size := range [][2]int{{0, 1}, {1, 1}, {2, 2}, {7, 3}, {100, 120}, {5000, 120}, {3000, 2}} {
		sql := rowsOf(size[0], size[1])
		if err := c.Exec(t.Context(), "CREATE OR REPLACE TABLE t AS "+sql); err != nil {
			t.Fatal(err)
		}
		fields, columns := summarize(t, c, "FROM t", standard)
		_, again := summarize(t, c, "FROM t", tiny)
		for j, col := range columns {
			got := shown(fields[j], col)
			if little := shown(fields[j], again[j]); got != little {
				t.Errorf("%v rows of %s: with little memory %s\nwith much %s", size, types[j], little, got)
			}
			compare(t, c, fmt.Sprintf("%v rows of %s", size, types[j]), fields[j], fmt.Sprintf("c%d", j), col)
		}
	}
}

// compare compares with the engine's figures.
func compare(t *testing.T, c *duckdb.Conn, what string, f arrow.Field, name string, col Column) {
	t.Helper()
	same := func(sql string, got ...any) {
		t.Helper()
		texts := make([]string, len(got))
		for i, g := range got {
			texts[i] = fmt.Sprint(g)
			if a, ok := g.(arrow.Array); ok {
				texts[i] = string(arrowjson.Bind(f, a).AppendJSON(nil, 0))
			}
		}
		if want := row(t, c, "SELECT "+strings.ReplaceAll(sql, "$v", name)+" FROM t"); !slices.Equal(want, texts) {
			t.Errorf("%s: %s: %v, the engine says %v", what, sql, texts, want)
		}
	}
	near := func(sql string, got *float64) {
		t.Helper()
		want, none := 0.0, row(t, c, "SELECT "+strings.ReplaceAll(sql, "$v", name)+" FROM t")[0]
		if none == "null" || got == nil {
			if none != "null" || got != nil {
				t.Errorf("%s: %s: %s, the engine says %s", what, sql, float(got), none)
			}
			return
		}
		if err := json.Unmarshal([]byte(none), &want); err != nil || math.Abs(*got-want) > 1e-13*math.Abs(want) {
			t.Errorf("%s: %s: %v, the engine says %s", what, sql, *got, none)
		}
	}
	same("count($v), count(DISTINCT $v)", col.Values, col.Distinct)
	if col.Values == 0 {
		return
	}
	switch n := col.Number; {
	case f.Type.ID() == arrow.BOOL:
		same("count(*) FILTER ($v), count(*) FILTER (NOT $v)", col.True, col.False)
	case col.Text != nil:
		same("min(length($v)), max(length($v))", col.Text.Shortest, col.Text.Longest)
		common := []any{}
		for _, x := range col.Text.Common {
			common = append(common, string(arrowjson.AppendString(nil, x.Text)), fmt.Sprintf("%q", fmt.Sprint(x.Count)))
		}
		same("* FROM (SELECT unnest([k, n::VARCHAR]) FROM (SELECT $v AS k, count($v) AS n FROM t WHERE $v IS NOT NULL GROUP BY $v ORDER BY n DESC, k LIMIT 5)) AS x --", common...)
	case col.Min != nil:
		same("min($v), max($v)", col.Min, col.Max)
		if n == nil {
			return
		}
		near("avg($v)", n.Mean)
		near("stddev_samp($v::DOUBLE)", n.Stddev)
		for i := range n.Quartiles {
			near(fmt.Sprintf("quantile_cont($v::DOUBLE, %g)", float64(i+1)/4), &n.Quartiles[i])
		}
		sum := n.FloatSum
		if n.Sum != nil {
			exact, _ := new(big.Rat).SetFrac(n.Sum, new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n.Scale)), nil)).Float64()
			sum = &exact
		}
		near("sum($v)::DOUBLE", sum)
		same(`list(n ORDER BY b) FROM (SELECT b, count(bin) AS n FROM range(10) r(b) LEFT JOIN
			(SELECT CASE WHEN hi > lo THEN least(9, floor(($v::DOUBLE / 2 - lo) / (hi - lo) * 10)) ELSE 0 END AS bin FROM t,
				(SELECT min($v)::DOUBLE / 2 AS lo, max($v)::DOUBLE / 2 AS hi FROM t) WHERE $v IS NOT NULL) ON bin = b GROUP BY b) --`, strings.ReplaceAll(fmt.Sprint(n.Histogram), " ", ","))
	}
}

// row has the values of a statement's first column, or of its only row, as JSON.
func row(t *testing.T, c *duckdb.Conn, sql string) (out []string) {
	t.Helper()
	rows, err := c.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Release()
	for rows.Next() {
		for _, c := range arrowjson.BindBatch(rows.RecordBatch()) {
			for i := range int(rows.RecordBatch().NumRows()) {
				out = append(out, string(c.AppendJSON(nil, i)))
			}
		}
	}
	if rows.Err() != nil {
		t.Fatal(rows.Err())
	}
	return out
}

// TestNumbersThatAreNone have NaN above infinity, one zero, and no deviation.
func TestNumbersThatAreNone(t *testing.T) {
	c := connect(t)
	for sql, want := range map[string]string{
		`SELECT unnest(['nan'::DOUBLE, '-inf'::DOUBLE, 1, 2, 'inf'::DOUBLE, -0.0, 0, -'nan'::DOUBLE]) AS v`: `8 values, 6 distinct, "-Infinity" to "NaN", 0/0 ` +
			`{"dev":"-","mean":"NaN","q":"[0 1.5 NaN]","sum":"NaN"} [2 0 0 0 0 1 0 0 0 1] <nil> 0`,
		`SELECT unnest([1, 2, 'inf'::DOUBLE]) AS v`: `3 values, 3 distinct, 1.0 to "Infinity", 0/0 {"dev":"-","mean":"+Inf","q":"[1.5 2 +Inf]","sum":"+Inf"} [1 0 0 0 0 0 0 0 0 1] <nil> 0`,
	} {
		fields, columns := summarize(t, c, sql, standard)
		if got := shown(fields[0], columns[0]); got != want {
			t.Errorf("%s, not %s", got, want)
		}
	}
}

// TestTextsThatAreLong are counted although no table has room for several.
func TestTextsThatAreLong(t *testing.T) {
	c := connect(t)
	sql := "SELECT repeat('x', 300 + (i % 50)::INTEGER) || i % 70 AS v FROM range(1000) t(i)"
	fields, much := summarize(t, c, sql, standard)
	_, little := summarize(t, c, sql, tiny)
	if a, b := shown(fields[0], much[0]), shown(fields[0], little[0]); a != b || much[0].Distinct != 350 {
		t.Errorf("%s\nwith little memory %s", a, b)
	}
}

// TestTheEndOfTheContextEnds the sorting of many values.
func TestTheEndOfTheContextEnds(t *testing.T) {
	c := connect(t)
	rows, err := c.Query(t.Context(), "SELECT i FROM range(100000) t(i)")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	s := newSummary(rows.Schema().Fields(), t.TempDir(), tiny)
	defer s.Close()
	for rows.Next() {
		if err := s.Add(rows.RecordBatch()); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Columns(ctx); err == nil {
		t.Error("no error")
	}
}

// TestSortNarrow sorts what slices.Sort sorts.
func TestSortNarrow(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{0, 1, 2, 255, 256, 257, 1000, 5000} {
		for _, mask := range []uint64{0, 1, 0xff, 0xff00, 0xffff0000ff, math.MaxUint64} {
			keys := make([]uint64, n)
			for i := range keys {
				keys[i] = rng.Uint64() & mask
			}
			want := slices.Sorted(slices.Values(keys))
			if sortNarrow(keys, make([]uint64, n)); !slices.Equal(keys, want) {
				t.Fatalf("%d keys with bits %x are not sorted", n, mask)
			}
		}
	}
}
