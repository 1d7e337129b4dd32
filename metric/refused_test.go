package metric_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/metric"
	"github.com/agnes-data/da/metric/dbt"
)

// TestWhatIsNotUnderstoodIsRefused by its name.
func TestWhatIsNotUnderstoodIsRefused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ set, metric, by, where, says string }{
		{"flights", "on_time", "", "", "there is no metric 'on_time'"},
		{"flights", "flights", "state", "", "'state' may be origin__state or destination__state"},
		{"flights", "flights", "hual", "", "has no dimension 'hual'"},
		{"flights", "on_time_rate", "hual", "", "metric 'on_time_rate' has no dimension 'hual'"},
		{"flights", "flights", "metric_time__hour", "", "is known by the day, and not by the hour"},
		{"flights", "flights", "haul,flight__haul", "", "is asked for twice"},
		{"flights", "flights", "", "delay > 10", "has no dimension 'delay'"},
		{"flights", "flights", "", "haul = 'long') OR (haul = 'short'", "is not understood"},
		{"flights", "flights", "", "haul = 'long' -- x", "is not understood"},
		{"flights", "flights", "", "haul = 'long'; DROP TABLE x", "is not understood"},
		{"flights", "flights", "", "haul = 'long", "is not understood"},
		{"flights", "flights", "", "haul IN (SELECT haul FROM flights)", "has no dimension 'SELECT'"},
		{"flights", "flights", "", "{{ Metric('flights', ['origin']) }} > 5", "Metric('flights', ['origin']) is not understood"},
		{"flights", "flights_growth", "", "", "metric 'flights_growth' looks at other times"},
		{"flights", "flights_growth", "week", "", "a week does not lie within one"},
		{"flights", "flights_growth", "month", "month > '2001-02-01' OR haul = 'long'", "on times and on other dimensions"},
		{"flights", "flights_of_week", "origin", "", "looks at other times"},
		{"shop", "revenue_to_date", "fiscal_quarter", "", "is not a time that it can be asked by"},
		{"shop", "revenue,balance", "status", "", "metric 'balance' has no dimension 'status'"},
	} {
		req := metric.Request{Metrics: strings.Split(c.metric, ",")}
		if c.by != "" {
			req.By = strings.Split(c.by, ",")
		}
		if c.where != "" {
			req.Where = []string{c.where}
		}
		if got, err := metric.Compile(model(t, c.set), req); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s by %s where %s: %v, not %q\n%+v", c.metric, c.by, c.where, err, c.says, got)
		}
	}
}

// TestTestsOfDBTAreJoins: relationships that dbt tests are known, and that a column is
// unique.
func TestTestsOfDBTAreJoins(t *testing.T) {
	t.Parallel()
	m := model(t, "flights")
	for i := range m.Tables {
		m.Tables[i].Entities = nil // they name the same joins
	}
	known := &metric.Joins{}
	known.Model(m)
	want := []api.Join{
		{Table: "flights.main.flights", Column: "destination", To: "flights.main.airports", ToColumn: "iata", Multiplicity: api.ManyToOne, KnownFrom: api.JoinFromTest},
		{Table: "flights.main.flights", Column: "origin", To: "flights.main.airports", ToColumn: "iata", Multiplicity: api.ManyToOne, KnownFrom: api.JoinFromTest},
	}
	if !reflect.DeepEqual(known.All, want) {
		t.Errorf("%+v", known.All)
	}
}

// TestManifestsOfOtherShapes: parts of a manifest can be missing, and a test of some rows
// says nothing of all.
func TestManifestsOfOtherShapes(t *testing.T) {
	t.Parallel()
	const relationship = `"r": {"attached_node": "a", "depends_on": {"nodes": ["a", "b"]},
		"test_metadata": {"name": "relationships", "kwargs": {"column_name": "x", "field": "y"}}}`
	const sources = `"sources": {"a": {"relation_name": "m.a"}, "b": {"relation_name": "m.b"}}`
	unique := func(where string) string {
		return `"u": {"attached_node": "b", "config": {"where": ` + where + `}, "test_metadata": {"name": "unique", "kwargs": {"column_name": "y"}}}`
	}
	semantic, err := os.ReadFile(filepath.Join("testdata", "flights", dbt.SemanticManifest))
	if err != nil {
		t.Fatal(err)
	}
	for manifest, want := range map[string]string{
		`{` + sources + `}`:                                                             `[]`,
		`{"nodes": null, ` + sources + `}`:                                              `[]`,
		`{"nodes": {` + relationship + `}}`:                                             `[]`,
		`{"nodes": {` + relationship + `}, ` + sources + `}`:                            `[m.a.x m.b.y ]`,
		`{"nodes": {` + relationship + `, ` + unique("null") + `}, ` + sources + `}`:    `[m.a.x m.b.y many-to-one]`,
		`{"nodes": {` + relationship + `, ` + unique(`"y > 5"`) + `}, ` + sources + `}`: `[m.a.x m.b.y ]`,
	} {
		dir := t.TempDir()
		for name, text := range map[string]string{dbt.SemanticManifest: string(semantic), "manifest.json": manifest} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		m, err := dbt.Read(dir)
		if err != nil {
			t.Fatal(manifest, err)
		}
		got := []string{}
		for _, j := range m.Joins {
			got = append(got, fmt.Sprintf("%s.%s %s.%s %s", j.Table, j.Column, j.To, j.ToColumn, j.Multiplicity))
		}
		if fmt.Sprint(got) != want {
			t.Errorf("%s: %v, want %s", manifest, got, want)
		}
	}
}

// TestNothingIsJoinedThatRepeatsRows: tables are reached only where they have one row
// for each value.
func TestNothingIsJoinedThatRepeatsRows(t *testing.T) {
	t.Parallel()
	m := model(t, "shop")
	for i, table := range m.Tables {
		for j, e := range table.Entities {
			if table.Name == "customers" && e.Name == "customer" {
				m.Tables[i].Entities[j].One = false
			}
		}
	}
	offered, _, err := metric.Dimensions(t.Context(), m, "revenue", columnsOf{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range offered {
		if strings.HasPrefix(d.Name, "customer__") {
			t.Errorf("revenue can be asked by %s", d.Name)
		}
	}
}

// columnsOf are the columns of tables; another table is of a source that does not answer.
type columnsOf map[string][]string

// Schema implements metric.Schemas.
func (c columnsOf) Schema(_ context.Context, id string) (*api.TableSchema, error) {
	if c[id] == nil {
		return nil, &api.Error{Code: api.CodeSource, Message: "the source is away"}
	}
	schema := &api.TableSchema{TableID: id}
	for _, name := range c[id] {
		schema.Columns = append(schema.Columns, api.Column{Name: name})
	}
	return schema, nil
}

// TestADimensionWithoutAColumnIsNotOffered has a table that lacks columns of the model.
func TestADimensionWithoutAColumnIsNotOffered(t *testing.T) {
	t.Parallel()
	m := model(t, "flights")
	names := func(of columnsOf) (all []string, lacking []string) {
		offered, lacking, err := metric.Dimensions(t.Context(), m, "on_time_rate", of)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range offered {
			all = append(all, d.Name)
		}
		return all, lacking
	}
	all, _ := names(columnsOf{})
	left, lacking := names(columnsOf{"flights": {"DATE", "distance", "delay", "destination"}})
	if i := slices.Index(all, "origin"); i < 0 || !slices.Equal(slices.Delete(slices.Clone(all), i, i+1), left) ||
		!slices.Equal(lacking, []string{"dimension origin is left out: table flights has no column origin"}) {
		t.Errorf("%v of %v; %v", left, all, lacking)
	}
}
