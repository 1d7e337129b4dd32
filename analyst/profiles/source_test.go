package profiles

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/statement/warehouse"
)

// asked keeps the statements that would run.
type asked struct {
	sql []string
}

func (a *asked) Query(_ context.Context, req api.QueryRequest) (*api.Stream, error) {
	a.sql = append(a.sql, req.SQL)
	return nil, errors.New("not here")
}

// TestStatementsOfWarehouses has the statements pass the gates of engines that the tests
// have no server for.
func TestStatementsOfWarehouses(t *testing.T) {
	t.Parallel()
	statementsPass(t, predicate.GoogleSQL, predicate.GoogleSQL, warehouse.GoogleSQL, "APPROX_COUNT_DISTINCT",
		"INT64", "FLOAT64", "NUMERIC", "STRING", "BOOL", "DATE", "DATETIME", "TIMESTAMP", "TIME", "BYTES", "JSON", "ARRAY<INT64>", "GEOGRAPHY")
	statementsPass(t, predicate.DuckDB, predicate.Trino, warehouse.Trino, "approx_distinct", "TINYINT", "BIGINT", "FLOAT", "DOUBLE", "DECIMAL(9,2)", "VARCHAR",
		"BOOLEAN", "DATE", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "TIME", "BLOB", "UUID", "BIGINT[]", "JSON")
}

func statementsPass(t *testing.T, flavor, d predicate.Dialect, gate *warehouse.Language, few string, types ...string) {
	t.Helper()
	var columns []api.Column
	for _, typ := range types {
		columns = append(columns, api.Column{Name: "of_" + strings.ToLower(strings.Trim(typ, "<>")), Type: typ})
	}
	columns[len(columns)-2].Name = "odd name"
	schema, err := predicate.NewSchema(flavor, columns)
	if err != nil {
		t.Fatal(err)
	}
	data := &asked{}
	for _, exact := range []bool{true, false} {
		s := &source{d: d, l: languages[d], table: "some_table", exact: exact, data: api.Data{Querier: data}}
		p := &profile.Profile{}
		if err := s.measure(t.Context(), schema.Columns(), p); err == nil {
			t.Fatal("it has run")
		}
		for i := range p.Columns {
			p.Columns[i].Distinct, p.Columns[i].Min, p.Columns[i].Max = 10, []byte("1"), []byte("7.5")
		}
		p.Rows = 100
		if err := s.count(t.Context(), schema.Columns(), p); err == nil {
			t.Fatal("it has run")
		}
	}
	for _, sql := range data.sql {
		if _, err := gate.Check(sql); err != nil {
			t.Errorf("%v\n%s", err, sql)
		}
	}
	if len(data.sql) != 4 || !strings.Contains(data.sql[2], few) || strings.Contains(data.sql[0], few) {
		t.Errorf("%d statements: %s", len(data.sql), data.sql)
	}
}

// TestManyValuesAreCountedWithinOnePercent runs the estimate of different values where it
// begins to matter, and beyond.
func TestManyValuesAreCountedWithinOnePercent(t *testing.T) {
	t.Parallel()
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	c, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{0, 1, 7, 1000, 300_000, 2_900_000, 3_500_000, 12_000_000} {
		sql := fmt.Sprintf("SELECT %s FROM (SELECT CASE WHEN i < %d THEN i * 7919 END AS v FROM range(%[2]d + 5) t(i))",
			fmt.Sprintf(languages[predicate.DuckDB].few, "v"), n)
		var got int64
		if err := c.QueryRow(t.Context(), sql, nil, &got); err != nil {
			t.Fatal(err)
		}
		if off := max(got-n, n-got); n <= 1000 && off > 0 || off > n/100 {
			t.Errorf("%d of %d", got, n)
		}
	}
	_, err = statement.Check(t.Context(), c, "SELECT "+fmt.Sprintf(languages[predicate.DuckDB].few, "v")+" FROM some_table")
	if err != nil {
		t.Error(err)
	}
}
