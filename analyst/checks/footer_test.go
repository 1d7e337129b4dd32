package checks

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/rows/parquetfile"
	"github.com/agnes-data/da/internal/testing/enginetest"
)

func TestWhatAFooterProves(t *testing.T) {
	f := &parquetfile.Footer{Rows: 10, Facts: map[string]parquetfile.Facts{
		"n": {Least: int64(-3), Most: int64(9)}, "price": {Nulls: 1, Least: int64(10), Most: int64(30)},
		"share": {Nulls: -1, Least: 0.1, Most: 0.3}, "day": {Least: int64(5), Most: int64(6)}, "odd": {},
	}}
	types := map[string]string{"n": "BIGINT", "price": "DECIMAL(4,2)", "share": "DOUBLE", "day": "TIMESTAMP_NS", "odd": "DOUBLE"}
	few, many := int64(11), int64(10)
	for _, c := range []struct {
		check Check
		holds bool
	}{
		{Check{Rows: &Rows{Max: &many}}, true},
		{Check{Rows: &Rows{Min: &few}}, false},
		{Check{Rows: &Rows{Max: &many, MaxChange: new(float64)}}, false},
		{Check{NotNull: []string{"n"}}, true},
		{Check{NotNull: []string{"n", "price"}}, false},
		{Check{NotNull: []string{"N"}}, false},
		{Check{NotNull: []string{"share"}}, false},
		{Check{NullShare: &NullShare{"price", 0.1}}, true},
		{Check{NullShare: &NullShare{"price", 0.09}}, false},
		{Check{NullShare: &NullShare{"share", 1}}, false},
		{Check{Range: &Range{"n", int64(-3), uint64(9)}}, true},
		{Check{Range: &Range{"n", -2.5, nil}}, false},
		{Check{Range: &Range{"n", nil, "9"}}, false},
		{Check{Range: &Range{"price", 0.1, json.Number("0.30")}}, true},
		{Check{Range: &Range{"price", 0.1, json.Number("0.2999999999999999999")}}, false},
		{Check{Range: &Range{"share", 0.1, json.Number("0.3")}}, true},
		{Check{Range: &Range{"share", 0.1000001, nil}}, false},
		{Check{Range: &Range{"day", int64(0), nil}}, false},
		{Check{Range: &Range{"odd", nil, 1e300}}, false},
	} {
		if c.check.HoldsBy(f, types) != c.holds {
			text, _ := json.Marshal(c.check)
			t.Errorf("%s is proven: %v", text, !c.holds)
		}
	}
}

// TestWhatDictionariesProve: all texts of a column are among the accepted ones.
func TestWhatDictionariesProve(t *testing.T) {
	conn, path := enginetest.Conn(t), filepath.Join(t.TempDir(), "rows.parquet")
	if err := conn.Exec(t.Context(), `COPY (SELECT CASE WHEN i % 5 > 0 THEN 'k' || i % 3 END AS k, i % 3 AS n FROM range(9000) t(i)) TO '`+path+`'`); err != nil {
		t.Fatal(err)
	}
	f, err := parquetfile.ReadFooter(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		accepted Accepted
		holds    bool
	}{
		{Accepted{"k", []any{"k2", "k0", "k1", "more"}}, true},
		{Accepted{"k", []any{"k0", "k1"}}, false},
		{Accepted{"k", []any{"k0", "k1", "K2"}}, false},
		{Accepted{"n", []any{0, 1, 2}}, false},
		{Accepted{"absent", []any{"k0"}}, false},
	} {
		if (Check{AcceptedValues: &c.accepted}).HoldsBy(f, map[string]string{"k": "VARCHAR", "n": "BIGINT"}) != c.holds {
			t.Errorf("%+v is proven: %v", c.accepted, !c.holds)
		}
	}
}

