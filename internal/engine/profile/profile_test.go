package profile

import (
	"fmt"
	"path/filepath"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

func engine(t *testing.T) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{})
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

func profiled(t *testing.T, sql string) *Profile {
	t.Helper()
	c, file := engine(t), filepath.Join(t.TempDir(), "rows.parquet")
	if err := c.Exec(t.Context(), fmt.Sprintf("COPY (%s) TO %s", sql, duckdb.Literal(file))); err != nil {
		t.Fatal(err)
	}
	p, err := OfFile(t.Context(), c, file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestWhatColumnsHold names what a person would see in few rows.
func TestWhatColumnsHold(t *testing.T) {
	p := profiled(t, `SELECT i AS id, CASE WHEN i % 10 = 0 THEN -1 ELSE i % 7 END AS n, CASE WHEN i % 4 = 0 THEN 'N/A' ELSE 'b' || i % 3 END AS word,
		DATE '2024-01-01' + i::INT AS day, '2024-01-0' || (1 + i % 9) AS written, 'x' AS same, NULL::INT AS nothing, [i] AS list, CASE WHEN i > 5 THEN 'NaN'::DOUBLE ELSE i END AS f, i % 2 = 0 AS even FROM range(100) t(i)`)
	if p.Rows != 100 || p.Sampled != 100 || p.Repeated != 0 {
		t.Errorf("%d rows, %d sampled, %v repeated", p.Rows, p.Sampled, p.Repeated)
	}
	by := map[string]Column{}
	for _, c := range p.Columns {
		by[c.Name] = c
	}
	if c := by["id"]; !c.Key || string(c.Min) != "0" || string(c.Max) != "99" || string(c.Median) != "49.5" || len(c.Histogram) == 0 {
		t.Errorf("id: %+v", c)
	}
	if c := by["n"]; len(c.Sentinels) != 1 || string(c.Sentinels[0].Value) != "-1" || c.Sentinels[0].N != 10 {
		t.Errorf("n: %+v", c)
	}
	if c := by["word"]; c.Distinct != 4 || string(c.Top[0].Value) != `"N/A"` || c.Top[0].N != 25 || c.Sentinels[0].N != 25 || *c.Longest != 3 || !c.Listed() {
		t.Errorf("word: %+v", c)
	}
	if by["list"].Distinct != 100 || by["even"].Distinct != 2 || by["f"].NotFinite != 94 {
		t.Errorf("%+v", p.Columns)
	}
	if !by["written"].Dates || !by["same"].Constant || by["nothing"].Nulls != 100 || by["list"].Nulls != 0 || string(by["f"].Max) != "5.0" {
		t.Errorf("%+v", p.Columns)
	}
	if s := p.Periods; s == nil || s.Column != "day" || s.Each != "month" || len(s.All) != 4 || s.All[1].N != 29 {
		t.Errorf("periods %+v", p.Periods)
	}
}

// TestNoRowsHaveAProfile has every kind of column without a value.
func TestNoRowsHaveAProfile(t *testing.T) {
	p := profiled(t, "SELECT 1 AS a, 'x' AS b, DATE '2020-01-01' AS c, true AS d, [1] AS e, 1.5::DOUBLE AS f WHERE false")
	if p.Rows != 0 || len(p.Columns) != 6 || p.Columns[0].Distinct != 0 || p.Periods != nil {
		t.Errorf("%+v", p)
	}
}

// TestManyRowsAreSampled counts NULLs, extremes and different values in all rows.
func TestManyRowsAreSampled(t *testing.T) {
	p := profiled(t, "SELECT i AS id, CASE WHEN i % 10 > 0 THEN i % 5 END AS few FROM range(1200000) t(i)")
	if p.Rows != 1200000 || p.Sampled > SampleRows || p.Sampled < SampleRows/3 {
		t.Errorf("%d rows, %d sampled", p.Rows, p.Sampled)
	}
	if id, few := p.Columns[0], p.Columns[1]; !id.Key || string(id.Max) != "1199999" || few.Nulls != 120000 || few.Distinct != 5 || few.DistinctAtMost != 0 {
		t.Errorf("%+v", p.Columns)
	}
}

// TestNestedValuesAreCounted holds that values without an order are counted, too.
func TestNestedValuesAreCounted(t *testing.T) {
	p := profiled(t, `SELECT [i % 3] AS list, {'a': i % 4} AS fields, MAP {'k': i % 5} AS pairs, uuid() AS id, (i % 6)::VARCHAR::BLOB AS bytes,
		CASE i % 4 WHEN 0 THEN 'inf'::FLOAT WHEN 1 THEN 'NaN' WHEN 2 THEN i END AS f FROM range(100) t(i)`)
	for i, want := range []int64{3, 4, 5, 100, 6, 27} {
		if c := p.Columns[i]; c.Distinct != want || c.Uncounted {
			t.Errorf("%s: %d different, not %d", c.Name, c.Distinct, want)
		}
	}
	if f := p.Columns[5]; f.NotFinite != 50 || f.Nulls != 25 || string(f.Max) != "98.0" {
		t.Errorf("%+v", f)
	}
}
