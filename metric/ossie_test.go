package metric_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/metric"
	"github.com/agnes-data/da/metric/ossie"
)

// TestOssieGivesTheFiguresOfDBT asks the same model, once written for Apache Ossie and
// once by dbt, the same questions.
func TestOssieGivesTheFiguresOfDBT(t *testing.T) {
	t.Parallel()
	theirs := model(t, "flights")
	ours, err := ossie.Read(filepath.Join("testdata", "flights", "ossie.yaml"))
	if err != nil || len(ours.Unclear) > 0 {
		t.Fatalf("%v %+v", err, ours)
	}
	c := filledDatabase(t, "flights")
	q := compared{}
	for _, m := range ours.Metrics {
		if m.Unclear != "" {
			t.Error(m.Unclear)
		}
		if !m.Inner {
			q.Metrics = append(q.Metrics, m.Name)
		}
	}
	for _, by := range [][]string{nil, {"origin"}, {"origin__state", "flight__haul"}, {"destination__country"}, {"metric_time__month"},
		{"flight__departure__week", "flight__late"}} {
		for _, where := range []string{"", "origin__state = 'CA' AND haul <> 'short'", "metric_time__month >= '2001-03-01'"} {
			q.By, q.Where = by, nil
			if where != "" {
				q.Where = []string{where}
			}
			var rows [2][][]any
			for i, from := range []*api.SemanticModel{theirs, ours} {
				one, err := metric.Compile(from, metric.Request{Metrics: q.Metrics, By: q.By, Where: q.Where})
				if err != nil {
					t.Fatalf("%v: %v", q, err)
				}
				rows[i] = figures(t, c, one.SQL, q)
			}
			if difference := differ(rows[1], rows[0]); difference != "" || len(rows[0]) == 0 {
				t.Errorf("%v: %s", q, difference)
			}
		}
	}
	if len(q.Metrics) != 10 {
		t.Errorf("%d metrics", len(q.Metrics))
	}
}

// retail has the facts of the specification's examples: orders of customers, with keys of
// one column and of two, and metrics over one dataset and over two.
const retail = `version: 0.1.1
dialects: [ANSI_SQL, TABLEAU]
semantic_model:
  - name: retail
    datasets:
      - name: orders
        source: sales.public.orders
        primary_key: [order_id]
        unique_keys: [[order_id], [order_number]]
        fields: [FIELD(order_id), FIELD(customer_id), FIELD(amount), FIELD(order_date)]
      - name: order_lines
        source: sales.public.order_lines
        primary_key: [order_id, line_number]
        fields: [FIELD(quantity)]
      - name: products
        source: sales.public.products
        unique_keys: [[id, variant_id]]
        fields: [FIELD(color)]
      - name: customers
        source: '"sales"."public"."Customers"'
        primary_key: [id]
        fields:
          - FIELD(id)
          - { name: full_name, expression: { dialects: [{ dialect: ANSI_SQL, expression: "first_name || ' ' || last_name" }] } }
    relationships:
      - { name: orders_to_customers, from: orders, to: customers, from_columns: [customer_id], to_columns: [id] }
      - { name: lines_to_products, from: order_lines, to: products, from_columns: [product_id, variant_id], to_columns: [id, variant_id] }
    metrics:
      - METRIC(total_revenue, SUM(orders.amount))
      - METRIC(customer_count, COUNT(DISTINCT customers.id))
      - METRIC(avg_orders, SUM(orders.amount) / COUNT(DISTINCT customers.id))
      - METRIC(pieces, SUM(order_lines.quantity))
      - METRIC(spread, STDDEV_POP(orders.amount) / NULLIF(MAX(amount), 0))
      - METRIC(none, COUNT(CASE WHEN orders.amount > 1000 OR orders.amount < -1000 THEN 1 END))
`