// TestPeriodsAloneTellTheSame compares the two forms of the check of periods.
func TestPeriodsAloneTellTheSame(t *testing.T) {
	conn := enginetest.Conn(t)
	told := map[bool]int{}
	for _, p := range []Periods{{"d", "day", "", 0}, {"d", "day", "2026-02-09", 0.3}, {"d", "month", "2026-03-01", 0.5}, {"d", "year", "", 0.2}} {
		c, err := Check{Periods: &p}.Compile(Table{}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for _, rows := range []string{
			"SELECT DATE '2026-01-01' + (i % 40)::INTEGER AS d FROM range(400) t(i)",
			"SELECT DATE '2026-01-01' + (i % 40)::INTEGER AS d FROM range(400) t(i) WHERE i % 40 <> 7",
			"SELECT TIMESTAMP '2026-01-01' + to_days((i % 40)::INTEGER) AS d FROM range(400) t(i) WHERE i % 40 <> 7 OR i < 40",
			"SELECT CASE WHEN i % 3 > 0 THEN DATE '2024-01-01' + (i * 3)::INTEGER END AS d FROM range(400) t(i)",
			"SELECT DATE '2026-02-11' AS d", "SELECT NULL::DATE AS d FROM range(9)", "SELECT DATE '2026-02-11' AS d WHERE false",
		} {
			var whole, alone bool
			if err := conn.QueryRow(t.Context(), "SELECT ("+c.Whole+") IS TRUE FROM ("+rows+")", nil, &whole); err != nil {
				t.Fatal(err)
			}
			if err := conn.QueryRow(t.Context(), c.Alone("("+rows+")"), nil, &alone); err != nil {
				t.Fatal(err)
			}
			if told[whole]++; whole != alone {
				t.Errorf("%+v of %s: %v in a scan, and %v alone", p, rows, whole, alone)
			}
		}
	}
	if told[true] < 5 || told[false] < 5 {
		t.Errorf("the cases are one-sided: %v", told)
	}
}

// TestDriftByKS compares what the engine and a look at all rows say of numbers that have moved.
func TestDriftByKS(t *testing.T) {
	conn := enginetest.Conn(t)
	zero := 0.0
	for _, besides := range []*float64{nil, &zero} {
		d := &Drift{Column: "v", Bounds: []float64{25, 50, 75}, Shares: []float64{0.25, 0.25, 0.25, 0.25}, By: "ks", Besides: besides, Max: 0.1}
		c, err := Check{Drift: d}.Compile(Table{}, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		for by, holds := range map[int]bool{0: true, 5: true, 9: true, 15: false, 40: false, -15: false} {
			var whole bool
			var seen string
			from := fmt.Sprintf(" FROM (SELECT i %% 100 + %d AS v FROM range(1, 1000) t(i) UNION ALL SELECT %s FROM range(500))", by,
				map[bool]string{true: "NULL", false: "0"}[besides == nil])
			if err := conn.QueryRow(t.Context(), "SELECT ("+c.Whole+") IS TRUE, "+c.Seen+from, nil, &whole, &seen); err != nil {
				t.Fatal(err)
			}
			counted, of := make([]int64, 4), int64(0)
			for i := 1; i < 1000; i++ {
				v := i%100 + by
				if besides != nil && v == 0 {
					continue
				}
				counted[min(max((v+24)/25-1, 0), 3)]++
				of++
			}
			if looked := d.index(counted, of) <= d.Max; whole != holds || looked != holds {
				t.Errorf("moved by %d, besides %v: %v by the engine, %v by a look: %s", by, besides != nil, whole, looked, seen)
			}
		}
	}
	for _, d := range []*Drift{{Column: "v", Values: []any{"a"}, Shares: []float64{1, 0}, By: "ks"}, {Column: "v", Bounds: []float64{1}, Shares: []float64{1, 0}, By: "chi"}} {
		if _, err := (Check{Drift: d}).Compile(Table{}, time.Time{}); err == nil {
			t.Errorf("%+v is taken", d)
		}
	}
}
