package googlesql

import (
	"errors"
	"fmt"
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

// TestBombsAreRefused holds what statements become to a limit, before BigQuery
// plans them.
func TestBombsAreRefused(t *testing.T) {
	longer := strings.Repeat("REPLACE(", 8) + "s" + strings.Repeat(", 'C', 'CCCCCCCCCC')", 8)
	for _, sql := range []string{
		chain("SELECT s FROM t", "SELECT s || s AS s FROM PREV", "SELECT s FROM LAST", 30),
		chain("SELECT s FROM t", "SELECT CONCAT(PREV.s, PREV.s) AS s FROM PREV", "SELECT s FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT CASE WHEN a > 1 THEN a ELSE a + 1 END AS a FROM PREV", "SELECT a FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT IF(a > 1, a, a) AS a FROM PREV", "SELECT a FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT [a, a] AS a FROM PREV", "SELECT a FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT STRUCT(PREV, PREV) AS a FROM PREV", "SELECT a FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT AS STRUCT a, a AS b FROM PREV", "SELECT LAST FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT *, * FROM PREV", "SELECT * FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT p.a FROM PREV p, PREV q", "SELECT COUNT(*) FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT p.a FROM PREV p JOIN PREV q USING (a)", "SELECT COUNT(*) FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT a FROM PREV UNION ALL SELECT a FROM PREV", "SELECT COUNT(*) FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT a FROM PREV WHERE a IN (SELECT a FROM PREV)", "SELECT COUNT(*) FROM LAST", 30),
		chain("SELECT a FROM t", "FROM PREV |> UNION ALL (FROM PREV)", "SELECT COUNT(*) FROM LAST", 30),
		chain("SELECT a FROM t", "FROM PREV |> JOIN PREV AS q USING (a)", "SELECT COUNT(*) FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT a FROM PREV QUALIFY RANK() OVER (ORDER BY (SELECT MAX(a) FROM PREV)) = 1", "SELECT a FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT SUM(a) OVER (PARTITION BY a, a ORDER BY a) AS a FROM PREV", "SELECT a FROM LAST", 30),
		chain("SELECT a FROM t", "SELECT ARRAY_AGG(a ORDER BY a) AS a FROM PREV", "SELECT a FROM LAST", 30),
		strings.Replace(chain("SELECT a FROM t", "SELECT p.a FROM PREV p, PREV q", "SELECT COUNT(*) FROM LAST", 30), "WITH", "WITH RECURSIVE", 1),
		"SELECT COUNT(*) FROM t GROUP BY " + strings.Repeat("CUBE (a, b, c), ", 6) + "1",
		"SELECT COUNT(*) FROM t GROUP BY GROUPING SETS (" + strings.Repeat("CUBE (a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q), ", 2) + "a)",
		"SELECT " + strings.Repeat("*, ", 200) + "1 FROM t",
		"SELECT * FROM t PIVOT (" + strings.Repeat("SUM(a), ", 150) + "SUM(b) FOR c IN (" + strings.Repeat("1, ", 150) + "2))",
		// Texts without a small bound.
		"SELECT " + longer + " FROM t", "SELECT 1 FROM t WHERE " + longer + " = ''", "SELECT 1 FROM t ORDER BY " + longer, "SELECT 1 FROM t QUALIFY " + longer + " = ''",
		"SELECT 1 FROM t, UNNEST(SPLIT(" + longer + ")) AS x", "FROM t |> EXTEND " + longer + " AS s", "SELECT SAFE." + longer + " FROM t",
		chain("SELECT s FROM t", "SELECT REPLACE(s, 'C', 'CCCCCCCCCC') AS s FROM PREV", "SELECT s FROM LAST", 8),
		chain("SELECT s FROM t", "FROM PREV |> SET s = REPLACE(s, 'C', 'CCCCCCCCCC')", "SELECT s FROM LAST", 8),
		"SELECT REPEAT(s, n) FROM t", "SELECT LPAD(s, 100000000, 'x') FROM t", "SELECT FORMAT('%100000000s', s) FROM t", "SELECT FORMAT('%*s', n, s) FROM t",
		"SELECT ARRAY_LENGTH(GENERATE_ARRAY(1, n)) FROM t", "SELECT REPLACE(REPEAT('a', 9000), 'a', REPEAT('a', 9000))",
		"WITH RECURSIVE r AS (SELECT 'a' AS s, 1 AS n UNION ALL SELECT s || s, n + 1 FROM r WHERE n < 40) SELECT LENGTH(s) FROM r",
	} {
		_, err := Check(sql)
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != api.KindTooLong && e.Kind != api.KindUnsupported || e.Hint == "" || e.Details["position"] == nil {
			t.Errorf("%.200s\n\t%v (%+v), want a refusal with a hint and a place", sql, err, e)
		}
	}
	for _, sql := range []string{
		"SELECT REPLACE(REPLACE(REPLACE(s, '&', '&amp;'), '<', '&lt;'), '>', '&gt;') FROM t",
		"SELECT n FROM UNNEST(GENERATE_ARRAY(1, (SELECT MAX(n) FROM t))) AS n",
		chain("SELECT a, s FROM t", "SELECT a, CASE WHEN a > 1 THEN UPPER(s) WHEN a > 2 THEN LOWER(s) ELSE TRIM(s) END AS s FROM PREV", "SELECT s, COUNT(*) FROM LAST GROUP BY s", 6),
		chain("SELECT a FROM t", "SELECT *, a + 1 AS c FROM PREV", "SELECT 1 FROM LAST", 8),
		chain("SELECT a, s FROM t", "SELECT s, SUM(a) AS a FROM PREV WHERE a BETWEEN 1 AND 2 GROUP BY s", "SELECT * FROM LAST p JOIN t ON t.s = p.s", 40),
		"SELECT COUNT(*) FROM t GROUP BY CUBE (a, b, c), ROLLUP (a, b)",
		"WITH RECURSIVE r AS (SELECT id, name AS path FROM t UNION ALL SELECT a.id, r.path || '/' || a.name FROM r JOIN t a ON a.parent = r.id) SELECT * FROM r",
	} {
		if _, err := Check(sql); err != nil {
			t.Errorf("%.200s\n\tis refused: %v", sql, err)
		}
	}
}
