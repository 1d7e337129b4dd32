package fanout

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// engine opens an engine of the test's own and runs statements in it.
func engine(t testing.TB, run ...string) *duckdb.Conn {
	t.Helper()
	db, err := duckdb.Open(duckdb.Options{})
	if err != nil {
		t.Fatal(err)
	}
	conn, err := db.Conn()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(conn.Close(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	for _, sql := range run {
		if err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	return conn
}

// find returns the texts of what is found, and the statement that is offered.
func find(t testing.TB, conn *duckdb.Conn, sql string) (said []string, right string) {
	t.Helper()
	found, err := Find(context.Background(), conn, sql, &memory{})
	if err != nil {
		t.Fatal(sql, err)
	}
	for _, f := range found {
		said, right = append(said, f.String()), f.Right
	}
	return said, right
}

// memory keeps keys as texts.
type memory []string

func (m *memory) Known(table string) Known {
	out := Known{Rows: -1}
	for _, key := range *m {
		if words := strings.Fields(key); words[0] == table {
			out.Once = append(out.Once, words[1:])
		}
	}
	return out
}

func (m *memory) Put(table string, columns []string) {
	*m = append(*m, table+" "+strings.Join(columns, " "))
}

// TestUniqueKeysAreMeasuredOnce holds what is remembered: keys that are unique in all rows
// of a table.
func TestUniqueKeysAreMeasuredOnce(t *testing.T) {
	conn := engine(t, shop...)
	var m memory
	for _, sql := range []string{
		"SELECT sum(amount) FROM orders JOIN customers USING (customer)",
		"SELECT sum(amount) FROM orders JOIN customers c ON c.Customer = orders.customer",
		"SELECT sum(amount) FROM orders JOIN codes ON codes.code = orders.code AND codes.current",      // unique among some rows
		"SELECT sum(quantity) FROM lines JOIN orders o ON o.id + 1 = order_id",                         // no column
		"WITH customers AS (FROM codes) SELECT sum(amount) FROM orders JOIN customers USING (version)", // another table
		"SELECT sum(quantity) FROM lines JOIN orders o ON o.id IS NOT DISTINCT FROM order_id",          // NULLs are equal
		"SELECT sum(quantity) FROM lines JOIN orders o ON o.id = order_id AND o.code = 'c1'",           // among some rows
		"SELECT sum(quantity) FROM lines JOIN orders o ON o.id = order_id AND o.customer = sku",
	} {
		if _, err := Find(t.Context(), conn, sql, &m); err != nil {
			t.Fatal(sql, err)
		}
	}
	if want := (memory{"customers customer", "orders customer id"}); !slices.Equal(m, want) {
		t.Errorf("%q, want %q", m, want)
	}
	sql := "SELECT sum(amount) FROM orders JOIN lines ON order_id = orders.id"
	if found, err := Find(t.Context(), conn, sql, &memory{"lines order_id"}); err != nil || len(found) > 0 {
		t.Errorf("what is known is measured: %v, %v", found, err)
	}
}

var shop = []string{
	"CREATE TABLE orders AS SELECT i AS id, i % 7 AS customer, i * 2 AS amount, CASE WHEN i % 3 > 0 THEN 'c' || (i % 5) END AS code FROM range(100) t(i)",
	"CREATE TABLE lines AS SELECT i AS id, i % 50 AS order_id, i % 3 AS sku, i AS quantity FROM range(100) t(i)",
	"CREATE TABLE payments AS SELECT i AS id, i % 60 AS order_id, i AS paid FROM range(180) t(i)",
	"CREATE TABLE customers AS SELECT i AS customer, 'r' || (i % 2) AS region FROM range(7) t(i)",
	"CREATE TABLE codes AS SELECT 'c' || (i % 5) AS code, i AS version, i >= 5 AS current FROM range(10) t(i)",
}

func TestFind(t *testing.T) {
	conn := engine(t, shop...)
	const linesOf = "'lines' has 2 rows for one order_id"
	for _, c := range []struct {
		sql, right string
		said       []string
	}{
		{sql: "SELECT sum(amount), sum(quantity), count(*) FROM orders o JOIN lines l ON l.order_id = o.id",
			said:  []string{"each row of 'orders' appears 2 times in sum(amount): " + linesOf},
			right: `SELECT sum(amount) AS "sum(amount)", sum(l.sum_quantity) AS "sum(quantity)", CAST(COALESCE(sum(l."rows"), 0) AS BIGINT) AS "count(*)" FROM orders AS o INNER JOIN (SELECT l.order_id, sum(quantity) AS sum_quantity, count(*) AS "rows" FROM lines AS l GROUP BY l.order_id) AS l ON ((l.order_id = o.id))`},
		{sql: "SELECT sum(l.quantity), sum(p.paid) FROM orders o JOIN lines l ON l.order_id = o.id JOIN payments p ON p.order_id = o.id",
			said: []string{"each row of 'lines' appears 3 times in sum(l.quantity): 'payments' has 3 rows for one order_id", "each row of 'payments' appears 2 times in sum(p.paid): " + linesOf}},
		{sql: "SELECT region, count(customer) AS n FROM customers JOIN orders USING (customer) GROUP BY ALL",
			said:  []string{"each row of 'customers' appears 14.3 times in count(customer): 'orders' has 14.3 rows for one customer"},
			right: "SELECT region, count(DISTINCT customer) AS n FROM customers INNER JOIN orders USING (customer) GROUP BY ALL"},
		{sql: "SELECT region, avg(length(region)) FROM customers JOIN orders USING (customer) WHERE code = 'c1' GROUP BY ALL",
			said: []string{"each row of 'customers' appears 1.9 times in avg(length(region)): 'orders' has 1.9 rows for one customer"}},
		{sql: "WITH j AS (SELECT o.*, l.sku FROM orders o, lines l WHERE o.id = l.order_id) SELECT avg(amount) FROM j",
			said: []string{"each row of 'orders' appears 2 times in avg(amount): " + linesOf}},
		{sql: "SELECT sum(amount) FROM orders o JOIN codes c ON coalesce(o.code, '') = coalesce(c.code, '')",
			said: []string{"each row of 'orders' appears 2 times in sum(amount): 'codes' has 2 rows for one COALESCE(code, '')"}},
		{sql: "SELECT sum(o.amount - l.quantity) FROM orders o JOIN lines l ON l.order_id = o.id",
			said: []string{"each row of 'orders' appears 2 times in sum((o.amount - l.quantity)): " + linesOf}},
		{sql: "SELECT count(*) FROM orders o JOIN codes USING (code)", said: []string{"each row of 'orders' appears 2 times in count(*): 'codes' has 2 rows for one code"}},
		{sql: "SELECT avg(length(region)) FROM customers c, orders o, lines l WHERE o.customer = c.customer AND l.order_id = o.id AND l.sku = 1", // lines only follow
			said: []string{"each row of 'customers' appears 4.7 times in avg(length(region)): 'orders' has several rows for one customer"}},
		// A metric divided by what its model says has one row for each key, and has several; for each of them there is a group.
		{sql: `SELECT version, sum(v) FROM (SELECT j1.version, t.v FROM (SELECT code AS "key code", amount AS v FROM orders) AS t
			LEFT JOIN (SELECT code AS "key code", version FROM codes) AS j1 ON t."key code" = j1."key code") AS r GROUP BY version`,
			said: []string{"each row of 'orders' appears 1.7 times in sum(v): 'codes' has several rows for one code"}},
		{sql: `SELECT version, sum(v) FROM (SELECT j1.version, t.v FROM (SELECT code AS "key code", 1 AS v FROM orders) AS t
			LEFT JOIN (SELECT code AS "key code", version FROM codes) AS j1 ON t."key code" = j1."key code") AS r GROUP BY version`,
			said: []string{"each row of 'orders' appears 1.7 times in sum(v): 'codes' has several rows for one code"}},
		// Right, by what they say or by what is in the tables.
		{sql: "SELECT version, sum(amount) FROM orders LEFT JOIN codes USING (code) GROUP BY version"}, // the same, of a person
		{sql: `SELECT region, customer, sum(v) FROM (SELECT j1.region, t.v, t.customer FROM (SELECT customer AS "key customer", customer, amount AS v FROM orders) AS t
			LEFT JOIN (SELECT customer AS "key customer", region FROM customers) AS j1 ON t."key customer" = j1."key customer") AS r GROUP BY ALL`},
		{sql: "SELECT sum(amount) FROM orders o JOIN codes c ON c.code = o.code AND c.current"},
		{sql: "SELECT sum(amount) FROM orders o JOIN codes c ON c.code = o.code WHERE NOT c.current"},
		{sql: "SELECT region, sum(amount), count(*) FROM orders JOIN customers USING (customer) GROUP BY 1"},
		{sql: "SELECT count(DISTINCT o.id), max(o.amount) FROM orders o JOIN lines l ON l.order_id = o.id"},
		{sql: "SELECT l.id, sum(o.amount) FROM orders o JOIN lines l ON l.order_id = o.id GROUP BY 1"},
		{sql: "SELECT sum(amount) FROM orders o SEMI JOIN lines l ON l.order_id = o.id"},
		{sql: "SELECT sum(amount) FROM orders o WHERE EXISTS (SELECT 1 FROM lines l WHERE l.order_id = o.id)"},
		{sql: "SELECT sum(amount), sum(q) FROM orders o LEFT JOIN (SELECT order_id, sum(quantity) AS q FROM lines GROUP BY 1) l ON l.order_id = o.id"},
		{sql: "SELECT sum(o.amount * l.quantity) FROM orders o JOIN lines l ON l.order_id = o.id"},
		{sql: "SELECT sum(amount) FROM orders JOIN LATERAL (SELECT * FROM lines WHERE order_id = orders.id) l ON true",
			said: []string{"each row of 'orders' appears 2 times in sum(amount): " + linesOf}},
		{sql: "SELECT sum(amount) FROM orders, LATERAL (SELECT sku FROM lines l WHERE order_id = orders.id AND l.quantity > amount - amount)",
			said: []string{"each row of 'orders' appears 2 times in sum(amount): " + linesOf}},
		{sql: "SELECT sum(amount) FROM orders, LATERAL (SELECT count(*) AS n FROM lines WHERE order_id = orders.id)"},
		{sql: "SELECT sum(amount) FROM orders, LATERAL (SELECT sku FROM lines WHERE order_id = orders.id LIMIT 1)"},
		{sql: "SELECT sum(amount) FROM orders CROSS JOIN (SELECT max(paid) AS top FROM payments)"},
		{sql: "SELECT sum(amount) FROM orders o JOIN lines l ON l.order_id = o.id WHERE length(repeat(repeat('x', 10000), 10000)) > 1"}, // not run twice
		{sql: "SELECT count(*) FROM lines a JOIN lines b ON a.order_id = b.order_id AND a.id < b.id"},
	} {
		said, right := find(t, conn, c.sql)
		if len(said) != len(c.said) {
			t.Errorf("%s\nis said to have %q, want %q", c.sql, said, c.said)
			continue
		}
		for i := range said {
			if said[i] != c.said[i] {
				t.Errorf("%s\ngot  %s\nwant %s", c.sql, said[i], c.said[i])
			}
		}
		if c.right != "" && right != c.right {
			t.Errorf("%s\noffers %s\nwant   %s", c.sql, right, c.right)
		}
	}
}
