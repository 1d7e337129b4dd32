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
	offered, _, err := metric.Dimensions(t.Context(), m, "revenue", tableColumns{})
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range offered {
		if strings.HasPrefix(d.Name, "customer__") {
			t.Errorf("revenue can be asked by %s", d.Name)
		}
	}
}

// tableColumns are the columns of tables; another table is of a source that does not answer.
type tableColumns map[string][]string

// Schema implements metric.Schemas.
func (c tableColumns) Schema(_ context.Context, id string) (*api.TableSchema, error) {
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
	names := func(of tableColumns) (all []string, lacking []string) {
		offered, lacking, err := metric.Dimensions(t.Context(), m, "on_time_rate", of)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range offered {
			all = append(all, d.Name)
		}
		return all, lacking
	}
	all, _ := names(tableColumns{})
	left, lacking := names(tableColumns{"flights": {"DATE", "distance", "delay", "destination"}})
	ofOrigin := func(name string) bool { return strings.HasPrefix(name, "origin") } // itself, and what it is joined by
	if some := slices.DeleteFunc(slices.Clone(all), ofOrigin); len(all)-len(some) != 4 || !slices.Equal(some, left) || len(lacking) != 4 ||
		lacking[0] != "dimension origin is left out: table flights has no column origin" {
		t.Errorf("%v of %v; %v", left, all, lacking)
	}
}

// TestEveryColumnOfAMetricIsChecked takes one column away at a time, of each place that can
// name one: the dimension is not offered, or the metric is refused.
func TestEveryColumnOfAMetricIsChecked(t *testing.T) {
	t.Parallel()
	m := &api.SemanticModel{
		Tables: []api.SemanticTable{
			{Name: "o", TableID: "orders", Entities: []api.Entity{{Name: "buyer", Expr: "upper(buyer_no)"}},
				Dimensions: []api.Dimension{{Name: "day", Expr: "CAST(placed AS DATE)", Grain: "day"}, {Name: "open", Expr: "state = 'open'"},
					{Name: "name", Expr: "a || ' ' || \"b b\""}, {Name: "parts", Expr: "date_part('year', placed) + data.x.y"}}},
			{Name: "b", TableID: "buyers", Entities: []api.Entity{{Name: "buyer", Expr: "no", One: true}},
				Dimensions: []api.Dimension{{Name: "place", Expr: "CASE WHEN city IS NULL THEN country ELSE city END"}}},
		},
		Metrics: []api.Metric{
			{Name: "sum", Kind: api.MetricSimple, Table: "o", Agg: "sum", Expr: "price * (1 - discount)", Time: "day"},
			{Name: "open", Kind: api.MetricSimple, Table: "o", Agg: "count", Expr: "1", Time: "day", Filters: []string{"{{ Dimension('open') }}"}},
			{Name: "last", Kind: api.MetricSimple, Table: "o", Agg: "sum", Expr: "1", OneOf: &api.OneTime{Time: "day", By: []string{"buyer"}}},
			{Name: "ratio", Kind: api.MetricRatio, Inputs: []api.MetricInput{{Metric: "sum"}, {Metric: "open"}}},
		},
	}
	orders := strings.Fields("buyer_no placed state a b_b price discount data")
	buyers := strings.Fields("no city country")
	ask := func(name, without string) string {
		of := tableColumns{}
		for id, columns := range map[string][]string{"orders": orders, "buyers": buyers} {
			for _, c := range columns {
				if c != without {
					of[id] = append(of[id], strings.ReplaceAll(c, "_b", " b"))
				}
			}
		}
		offered, _, err := metric.Dimensions(t.Context(), m, name, of)
		if err != nil {
			return err.Error()
		}
		var names []string
		for _, o := range offered {
			names = append(names, o.Name)
		}
		return strings.Join(names, " ")
	}
	refused := func(name, table, column string) string {
		return fmt.Sprintf("metric '%s' cannot be asked for: table %s has no column %s", name, table, column)
	}
	for _, c := range []struct{ metric, without, want string }{
		{"sum", "", "metric_time day open name parts buyer buyer__place"},
		{"sum", "state", "metric_time day name parts buyer buyer__place"},
		{"sum", "b_b", "metric_time day open parts buyer buyer__place"},
		{"sum", "data", "metric_time day open name parts buyer buyer__place"}, // a name with fields may be a table's
		{"sum", "buyer_no", "metric_time day open name parts"},
		{"sum", "no", "metric_time day open name parts buyer"},
		{"sum", "country", "metric_time day open name parts buyer"},
		{"sum", "discount", refused("sum", "orders", "discount")},
		{"sum", "placed", refused("sum", "orders", "placed")},
		{"open", "state", refused("open", "orders", "state")},
		{"last", "buyer_no", refused("last", "orders", "buyer_no")},
		{"ratio", "price", refused("ratio", "orders", "price")},
	} {
		if got := ask(c.metric, c.without); got != c.want {
			t.Errorf("%s without %s: %s, want %s", c.metric, c.without, got, c.want)
		}
	}
}