// ossieModel reads a text in which FIELD(x) and METRIC(name, expression) are short forms.
func ossieModel(t *testing.T, text string) (*api.SemanticModel, error) {
	t.Helper()
	for _, short := range []struct{ begin, between, end string }{{"FIELD(", "", ")"}, {"METRIC(", ", ", ")\n"}} {
		for {
			before, rest, found := strings.Cut(text, short.begin)
			if !found {
				break
			}
			args, after, _ := strings.Cut(rest, short.end)
			name, expr, given := strings.Cut(args, short.between)
			if short.between == "" || !given {
				name, expr = args, args
			}
			text = before + "{ name: " + name + `, expression: { dialects: [{ dialect: ANSI_SQL, expression: "` + expr + `" }] } }` +
				strings.TrimPrefix(short.end, ")") + after
		}
	}
	file := filepath.Join(t.TempDir(), "retail.yml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return ossie.Read(file)
}

// TestOssieExample computes the metrics of the specification's examples.
func TestOssieExample(t *testing.T) {
	t.Parallel()
	m, err := ossieModel(t, retail)
	if err != nil || len(m.Unclear) > 0 {
		t.Fatal(err, m)
	}
	c := filledDatabase(t, "shop")
	for _, sql := range []string{
		"CREATE OR REPLACE TABLE orders AS FROM (VALUES (1, 7, 10, DATE '2024-01-01'), (2, 7, 20, DATE '2024-02-01'), (3, 8, 30, NULL)) o(order_id, customer_id, amount, order_date)",
		"CREATE TABLE order_lines AS FROM (VALUES (1, 1, 5, 1, 2), (1, 2, 5, 2, 3), (2, 1, 6, 1, 4), (3, 1, 6, NULL, 5)) l(order_id, line_number, product_id, variant_id, quantity)",
		"CREATE TABLE products AS FROM (VALUES (5, 1, 'red'), (5, 2, 'blue'), (6, 1, 'red')) p(id, variant_id, color)",
		"CREATE OR REPLACE TABLE customers AS FROM (VALUES (7, 'Ann', 'A'), (8, 'Bob', 'B'), (9, 'Eve', NULL)) c(id, first_name, last_name)",
	} {
		if err := c.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range []struct {
		metrics, by string
		want        [][]any
	}{
		{"total_revenue", "full_name", [][]any{{"Ann A", 30.0}, {"Bob B", 30.0}}},
		{"customer_count", "", [][]any{{3.0}}},
		{"avg_orders", "", [][]any{{20.0}}},
		{"pieces", "color", [][]any{{"blue", 3.0}, {"red", 6.0}, {nil, 5.0}}},
		{"total_revenue", "orders__order_date", [][]any{{"2024-01-01", 10.0}, {"2024-02-01", 20.0}, {nil, 30.0}}},
		{"none", "", [][]any{{0.0}}},
		{"customer_count,none", "full_name", [][]any{{"Ann A", 1.0, 0.0}, {"Bob B", 1.0, 0.0}, {nil, 1.0, 0.0}}},
	} {
		req := metric.Request{Metrics: strings.Split(w.metrics, ",")}
		if w.by != "" {
			req.By = []string{w.by}
		}
		one, err := metric.Compile(m, req)
		if err != nil {
			t.Errorf("%s by %s: %v", w.metrics, w.by, err)
			continue
		}
		if difference := differ(figures(t, c, one.SQL, compared{Metrics: req.Metrics, By: one.Columns[:len(req.By)]}), w.want); difference != "" {
			t.Errorf("%s by %s: %s\n%s", w.metrics, w.by, difference, one.SQL)
		}
	}
}

// TestOssieIsRefusedByNameAndPlace changes the model so that something of it is not
// understood.
func TestOssieIsRefusedByNameAndPlace(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ was, is, says string }{
		// Files that are not of the schema.
		{"version: 0.1.1", "version: 2.0.0", `version "2.0.0" is not understood`},
		{"        primary_key: [id]", "        keys: [id]", `line 21: unknown field "keys"`},
		{"source: sales.public.orders", "", `a dataset has no name or no source`},
		{"name: products", "name: Orders", `there are two datasets "Orders"`},
		{"name: full_name", "name: ID", `dataset "customers": there are two fields "ID"`},
		{"METRIC(pieces,", "METRIC(spread,", `there are two metrics "spread"`},
		{"name: lines_to_products", "name: orders_to_customers", `there are two relationships`},
		// What is left out.
		{"source: sales.public.order_lines", "source: SELECT * FROM x", `dataset "order_lines" of semantic model "retail" in retail.yml: a query as source`},
		{"dialect: ANSI_SQL, expression: \"first", "dialect: TABLEAU, expression: \"first", `field "customers.full_name" of semantic model "retail" in retail.yml: an expression in ANSI_SQL is missing; there is one in: TABLEAU`},
		{"' ' || last_name", "MAX(last_name)", `"MAX" is an aggregate, where the value of one row is needed`},
		{"' ' || last_name", "RANK() OVER (ORDER BY x)", `"RANK" is not understood`},
		{"' ' || last_name", "orders.x", `"orders" is of another dataset`},
		{"FIELD(amount)", "FIELD(amount + 1), { name: net, expression: { dialects: [{ dialect: ANSI_SQL, expression: amount }] } }, { name: amount, expression: { dialects: [{ dialect: ANSI_SQL, expression: cents / 100 }] } }",
			`field "orders.net" of semantic model "retail" in retail.yml: "amount" may be the column, or the field`},
		{"to_columns: [id] }", "to_columns: [email] }", `relationship "orders_to_customers" of semantic model "retail" in retail.yml: dataset "customers" has no key of email`},
		{"to_columns: [id, variant_id]", "to_columns: [id]", `have not as many columns`},
		{"to: customers", "to: clients", `there is no dataset "orders" or none "clients"`},
		{"to: customers", "to: orders", `a dataset that is joined to itself`},
		// Metrics that cannot be asked for.
		{"SUM(order_lines.quantity)", "SUM(order_lines.weight)", `metric "pieces" of semantic model "retail" in retail.yml: there is no field "order_lines.weight"`},
		{"SUM(order_lines.quantity)", "SUM(order_lines.quantity * orders.amount)", `an aggregate over fields of two datasets`},
		{"SUM(order_lines.quantity)", "APPROX_COUNT_DISTINCT(order_lines.quantity)", `"APPROX_COUNT_DISTINCT" is not understood`},
		{"SUM(order_lines.quantity)", "SUM(DISTINCT order_lines.quantity)", `DISTINCT in SUM`},
		{"SUM(order_lines.quantity)", "SUM(order_lines.quantity) FILTER (WHERE order_lines.quantity > 1)", `"FILTER" is not understood`},
		{"SUM(order_lines.quantity)", "SUM(SUM(order_lines.quantity))", `"SUM" is an aggregate`},
		{"SUM(order_lines.quantity)", "SUM(order_lines.quantity) + orders.amount", `"amount" outside of an aggregate`},
		{"SUM(order_lines.quantity)", "COUNT(*)", `may be of several datasets`},
		{"SUM(order_lines.quantity)", "total_revenue", `"total_revenue" outside of an aggregate`},
		{"SUM(order_lines.quantity)", "1 + 1", `an expression without an aggregate`},
		{"SUM(order_lines.quantity)", "SUM(order_lines.quantity", `a parenthesis without its end`},
		{"SUM(order_lines.quantity)", "PERCENTILE_CONT(2) WITHIN GROUP (ORDER BY order_lines.quantity)", `PERCENTILE_CONT without a share of 0 to 1`},
		{"SUM(order_lines.quantity)", "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY order_lines.quantity DESC)", `there is no field "DESC"`},
		{"SUM(order_lines.quantity)", "(SELECT 1)", `"SELECT" is not understood`},
		{"SUM(order_lines.quantity)", "SUM(order_lines.quantity) -- all", `"-- all" is not understood`},
	} {
		if !strings.Contains(retail, c.was) {
			t.Fatalf("%q is not in the model", c.was)
		}
		m, err := ossieModel(t, strings.Replace(retail, c.was, c.is, 1))
		var said []string
		if err != nil {
			said = append(said, err.Error())
		} else {
			said = append(said, m.Unclear...)
			for _, v := range m.Metrics {
				said = append(said, v.Unclear)
			}
		}
		if all := strings.Join(said, "\n"); !strings.Contains(all, c.says) {
			t.Errorf("%q in place of %q: %q is not said:\n%s", c.is, c.was, c.says, all)
		}
	}
}
