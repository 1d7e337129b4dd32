package metric_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/metric"
	"github.com/agnes-data/da/metric/dbt"
)

// said are joins in one line.
func said(joins []api.Join) string {
	var all []string
	for _, j := range joins {
		from, to := j.Ends()
		all = append(all, strings.TrimSpace(from+" "+to+" "+j.Multiplicity))
	}
	return strings.Join(all, ", ")
}

// TestEntitiesOfSeveralColumnsAreJoins: a key can be a text of columns, or have several
// expressions; one that is computed in another way is no pair of columns.
func TestEntitiesOfSeveralColumnsAreJoins(t *testing.T) {
	t.Parallel()
	for _, c := range [][3]string{
		{`id`, `"order id"`, "a.id b.order id many-to-one"},
		{`id || '-' || no`, `order_id||'-'||line`, "a.(id, no) b.(order_id, line) many-to-one"},
		{`concat(id, '-', "no")`, `cast(order_id as varchar) || '-' || line::text`, "a.(id, no) b.(order_id, line) many-to-one"},
		{`id || no`, `key`, ""},
		{`'DE-' || id`, `key`, ""},
		{`id || '-' || no`, `order_id || '/' || line`, ""},
		{`cast(at as date)`, `day`, ""},
		{`id::text`, `key`, "a.id b.key many-to-one"},
		{`lower(id)`, `id`, ""},
		{`id + 1`, `id`, ""},
	} {
		f := &metric.Joins{}
		f.Model(&api.SemanticModel{Tables: []api.SemanticTable{
			{TableID: "a", Entities: []api.Entity{{Name: "line", Expr: c[0]}}},
			{TableID: "b", Entities: []api.Entity{{Name: "line", Expr: c[1], One: true}}}}})
		if got := said(f.All); got != c[2] {
			t.Errorf("%s and %s: %q, not %q", c[0], c[1], got, c[2])
		}
	}
}

// TestPartsOfKeysAreNotGuessed: names suggest no join by one column of a known key.
func TestPartsOfKeysAreNotGuessed(t *testing.T) {
	t.Parallel()
	f := &metric.Joins{}
	f.Keys("lines", []api.ForeignKey{{Column: "shop_id", Table: "orders", ToColumn: "shop_id", More: []api.ColumnPair{{Column: "order_no", ToColumn: "no"}}}})
	columns := []api.Column{{Name: "shop_id", Type: "BIGINT"}, {Name: "clerk_id", Type: "BIGINT"}}
	f.Names(metric.Joinable{Name: "orders", Of: "orders", Columns: columns}, metric.Joinable{Name: "lines", Of: "lines", Columns: columns})
	f.Add(api.Join{Table: "lines", Column: "shop_id", To: "orders", ToColumn: "shop_id", KnownFrom: api.JoinFromTest})
	if got, want := said(f.All), "lines.(shop_id, order_no) orders.(shop_id, no) many-to-one, orders.clerk_id lines.clerk_id, lines.shop_id orders.shop_id"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}

// TestContractsOfDBTAreJoins reads foreign keys of contracts, from a manifest and from YAML.
func TestContractsOfDBTAreJoins(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	semantic, err := os.ReadFile(filepath.Join("testdata", "flights", dbt.SemanticManifest))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{dbt.SemanticManifest: string(semantic), "manifest.json": `{"nodes": {"l": {"relation_name": "\"m\".\"lines\"",
		"constraints": [{"type": "foreign_key", "columns": ["a", "b"], "to": "\"m\".\"orders\"", "to_columns": ["x", "y"]}, {"type": "check", "expression": "a > 0"}]}}}`,
		"lines.yml": "models:\n  - name: lines\n    constraints:\n      - { type: foreign_key, columns: [a, b], to: ref('orders'), to_columns: [x, y] }\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	written, err := dbt.Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	read, err := dbt.ReadProject(filepath.Join(dir, "lines.yml"))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(said(written.Joins), "; ", said(read.Joins)),
		"m.lines.(a, b) m.orders.(x, y) many-to-one; lines.(a, b) orders.(x, y) many-to-one"; got != want {
		t.Errorf("%s, not %s", got, want)
	}
}
