package postgres

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// chain is a WITH in which each item is made from the one before it.
func chain(first, item, last string, n int) string {
	parts := []string{"x0 AS (" + first + ")"}
	for i := 1; i <= n; i++ {
		parts = append(parts, fmt.Sprintf("x%d AS (%s)", i, strings.ReplaceAll(item, "PREV", fmt.Sprintf("x%d", i-1))))
	}
	return "WITH " + strings.Join(parts, ", ") + " " + strings.ReplaceAll(last, "LAST", fmt.Sprintf("x%d", n))
}

// windows lists sums over that many windows, each made from a number.
func windows(n int, partition string) string {
	var items []string
	for i := range n {
		items = append(items, "sum(delay) OVER (PARTITION BY "+strings.ReplaceAll(partition, "%d", fmt.Sprint(i+2))+" ORDER BY delay DESC)")
	}
	return strings.Join(items, ", ")
}

// bombs are short statements that become large where names are expanded.
var bombs = []string{
	chain("SELECT origin AS s FROM flights", "SELECT s||s AS s FROM PREV", "SELECT s FROM LAST", 30),
	chain("SELECT origin FROM flights", "SELECT PREV.origin||PREV.origin AS origin FROM PREV", "SELECT origin FROM LAST", 30),
	chain("SELECT origin FROM flights", "SELECT s||s FROM PREV AS q(s)", "TABLE LAST", 30),
	chain("SELECT delay AS a FROM flights", "SELECT CASE WHEN a > 1 THEN a ELSE a + 1 END AS a FROM PREV", "SELECT a FROM LAST", 30),
	chain("SELECT delay AS a FROM flights", "SELECT a[a] AS a FROM PREV", "SELECT a FROM LAST", 30),
	chain("SELECT delay AS a FROM flights", "SELECT ARRAY[a, a] AS a FROM PREV", "SELECT a FROM LAST", 30),
	chain("SELECT delay AS a FROM flights", "SELECT ROW(PREV, PREV) AS a FROM PREV", "SELECT a FROM LAST", 30),
	chain("SELECT delay AS a FROM flights", "SELECT *, * FROM PREV", "SELECT * FROM LAST", 30),
	chain("SELECT delay AS a FROM flights", "SELECT p.a FROM PREV p, PREV q", "SELECT count(*) FROM LAST", 30),
	chain("SELECT delay AS a FROM flights", "SELECT a FROM PREV UNION ALL SELECT a FROM PREV", "SELECT count(*) FROM LAST", 30),
	chain("SELECT delay AS a FROM flights", "SELECT a FROM PREV WHERE a IN (SELECT a FROM PREV)", "SELECT count(*) FROM LAST", 30),
	strings.ReplaceAll(chain("SELECT delay AS a FROM flights", "SELECT p.a FROM PREV p JOIN PREV q USING (a)", "SELECT count(*) FROM LAST", 30), " AS (", " AS NOT MATERIALIZED ("),
	strings.Repeat("SELECT s||s AS s FROM (", 30) + "SELECT origin AS s FROM flights" + strings.Repeat(") x", 30),
	"SELECT count(*) FROM flights GROUP BY " + strings.Repeat("CUBE (delay, origin, date), ", 6) + "1",
	"SELECT delay FROM flights ORDER BY " + windows(200, "delay % %d"),
	"SELECT " + windows(200, "delay % %d") + " FROM flights", // the planner took 600 MB; with twice as many, 2.3 GB and minutes
	// These read 256 tables. With twice as many, the planner took 600 MB and 20 s.
	chain("SELECT delay AS a FROM flights", "SELECT a FROM PREV UNION ALL SELECT a FROM PREV", "SELECT count(*) FROM LAST", 8),
	chain("SELECT delay AS a FROM flights", "SELECT a FROM PREV WHERE a IN (SELECT a FROM PREV)", "SELECT count(*) FROM LAST", 8),
	chain("SELECT delay AS a FROM flights", "SELECT p.a FROM PREV p JOIN PREV q USING (a)", "SELECT count(*) FROM LAST", 8),
}

