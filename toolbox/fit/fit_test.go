package fit

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

// answer fits the result of sql.
func answer(t *testing.T, conn *duckdb.Conn, sql string, o Options) *Answer {
	t.Helper()
	rows, err := conn.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	defer rows.Release()
	a, err := Read(t.Context(), rows, o)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return a
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(b.String())
}

func TestSmallResultIsWhole(t *testing.T) {
	got := encoded(t, answer(t, enginetest.Conn(t), `SELECT * FROM (VALUES (1, 'a', DATE '2001-01-10'), (2, NULL, NULL)) t(n, "Name", day)`, Options{}))
	want := `{"columns":["n","Name","day"],"column_types":["integer","string","date"],"rows":[[1,"a","2001-01-10"],[2,null,null]],"rows_total":2,"rows_shown":2,"truncated":false,"caveats":[]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	got = encoded(t, answer(t, enginetest.Conn(t), `SELECT 1 AS n WHERE false`, Options{}))
	want = `{"columns":["n"],"column_types":["integer"],"rows":[],"rows_total":0,"rows_shown":0,"truncated":false,"caveats":[]}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// mixed has a column of every kind that figures are made of.
const mixed = `SELECT i AS big, (i %% 7)::TINYINT AS tiny, i::UBIGINT * 10000000000000 AS ubig, i::HUGEINT * 1000000000000000000000 AS huge,
	(i * 1.01)::DECIMAL(18,2) AS money, CASE WHEN i %% 10 = 3 THEN NULL ELSE i / 3.0 END AS real, (i %% 2 = 0) AS flag,
	'text ' || (i * 7919) %% 100003 AS txt, DATE '2001-01-01' + (i %% 5000)::INTEGER AS day, TIMESTAMP '2001-01-01' + to_seconds(i) AS stamp,
	['SEA', 'SFO', 'JFK'][(i %% 3 + 1)::INTEGER]::ENUM('SEA', 'SFO', 'JFK') AS port, [i] AS list, 'same' AS one, NULL::INTEGER AS nothing,
	(-i / 7)::FLOAT AS small FROM range(%d) t(i)`

// TestFiguresAreThoseOfTheEngine asks the engine for the same figures over the
// rows that are not shown.
func TestFiguresAreThoseOfTheEngine(t *testing.T) {
	conn := enginetest.Conn(t)
	for _, c := range [][2]int{{2, 700}, {50, 700}, {50, 3000}, {1000, 700}, {1000, 2000}, {1000, 20_000}, {130_000, 4000}} {
		rows, tokens := c[0], c[1]
		sql := fmt.Sprintf(mixed, rows)
		a := answer(t, conn, sql, Options{MaxTokens: tokens})
		if n := len(encoded(t, a)); n > tokens*BytesPerToken {
			t.Errorf("%d rows in %d tokens: %d bytes", rows, tokens, n)
		}
		if a.RowsTotal != int64(rows) || a.RowsShown != int64(len(a.Rows)) || a.Truncated != (a.RowsShown < a.RowsTotal) {
			t.Errorf("%d rows in %d tokens: %d of %d, truncated %v", rows, tokens, a.RowsShown, a.RowsTotal, a.Truncated)
		}
		if fmt.Sprintf("%s %s", a.Constant["one"], a.Constant["nothing"]) != `"same" null` || len(a.Constant) != 2 {
			t.Errorf("%d rows: constant is %s", rows, a.Constant)
		}
		if a.Elided == nil {
			continue
		}
		if a.Elided.Rows != a.RowsTotal-a.RowsShown || len(a.Elided.Columns) != 13 {
			t.Fatalf("%d rows in %d tokens: %+v", rows, tokens, a.Elided)
		}
		for _, f := range a.Elided.Columns {
			compareFigures(t, conn, fmt.Sprintf("FROM (%s OFFSET %d)", sql, a.RowsShown), f)
		}
	}
}

func compareFigures(t *testing.T, conn *duckdb.Conn, from string, f Figures) {
	t.Helper()
	sum, value := "NULL", f.Column
	switch f.Column {
	case "port":
		value += "::VARCHAR" // the engine orders an ENUM's texts as they were declared
	case "big", "tiny", "ubig", "huge", "money":
		sum = "sum(" + f.Column + ")"
	case "real", "small":
		sum = fmt.Sprintf("CASE WHEN abs(sum(%[1]s) - (%[2]s)) <= 1e-9 * abs(sum(%[1]s)) THEN (%[2]s)::VARCHAR END", f.Column, orNull(f.Sum))
	}
	sql := fmt.Sprintf("SELECT count(*) - count(%[1]s) AS nulls, min(%[1]s) AS low, max(%[1]s) AS high, %[2]s AS sum, count(DISTINCT %[1]s) AS n %[3]s", value, sum, from)
	want := answer(t, conn, sql, Options{}).Rows[0]
	if f.Column == "list" {
		if f.Min != nil || f.Sum != nil || f.Distinct != nil || string(want[0]) != "0" {
			t.Errorf("%+v", f)
		}
		return
	}
	got := []string{fmt.Sprint(f.Nulls), orNull(f.Min), orNull(f.Max), orNull(f.Sum), string(want[4])}
	if f.Distinct != nil {
		got[4] = fmt.Sprint(*f.Distinct)
	} else if string(want[4]) == "" || len(want[4]) < 4 {
		t.Errorf("%s: no number of different values, which are %s", f.Column, want[4])
	}
	for k, g := range got {
		if strings.Trim(g, `"`) != strings.Trim(string(want[k]), `"`) {
			t.Errorf("%s of %s is %s, the engine says %s (%s)", []string{"nulls", "min", "max", "sum", "distinct"}[k], f.Column, g, want[k], from)
		}
	}
}

func orNull(v json.RawMessage) string {
	if v == nil {
		return "null"
	}
	return string(v)
}

// TestWhatIsConstantAtFirst is folded only if it is so to the end.
func TestWhatIsConstantAtFirst(t *testing.T) {
	conn := enginetest.Conn(t)
	for _, other := range []string{"'b'", "NULL", "repeat('a', 500) || 'x'"} {
		sql := fmt.Sprintf(`SELECT i, CASE WHEN i = 99999 THEN %s ELSE repeat('a', 500) END AS c FROM range(100000) t(i)`, other)
		a := answer(t, conn, sql, Options{})
		if len(a.Constant) != 0 || len(a.Rows[0]) != 2 || len(encoded(t, a)) > DefaultTokens*BytesPerToken {
			t.Errorf("%s: %s", other, encoded(t, a)[:300])
		}
	}
	a := answer(t, conn, `SELECT i, repeat('a', 500) AS c FROM range(100) t(i)`, Options{})
	if encoded(t, a.Constant["c"]) != `{"start":"`+strings.Repeat("a", 200)+`","chars":500}` || a.CellsCut != 1 || !a.Truncated || a.RowsShown != 100 {
		t.Errorf("got %s", encoded(t, a))
	}
	// Folding makes room for rows.
	a = answer(t, conn, `SELECT i, 'always the same text' AS c FROM range(1000) t(i)`, Options{MaxTokens: 1700})
	if a.RowsShown != 1000 || a.Truncated {
		t.Errorf("%d rows of 1000 are shown", a.RowsShown)
	}
}

func TestLongCellsAreCutWithTheirLength(t *testing.T) {
	a := answer(t, enginetest.Conn(t), `SELECT repeat('ž', 1000) AS s, range(1000) AS l, i FROM range(2) t(i)`, Options{})
	if a.CellsCut != 3 || !a.Truncated || a.Elided != nil {
		t.Fatalf("got %s", encoded(t, a))
	}
	var cell struct {
		Start string
		Chars int
	}
	if err := json.Unmarshal(a.Rows[0][0], &cell); err != nil || cell.Chars != 3891 || !strings.HasPrefix(cell.Start, "[0,1,2,") {
		t.Errorf("%s: %v", a.Rows[0][0], err)
	}
	whole := encoded(t, a.Constant["s"])
	if err := json.Unmarshal([]byte(whole), &cell); err != nil || cell.Chars != 1000 || cell.Start != strings.Repeat("ž", 200) {
		t.Errorf("%s: %v", whole, err)
	}
}

func TestWideResults(t *testing.T) {
	var columns []string
	for i := range 3000 {
		columns = append(columns, fmt.Sprintf("i + %d AS column_%d", i, i))
	}
	sql := "SELECT " + strings.Join(columns, ", ") + " FROM range(3) t(i)"
	for _, tokens := range []int{MinTokens, 1000, 4000, 100_000} {
		a := answer(t, enginetest.Conn(t), sql, Options{MaxTokens: tokens})
		n := len(encoded(t, a))
		if n > tokens*BytesPerToken || !a.Truncated && tokens < 100_000 {
			t.Errorf("%d tokens: %d bytes, truncated %v", tokens, n, a.Truncated)
		}
		if tokens < 100_000 && (a.ColumnsCut == nil || a.ColumnsCut.Total != 3000 || a.ColumnsCut.Shown != len(a.Columns)) {
			t.Errorf("%d tokens: %+v", tokens, a.ColumnsCut)
		}
		if a.Elided != nil && a.Elided.Unaccounted+len(a.Elided.Columns) != len(a.Columns) {
			t.Errorf("%d tokens: %d and %d of %d columns", tokens, a.Elided.Unaccounted, len(a.Elided.Columns), len(a.Columns))
		}
	}
}

func TestAtMostSoManyRows(t *testing.T) {
	for _, n := range []int64{1, 7, 100, 101} {
		a := answer(t, enginetest.Conn(t), "SELECT i FROM range(100) t(i)", Options{MaxRows: n})
		want := min(n, 100)
		if a.RowsShown != want || a.RowsTotal != 100 || a.Truncated != (n < 100) {
			t.Errorf("%d: %d of %d, truncated %v", n, a.RowsShown, a.RowsTotal, a.Truncated)
		}
		if n < 100 && (a.Elided == nil || string(a.Elided.Columns[0].Min) != fmt.Sprint(n)) {
			t.Errorf("%d: %s", n, encoded(t, a.Elided))
		}
	}
}

func TestBudgetsThatAreTooSmall(t *testing.T) {
	rows, err := enginetest.Conn(t).Query(t.Context(), "SELECT 1")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	if _, err := Read(t.Context(), rows, Options{MaxTokens: MinTokens - 1}); !api.CodeUsage.Is(err) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, rows, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// TestMemoryDoesNotGrowWithTheResult reads a result of 1 GB of text.
func TestMemoryDoesNotGrowWithTheResult(t *testing.T) {
	conn := enginetest.Conn(t)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	rows, err := conn.Query(t.Context(), `SELECT i, 'v' || i AS s, repeat('x', 1000) AS long FROM range(1000000) t(i)`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Release()
	c, err := New(rows.Schema(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	for rows.Next() {
		c.Add(rows.RecordBatch())
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 8<<20 {
		t.Errorf("%d bytes are kept", grown)
	}
	a := c.Answer()
	if a.RowsTotal != 1_000_000 || a.CellsCut != 1 || string(a.Elided.Columns[0].Max) != "999999" {
		t.Errorf("got %.300s", encoded(t, a))
	}
}

// TestColumnsThatOccurTwiceAreTold: a tool's columns have names of their own, and which
// were renamed is told within the budget.
func TestColumnsThatOccurTwiceAreTold(t *testing.T) {
	conn := enginetest.Conn(t)
	a := answer(t, conn, "SELECT i AS a, i + 1 AS a, i + 2 AS A FROM range(2000) t(i)", Options{MaxTokens: MinTokens})
	if n := len(encoded(t, a)); len(a.Caveats) != 1 || a.Caveats[0].Kind != api.CaveatRenamed || n > MinTokens*BytesPerToken ||
		!strings.Contains(a.Caveats[0].Text, "'a' is 'a_1', 'A' is 'A_2'") {
		t.Errorf("%d bytes: %v", n, a.Caveats)
	}
	if a = answer(t, conn, "SELECT 1 AS a, 2 AS b", Options{}); len(a.Caveats) > 0 {
		t.Errorf("told without need: %v", a.Caveats)
	}
}
