package checks

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
)

// setsFolder has CSV and parquet files whose loads TestSeededDrift spoils, in place of
// the demo's; it prints the table of docs/checks.md.
const setsFolder = "DA_DRIFT_SETS"

// loads makes loads of one set and judges them by what was learned from half of it.
type loads struct {
	t       *testing.T
	conn    *duckdb.Conn
	learned Table
	p       *profile.Profile
	cleared int // checks that the screen found to hold
}

func (l *loads) exec(sql string) {
	l.t.Helper()
	if err := l.conn.Exec(l.t.Context(), sql); err != nil {
		l.t.Fatal(err, sql)
	}
}

// broken names the learned checks that a load breaks, each as a refresh would run it: those
// that the screen finds to hold in a sample are not looked at again.
func (l *loads) broken(sql string) (names []string) {
	l.t.Helper()
	l.exec("CREATE OR REPLACE TEMP TABLE load AS " + sql)
	var rows int64
	if err := l.conn.QueryRow(l.t.Context(), "SELECT count(*) FROM load", nil, &rows); err != nil {
		l.t.Fatal(err)
	}
	screen := NewScreen(l.learned)
	columns := []string{"hash(r)"}
	for _, c := range screen.Columns() {
		columns = append(columns, duckdb.Quote(c))
	}
	sampled, err := l.conn.Query(l.t.Context(), fmt.Sprintf("SELECT %s FROM load r WHERE hash(r) & %d = 0", strings.Join(columns, ", "), profile.Mask(2*rows)))
	if err != nil {
		l.t.Fatal(err)
	}
	for sampled.Next() {
		if err := screen.Take(sampled.RecordBatch()); err != nil {
			l.t.Fatal(err)
		}
	}
	sampled.Release()
	var all []string
	for _, c := range l.p.Columns {
		all = append(all, c.Name)
	}
	for _, c := range l.learned.Checks {
		one, err := c.Compile(l.learned, time.Time{})
		if err != nil {
			l.t.Fatal(err)
		}
		if one.Severity == Warn {
			continue // it refuses nothing
		}
		holds := "count(*) FILTER (WHERE (" + one.Condition + ") IS NOT TRUE) = 0"
		if one.Whole != "" {
			holds = "(" + one.Whole + ") IS TRUE"
		}
		var ok, quick bool
		if err := l.conn.QueryRow(l.t.Context(), "SELECT "+holds+", ("+cmp.Or(one.Footer, "false")+") IS TRUE FROM load", nil, &ok, &quick); err != nil {
			l.t.Fatalf("%s: %v", one.Name, err)
		}
		if quick && !ok {
			l.t.Errorf("%s does not hold, and its short form does, for %s", one.Name, sql)
		}
		if cleared := screen.Holds(c, all); !ok && !cleared {
			names = append(names, one.Name)
		} else if cleared {
			l.cleared++
		}
	}
	return names
}

// drifts are the statements of each kind of drift over the table fresh.
func (l *loads) drifts() map[string][]string {
	all := map[string][]string{
		"duplicated load": {"FROM fresh UNION ALL FROM fresh", "FROM fresh UNION ALL (FROM fresh USING SAMPLE 20 PERCENT (bernoulli, 7))"},
	}
	add := func(kind, sql string, args ...any) { all[kind] = append(all[kind], fmt.Sprintf(sql, args...)) }
	if s := l.p.Periods; s != nil && s.Steady() > 0 {
		for _, at := range []int{1, len(s.All) / 2, len(s.All) - 2} {
			add("missing partition", "FROM fresh WHERE date_trunc('%s', %s) <> DATE '%s'", s.Each, duckdb.Quote(s.Column), s.All[at].Start)
		}
	}
	for _, c := range l.p.Columns {
		q := duckdb.Quote(c.Name)
		kind := profile.KindOf(c.Type)
		if kind == profile.Number && !c.Key && c.Distinct > 10 {
			add("unit change", "SELECT * REPLACE (%s * 100 AS %s) FROM fresh", q, q)
		}
		if 2*c.Nulls < l.p.Rows {
			add("nulls appear", "SELECT * REPLACE (CASE WHEN random() < 0.1 THEN NULL ELSE %s END AS %s) FROM fresh", q, q)
		}
		if kind != profile.Text || c.Distinct > 50 {
			continue
		}
		for i, v := range c.Top {
			text := duckdb.Literal(fmt.Sprint(plain(v.Value)))
			if i < 3 && 20*v.N > l.p.Sampled {
				add("category renamed", "SELECT * REPLACE (CASE WHEN %s = %s THEN 'renamed' ELSE %s END AS %s) FROM fresh", q, text, q, q)
				if l.p.Periods == nil {
					add("missing partition", "FROM fresh WHERE %s IS DISTINCT FROM %s", q, text)
				}
			}
		}
	}
	return all
}