// growing make texts without a small bound.
var growing = []string{
	"SELECT " + strings.Repeat("replace(", 8) + "origin" + strings.Repeat(", 'C', 'CCCCCCCCCC')", 8) + " FROM flights",
	"SELECT 1 FROM flights WHERE " + strings.Repeat("replace(", 8) + "origin" + strings.Repeat(", 'C', 'CCCCCCCCCC')", 8) + " = ''",
	chain("SELECT origin AS s FROM flights", "SELECT replace(s, 'C', 'CCCCCCCCCC') AS s FROM PREV", "SELECT s FROM LAST", 8),
	"SELECT replace(repeat('a', 9000), 'a', repeat('a', 9000))", "SELECT repeat(origin, delay) FROM flights", "SELECT lpad(origin, 100000000, 'x') FROM flights",
	"SELECT format('%100000000s', origin) FROM flights", "SELECT format('%*s', delay, origin) FROM flights", "SELECT 'x'::char(10000000)",
	"WITH RECURSIVE r(s, n) AS (SELECT 'a', 1 UNION ALL SELECT s || s, n + 1 FROM r WHERE n < 40) SELECT length(s) FROM r",
	"WITH RECURSIVE r AS (SELECT 'a' AS s, 1 AS n UNION ALL SELECT replace(s, 'a', 'aa'), n + 1 FROM r WHERE n < 40) SELECT length(s) FROM r",
	"SELECT 1 ORDER BY repeat('x', 100000000)", "SELECT * FROM string_to_table(repeat('x', 100000000), 'y')", "VALUES (repeat('x', 100000000))",
}

// modest are statements of people, which make nothing large.
var modest = []string{
	"SELECT replace(replace(replace(origin, '&', '&amp;'), '<', '&lt;'), '>', '&gt;') FROM flights",
	"SELECT * FROM generate_series(1, 1000000000) LIMIT 1",
	"WITH RECURSIVE r AS (SELECT iata AS id, city::text AS path FROM airports UNION ALL SELECT a.iata, r.path || '/' || a.city FROM r JOIN airports a ON a.city = r.id) SELECT * FROM r",
	chain("SELECT delay, origin FROM flights", "SELECT delay, CASE WHEN delay > 1 THEN upper(origin) WHEN delay > 2 THEN lower(origin) ELSE trim(origin) END AS origin FROM PREV", "SELECT origin, count(*) FROM LAST GROUP BY origin", 6),
	chain("SELECT delay, origin FROM flights", "SELECT *, delay + 1 AS c FROM PREV", "SELECT 1 FROM LAST", 8),
	chain("SELECT delay, origin FROM flights", "SELECT origin, sum(delay) AS delay FROM PREV WHERE delay BETWEEN 1 AND 2 GROUP BY origin", "SELECT * FROM LAST p JOIN flights ON flights.origin = p.origin", 40),
	"SELECT count(*) FROM flights GROUP BY CUBE (delay, origin, date), ROLLUP (delay, origin)",
	"SELECT " + windows(60, "delay % %d") + " FROM flights",
	"SELECT " + windows(400, "origin") + " FROM flights",                                                                       // 400 times the same window
	chain("SELECT delay AS a FROM flights", "SELECT a FROM PREV UNION ALL SELECT a FROM PREV", "SELECT count(*) FROM LAST", 7), // reads 128 tables
}

// TestBombsAreRefused holds what statements become to a limit, before the
// engine's planner sees them.
func TestBombsAreRefused(t *testing.T) {
	for _, sql := range slices.Concat(bombs, growing) {
		_, err := Check(sql)
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != api.KindTooLong && e.Kind != api.KindUnsupported || e.Hint == "" || e.Details["position"] == nil {
			t.Errorf("%.200s\n\t%v (%+v), want a refusal with a hint and a place", sql, err, e)
		}
	}
	for _, sql := range modest {
		if _, err := Check(sql); err != nil {
			t.Errorf("%.200s\n\tis refused: %v", sql, err)
		}
	}
}
