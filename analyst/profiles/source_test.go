package profiles

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/profile"
	"github.com/agnes-data/da/predicate"
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

// TestStatementsOfBigQuery has the statements pass the gate of an engine that the tests
// have no server for.
func TestStatementsOfBigQuery(t *testing.T) {
	t.Parallel()
	var columns []api.Column
	for _, typ := range []string{"INT64", "FLOAT64", "NUMERIC", "STRING", "BOOL", "DATE", "DATETIME", "TIMESTAMP", "TIME", "BYTES", "JSON", "ARRAY<INT64>", "GEOGRAPHY"} {
		columns = append(columns, api.Column{Name: "of_" + strings.ToLower(strings.Trim(typ, "<>")), Type: typ})
	}
	columns[len(columns)-2].Name = "odd name"
	schema, err := predicate.NewSchema(predicate.GoogleSQL, columns)
	if err != nil {
		t.Fatal(err)
	}
	data := &asked{}
	for _, exact := range []bool{true, false} {
		s := &source{d: predicate.GoogleSQL, l: languages[predicate.GoogleSQL], table: "some_table", exact: exact, data: api.Data{Querier: data}}
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
		if _, err := warehouse.Check(sql); err != nil {
			t.Errorf("%v\n%s", err, sql)
		}
	}
	if len(data.sql) != 4 || !strings.Contains(data.sql[2], "APPROX_COUNT_DISTINCT") || strings.Contains(data.sql[0], "APPROX_COUNT") {
		t.Errorf("%d statements: %s", len(data.sql), data.sql)
	}
}
