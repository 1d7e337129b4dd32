package resultset

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/rows/arrowjson"
)

var ann = Owner{User: "ann", Access: "all"}

func newTest(t *testing.T, limits Limits) *Store {
	t.Helper()
	s := New(t.TempDir(), limits)
	t.Cleanup(s.Close)
	return s
}

// rowsOf runs a statement in an engine of its own.
func rowsOf(t *testing.T, sql string) api.Rows {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{PreserveOrder: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	rows, err := c.Query(t.Context(), sql)
	if err != nil {
		t.Fatal(err)
	}
	return (&api.Stream{Batches: rows, End: func() api.End { return api.End{} }}).Rows()
}

func keep(t *testing.T, s *Store, sql string) *Set {
	t.Helper()
	set, err := s.Keep(t.Context(), ann, rowsOf(t, sql))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// lines writes rows as JSON, a line for each.
func lines(t *testing.T, rows array.RecordReader) string {
	t.Helper()
	var out strings.Builder
	for rows.Next() {
		columns := arrowjson.BindBatch(rows.RecordBatch())
		for i := range int(rows.RecordBatch().NumRows()) {
			for j, c := range columns {
				fmt.Fprintf(&out, "%s%s", map[bool]string{true: "", false: " "}[j == 0], c.AppendJSON(nil, i))
			}
			out.WriteByte('\n')
		}
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func window(t *testing.T, set *Set, part api.ResultPart, from, limit int64) (text string, found int64) {
	t.Helper()
	s, found, err := set.Stream(t.Context(), part, from, limit)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	return lines(t, s.Batches), found
}

func ptr(s string) *string { return &s }

// TestAWindowHoldsWhatCame compares values of every kind with those of the stream
// they came in, also under names that occur twice.
func TestAWindowHoldsWhatCame(t *testing.T) {
	const sql = `SELECT i AS a, i AS a, 'x' || i AS "a b", i::DECIMAL(38, 9) / 7 AS d, i::HUGEINT * 170141183460469231731687303715884 AS h, DATE '2020-01-01' + i::INT AS day,
		TIMESTAMP '2020-01-01 10:00:00.123456' AS ts, TIMESTAMPTZ '2020-01-01 10:00:00+02' AS tz, TIME '10:00:01' AS clock, INTERVAL (i) DAY AS span, '00000000-0000-0000-0000-000000000001'::UUID AS u,
		'a'::BLOB AS bytes, [i, NULL] AS list, {'n': i, 'm': 'x'} AS object, MAP {'k': i} AS m, '{"a": 1}'::JSON AS j, i % 2 = 0 AS yes, NULL AS nothing, 'NaN'::DOUBLE AS nan, 'f'::ENUM ('f', 'g') AS e
		FROM range(3) t(i)`
	set := keep(t, newTest(t, Usual), sql)
	want := lines(t, rowsOf(t, sql))
	if got, found := window(t, set, api.ResultPart{}, 0, 100); got != want || found != 3 {
		t.Errorf("%d rows\n%s\nwant\n%s", found, got, want)
	}
	if set.Columns[1].Name != "a" || set.Columns[2].Name != "a b" || !set.Columns[0].Numeric {
		t.Errorf("columns %v", set.Columns)
	}
	columns := make([]int, len(set.Columns))
	for i := range columns {
		columns[i] = i
	}
	if _, err := set.Summarize(t.Context(), api.ResultPart{}, columns); err != nil {
		t.Error(err)
	}
	for at := range set.Columns { // none of them stops the engine
		for _, down := range []bool{false, true} {
			if _, found := window(t, set, api.ResultPart{Order: &api.ResultOrder{At: at, Down: down}}, 0, 9); found != 3 {
				t.Errorf("column %d: %d rows", at, found)
			}
		}
	}
}

// TestPartsAreOfAllRows orders and narrows a million rows, of which any window
// comes.
func TestPartsAreOfAllRows(t *testing.T) {
	const n = 1_000_000
	row := func(i int, w string) string { return fmt.Sprintf("%d %d %s\n", i, i*7919%n, w) }
	set := keep(t, newTest(t, Usual), fmt.Sprintf("SELECT i, (i * 7919) %% %d AS k, CASE WHEN i %% 10 = 0 THEN NULL ELSE 'Word' || i %% 3 END AS w FROM range(%d) t(i)", n, n))
	for _, c := range []struct {
		part        api.ResultPart
		from, limit int64
		want        string
		found       int64
	}{
		{api.ResultPart{}, 999_998, 10, row(999998, `"Word2"`) + row(999999, `"Word0"`), n},
		{api.ResultPart{}, n, 10, "", n},
		{api.ResultPart{Order: &api.ResultOrder{At: 0, Down: true}}, 0, 1, row(999999, `"Word0"`), n},
		{api.ResultPart{Order: &api.ResultOrder{At: 1}}, 500_000, 1, row(500000, "null"), n},
		{api.ResultPart{Order: &api.ResultOrder{At: 2, Down: true}}, n - 1, 1, row(999990, "null"), n}, // NULL is last
		{api.ResultPart{Where: []api.ResultCondition{{At: 0, Is: ptr("123456")}}}, 0, 5, row(123456, `"Word0"`), 1},
		{api.ResultPart{Where: []api.ResultCondition{{At: 0, In: []string{"7", "123456", "7000000"}}, {At: 2, In: []string{"Word0", "Word1"}}}}, 0, 5, row(7, `"Word1"`) + row(123456, `"Word0"`), 2},
		{api.ResultPart{Where: []api.ResultCondition{{At: 2, Null: true}}}, 99_999, 5, row(999990, "null"), 100_000},
		{api.ResultPart{Where: []api.ResultCondition{{At: 0, From: ptr("10"), To: ptr("20")}, {At: 2, Has: "WORD1"}}}, 0, 9, row(13, `"Word1"`) + row(16, `"Word1"`) + row(19, `"Word1"`), 3},
		{api.ResultPart{Where: []api.ResultCondition{{At: 0, From: ptr("999998"), To: ptr("999999"), Last: true}}, Words: "WORD2 999998"}, 0, 9, row(999998, `"Word2"`), 1},
	} {
		got, found := window(t, set, c.part, c.from, c.limit)
		if got != c.want || found != c.found {
			t.Errorf("%+v from %d: %d rows found\n%swant %d\n%s", c.part, c.from, found, got, c.found, c.want)
		}
	}
	for _, part := range []api.ResultPart{{Order: &api.ResultOrder{At: 3}}, {Where: []api.ResultCondition{{At: -1, Null: true}}}, {Where: []api.ResultCondition{{At: 0}}}, {Where: []api.ResultCondition{{At: 0, Is: ptr("x'); DROP TABLE r; --")}}}} {
		var e *api.Error
		if _, _, err := set.Stream(t.Context(), part, 0, 1); !errors.As(err, &e) || e.Code != api.CodeBadRequest {
			t.Errorf("%+v: %v", part, err)
		}
	}
}

func TestSummariesAreOfAllRows(t *testing.T) {
	set := keep(t, newTest(t, Usual), "SELECT i AS n, CASE WHEN i < 10 THEN NULL WHEN i < 60 THEN 'b' ELSE 'a' END AS w, [i % 2] AS l FROM range(100) t(i)")
	got, err := set.Summarize(t.Context(), api.ResultPart{}, []int{0, 1, 2})
	if err != nil {
		t.Fatal(err)
	}
	n, w, l := got[0], got[1], got[2]
	total := int64(0)
	for _, b := range n.Bins {
		total += b.N
	}
	if n.Rows != 100 || n.Distinct != 100 || string(n.Low) != "0" || string(n.High) != "99" || string(n.Median) != "49.5" || total != 100 || string(n.Bins[0].From) != "0" || string(n.Bins[0].To) != "10" || n.Bins[0].N != 10 {
		t.Errorf("n: %+v", n)
	}
	if w.Nulls != 10 || w.Distinct != 2 || len(w.Top) != 2 || string(w.Top[0].Value) != `"b"` || w.Top[0].N != 50 {
		t.Errorf("w: %+v", w)
	}
	if l.Distinct != 2 || len(l.Top) != 2 || l.Low != nil {
		t.Errorf("l: %+v", l)
	}
	part, err := set.Summarize(t.Context(), api.ResultPart{Where: []api.ResultCondition{{At: 1, Is: ptr("b")}}, Order: &api.ResultOrder{At: 0}}, []int{0})
	if err != nil || part[0].Rows != 50 || string(part[0].Low) != "10" || string(part[0].High) != "59" {
		t.Errorf("%v %+v", err, part)
	}
	if _, err := json.Marshal(got); err != nil {
		t.Error(err)
	}
}

// TestResultsAreTheirOwners: of others, under other rights and after a while they
// are not there, and their files go.
func TestTimesAreSummarizedByPeriods(t *testing.T) {
	t.Parallel()
	set := keep(t, newTest(t, Usual), "SELECT CAST(TIMESTAMP '2024-01-15 10:00:00' + INTERVAL (i * 5) DAY AS TIMESTAMPTZ) AS at, DATE '2024-02-01' + CAST(i AS INTEGER) AS d FROM range(8) t(i) UNION ALL SELECT CAST('infinity' AS TIMESTAMPTZ), NULL")
	all, err := set.Summarize(t.Context(), api.ResultPart{}, []int{0, 1})
	if err != nil {
		t.Fatal(err)
	}
	// The shortest period of which few fill the whole: days, and those without rows are there.
	if bins := all[0].Bins; len(bins) != 36 || string(bins[0].From) != `"2024-01-15"` || string(bins[0].To) != `"2024-01-16"` || bins[0].N != 1 || bins[1].N != 0 {
		t.Errorf("%+v", bins)
	}
	for at, s := range all {
		total := int64(0)
		for _, b := range s.Bins {
			total += b.N
			from, to := strings.Trim(string(b.From), `"`), strings.Trim(string(b.To), `"`)
			_, found, err := set.Stream(t.Context(), api.ResultPart{Where: []api.ResultCondition{{At: at, From: &from, To: &to}}}, 0, 1)
			if err != nil || found != b.N {
				t.Errorf("column %d: the range from %s to %s has %d rows, and shows %d: %v", at, from, to, b.N, found, err)
			}
		}
		if total != 8 {
			t.Errorf("column %d: %d rows are in ranges", at, total)
		}
	}
}

func TestResultsAreTheirOwners(t *testing.T) {
	now := time.Unix(1000, 0)
	limits := Usual
	limits.Own, limits.Each = 2, 1<<20
	s := newTest(t, limits)
	s.now = func() time.Time { return now }
	onDisk := func() (n int) {
		entries, err := os.ReadDir(s.dir)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.HasSuffix(e.Name(), ".db") {
				n++
			}
		}
		return n
	}
	set := keep(t, s, "SELECT 1 AS a")
	if _, err := s.Find(set.ID, ann); err != nil {
		t.Error(err)
	}
	s.Drop(set.ID, "ben")
	if _, err := s.Find(set.ID, Owner{User: "ben", Access: "all"}); err == nil {
		t.Error("ben sees Ann's result")
	}
	if _, err := s.Find(set.ID, Owner{User: "ann", Access: "less"}); err == nil || onDisk() != 0 {
		t.Errorf("under other rights: %v, %d files", err, onDisk())
	}
	first := keep(t, s, "SELECT 1 AS a")
	now = now.Add(time.Second)
	keep(t, s, "SELECT 2 AS a")
	now = now.Add(time.Second)
	third := keep(t, s, "SELECT 3 AS a")
	if _, err := s.Find(first.ID, ann); err == nil || onDisk() != 2 {
		t.Errorf("the oldest: %v, %d files", err, onDisk())
	}
	if _, err := s.Keep(t.Context(), ann, rowsOf(t, "SELECT i, i AS j FROM range(200000) t(i)")); err == nil || onDisk() != 2 {
		t.Errorf("a large one: %v, %d files", err, onDisk())
	}
	if now = now.Add(limits.For); len(s.overdue()) != 2 {
		t.Error("what nobody looks at stays")
	}
	if _, err := s.Find(third.ID, ann); err == nil {
		t.Error("an old result is there")
	}
	s.Close()
	if _, err := s.Keep(context.Background(), ann, rowsOf(t, "SELECT 1")); err == nil {
		t.Error("a closed store keeps results")
	}
}

// TestManyLookAtOnce while results come and go.
func TestManyLookAtOnce(t *testing.T) {
	limits := Usual
	limits.Own = 3
	s := newTest(t, limits)
	var group sync.WaitGroup
	for n := range 6 {
		rows := rowsOf(t, fmt.Sprintf("SELECT i AS n, %d AS k FROM range(20000) t(i)", n))
		group.Go(func() {
			set, err := s.Keep(t.Context(), ann, rows)
			if err != nil {
				t.Error(err)
				return
			}
			for at := range 20 {
				rows, _, err := set.Stream(t.Context(), api.ResultPart{Words: fmt.Sprint(at % 6), Order: &api.ResultOrder{At: at % 2}}, 10, 5)
				if errors.Is(err, errGone) {
					return
				}
				if err != nil {
					t.Error(err)
					return
				}
				if text := lines(t, rows.Batches); strings.Count(text, fmt.Sprintf(" %d\n", n)) != 5 {
					t.Errorf("%d: %s", n, text)
				}
				rows.Close()
			}
		})
	}
	group.Wait()
}

// TestGroupsAreOfAllRows computes figures of values, ranges and periods over more
// rows than any page holds.
func TestGroupsAreOfAllRows(t *testing.T) {
	const n = 200_000
	set := keep(t, newTest(t, Usual), fmt.Sprintf("SELECT i AS n, 'g' || i %% 3 AS g, TIMESTAMP '2020-01-01' + INTERVAL (i) MINUTE AS at, CASE WHEN i = 0 THEN 'inf'::DOUBLE ELSE i %% 10 END AS y, i AS id FROM range(%d) t(i)", n))
	group := func(req api.GroupResult) (string, *api.ResultGroups) {
		t.Helper()
		s, out, err := set.Group(t.Context(), req)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		return lines(t, s.Batches), out
	}
	if got, out := group(api.GroupResult{X: 1, By: -1, Y: 4, How: "count"}); got != "\"g0\" 66667 null null 66667 0\n\"g1\" 66667 null null 66667 0\n\"g2\" 66666 null null 66666 0\n" || out.Found != 3 {
		t.Errorf("%d groups\n%s", out.Found, got)
	}
	mean, _ := group(api.GroupResult{X: 0, By: -1, Y: 3, How: "mean", Bins: true})
	if want := "0.0 4.500225011250563 null 20000.0 20000 1\n20000.0 4.5 null 40000.0 20000 0\n"; !strings.HasPrefix(mean, want) || strings.Count(mean, "\n") != 10 {
		t.Errorf("ranges:\n%s", mean)
	}
	days, out := group(api.GroupResult{X: 2, By: 1, Y: 0, How: "distinct", Part: api.ResultPart{Where: []api.ResultCondition{{At: 1, Is: ptr("g1")}}}})
	if out.Each != "day" || out.Found != 139 || !strings.HasPrefix(days, `"2020-01-01T00:00:00" 480 "g1" null`) {
		t.Errorf("by %s, %d groups\n%.200s", out.Each, out.Found, days)
	}
	if got, out := group(api.GroupResult{X: 4, By: -1, Y: 0, How: "sum"}); out.Found != n || strings.Count(got, "\n") != api.MaxGroups {
		t.Errorf("%d of %d groups came", strings.Count(got, "\n"), out.Found)
	}
	for _, bad := range []api.GroupResult{{X: 9, By: -1, Y: -1, How: "count"}, {X: 0, By: -1, Y: -1, How: "mean"}, {X: 0, By: -1, Y: 1, How: "sum"}, {X: 0, By: -1, Y: 0, How: "x"}} {
		var e *api.Error
		if _, _, err := set.Group(t.Context(), bad); !errors.As(err, &e) || e.Code != api.CodeBadRequest {
			t.Errorf("%+v: %v", bad, err)
		}
	}
}