// TestSeededDrift learns from half of each set, and then judges clean loads, which are
// of the other half, and spoilt ones.
func TestSeededDrift(t *testing.T) {
	clean, pattern := 100, filepath.Join(os.Getenv(setsFolder), "*")
	if os.Getenv(setsFolder) == "" {
		clean, pattern = 20, "../../cli/demo/data/flights/*/*.parquet"
	}
	files, err := filepath.Glob(pattern)
	if err != nil || len(files) == 0 {
		t.Fatal(pattern, err)
	}
	spoilt, seen, falsely, loaded := 0, 0, 0, 0
	kinds := []string{"unit change", "duplicated load", "missing partition", "category renamed", "nulls appear"}
	var page strings.Builder
	page.WriteString("| set | rows | " + strings.Join(kinds, " | ") + " | false alarms |\n|" + strings.Repeat("---|", len(kinds)+3) + "\n")
	for _, file := range files {
		db, err := duckdb.Open(duckdb.Options{})
		if err != nil {
			t.Fatal(err)
		}
		conn, err := db.Conn()
		if err != nil {
			t.Fatal(err)
		}
		l := &loads{t: t, conn: conn}
		l.exec("CREATE TABLE whole AS SELECT *, hash(row_number() OVER (), 42) AS place FROM " + duckdb.Literal(file))
		half := filepath.Join(t.TempDir(), "half.parquet")
		l.exec("COPY (SELECT * EXCLUDE (place) FROM whole WHERE place % 2 = 0) TO " + duckdb.Literal(half))
		if l.p, err = profile.OfFile(t.Context(), conn, half); err != nil {
			t.Fatal(err)
		}
		l.learned = Learn(l.p)
		alarms := 0
		for i := range clean {
			if names := l.broken(fmt.Sprintf("SELECT * EXCLUDE (place) FROM whole WHERE place %% 2 = 1 AND hash(place, %d) %% 5 > 0", i)); names != nil {
				alarms++
				if alarms < 4 {
					t.Logf("%s: false alarm of %q", filepath.Base(file), names)
				}
			}
		}
		if l.cleared < clean {
			t.Errorf("%s: the screen found %d checks to hold in %d clean loads", filepath.Base(file), l.cleared, clean)
		}
		l.exec("CREATE TABLE fresh AS SELECT * EXCLUDE (place) FROM whole WHERE place % 2 = 1")
		line := fmt.Sprintf("| %s | %d |", strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), l.p.Rows)
		all := l.drifts()
		for _, kind := range kinds {
			found := 0
			for _, sql := range all[kind] {
				if l.broken(sql) != nil {
					found++
				} else {
					t.Logf("%s: not found: %s", filepath.Base(file), sql)
				}
			}
			line += fmt.Sprintf(" %d of %d |", found, len(all[kind]))
			seen, spoilt = seen+found, spoilt+len(all[kind])
		}
		fmt.Fprintf(&page, "%s %d of %d |\n", line, alarms, clean)
		falsely, loaded = falsely+alarms, loaded+clean
		_ = db.Close()
	}
	if 100*seen < 95*spoilt || 100*falsely > loaded {
		t.Errorf("%d of %d spoilt loads were found, with %d false alarms of %d", seen, spoilt, falsely, loaded)
	}
	t.Log("\n" + page.String())
}

// TestTheNextMonthsPass holds loads that are no samples of what was learned from: the
// flights of the demo in the months after.
func TestTheNextMonthsPass(t *testing.T) {
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	month := func(n int) string { return fmt.Sprintf("../../cli/demo/data/flights/month=%d/data_0.parquet", n) }
	l := &loads{t: t, conn: conn}
	if l.p, err = profile.OfFile(t.Context(), conn, month(1)); err != nil {
		t.Fatal(err)
	}
	l.learned = Learn(l.p)
	for n := 2; n <= 6; n++ {
		if names := l.broken("FROM read_parquet(" + duckdb.Literal(month(n)) + ")"); names != nil {
			t.Errorf("month %d breaks %q", n, names)
		}
	}
	if l.broken("FROM read_parquet("+duckdb.Literal(month(2))+") WHERE origin <> 'ATL' AND hash(delay) % 2 = 0") == nil {
		t.Error("half of a month without an airport passes")
	}
}

// TestUnitsOfWhatMostlyIsZero holds a change that hides: it moves a fortieth of the rows.
func TestUnitsOfWhatMostlyIsZero(t *testing.T) {
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	l := &loads{t: t, conn: conn}
	costs := func(of string) string {
		return "SELECT 'x' || i % 9 AS kind, CASE WHEN i % 40 = 0 THEN exp(hash(" + of + ", i) % 1000 / 100.0)::BIGINT ELSE 0 END AS cost, hash(" + of + ", i) AS n FROM range(8000) t(i)"
	}
	file := filepath.Join(t.TempDir(), "costs.parquet")
	l.exec("COPY (" + costs("1") + ") TO " + duckdb.Literal(file))
	if l.p, err = profile.OfFile(t.Context(), conn, file); err != nil {
		t.Fatal(err)
	}
	l.learned = Learn(l.p)
	if names := l.broken(costs("2")); names != nil {
		t.Errorf("costs as they were break %q", names)
	}
	names := l.broken("SELECT * REPLACE (cost * 10 AS cost) FROM (" + costs("2") + ")")
	if len(names) != 1 || !strings.HasPrefix(names[0], "drift(cost besides 0, ") {
		t.Errorf("ten times the costs break %q", names)
	}
}
