package statement

import (
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

// nested is a SELECT from a SELECT from a SELECT.
func nested(item, first string, n int) string {
	sql := first
	for i := range n {
		sql = fmt.Sprintf("%s (%s) AS n%d", item, sql, i)
	}
	return sql
}

// bombs are short statements that become large where names are expanded.
var bombs = []string{
	chain("SELECT s FROM t", "SELECT s||s AS s FROM PREV", "SELECT s FROM LAST", 30),
	chain("SELECT s FROM t", "SELECT s||s AS s FROM PREV", "SELECT count(*) FROM LAST WHERE s = ''", 30),
	chain("SELECT s FROM t", "SELECT PREV.s||PREV.s AS s FROM PREV", "SELECT s FROM LAST", 30),
	chain("SELECT s FROM t", "SELECT concat(q.s, q.s) AS s FROM PREV q", "SELECT s FROM LAST", 30),
	chain("SELECT s FROM t", "SELECT s||s FROM PREV AS q(s)", "SELECT * FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT a+a AS a FROM PREV", "SELECT a FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT a+a FROM PREV AS q(a)", "TABLE LAST", 30),
	chain("SELECT a, b FROM t", "SELECT a+b AS a, b+a AS b FROM PREV", "SELECT a FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT p.a FROM PREV p, PREV q", "SELECT count(*) FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT a FROM PREV UNION ALL SELECT a FROM PREV", "SELECT count(*) FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT a FROM PREV WHERE a IN (SELECT a FROM PREV)", "SELECT count(*) FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT *, * FROM PREV", "SELECT * FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT COLUMNS(*) + COLUMNS(*) FROM PREV", "SELECT * FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT COLUMNS(*), COLUMNS(*) FROM PREV", "SELECT * FROM LAST ORDER BY ALL", 30),
	chain("SELECT a FROM t", "SELECT p.*, q.* FROM PREV p POSITIONAL JOIN PREV q", "SELECT * FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT COLUMNS(*) + 1, COLUMNS(*) + 2 FROM PREV", "SELECT * FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT {'a': a, 'b': a} AS a FROM PREV", "SELECT a FROM LAST", 30),
	chain("SELECT a FROM t", "SELECT [PREV, PREV] AS v FROM PREV", "SELECT * FROM LAST", 30),
	nested("SELECT s||s AS s FROM", "SELECT s FROM t", 30),
	nested("SELECT CASE WHEN a > 1 THEN a ELSE a + 1 END AS a FROM", "SELECT a FROM t", 30),
	"SELECT s||s AS a1, " + aliases("a", "||", 30) + " FROM t",
	"SELECT list_transform(l, x -> " + strings.Repeat("list_reduce(l, (x, y) -> ", 30) + "1" + strings.Repeat(")", 30) + ") FROM t",
	"PIVOT t ON a IN (" + numbers(80) + "), b IN (" + numbers(80) + "), c IN (" + numbers(80) + ") USING sum(a)",
}

func aliases(prefix, op string, n int) string {
	var items []string
	for i := 2; i <= n; i++ {
		items = append(items, fmt.Sprintf("%[1]s%[2]d %[3]s %[1]s%[2]d AS %[1]s%[4]d", prefix, i-1, op, i))
	}
	return strings.Join(items, ", ")
}

func numbers(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprint(i))
	}
	return strings.Join(list, ", ")
}

// growing make texts without a small bound.
var growing = []string{
	"SELECT " + strings.Repeat("replace(", 8) + "s" + strings.Repeat(", 'C', 'CCCCCCCCCC')", 8) + " FROM t",
	"SELECT s FROM t WHERE " + strings.Repeat("replace(", 8) + "s" + strings.Repeat(", 'C', 'CCCCCCCCCC')", 8) + " = ''",
	"SELECT a FROM t ORDER BY " + strings.Repeat("replace(", 8) + "s" + strings.Repeat(", 'C', 'CCCCCCCCCC')", 8),
	chain("SELECT s FROM t", "SELECT replace(s, 'C', 'CCCCCCCCCC') AS s FROM PREV", "SELECT s FROM LAST", 8),
	chain("SELECT s FROM t", `SELECT regexp_replace(s, '.*', '\\0\\0\\0\\0') AS s FROM PREV`, "SELECT s FROM LAST", 10),
	"SELECT replace('" + strings.Repeat("a", 9000) + "', 'a', '" + strings.Repeat("a", 9000) + "')",
	"SELECT replace(s, 'a', s), replace(replace(s, 'b', s), 'c', s) || replace(replace(s, 'b', s), 'c', s) || replace(replace(replace(s, 'b', s), 'c', s), 'd', s) FROM t",
	"SELECT repeat(s, a) FROM t", "SELECT repeat('x', 100000000)", "SELECT repeat(repeat('x', 10000), 10000)",
	"SELECT lpad(s, a, 'x'), rpad(s, 100000000, 'x') FROM t", "SELECT bar(a, 0, 1, 1e8) FROM t", "SELECT bar(a, 0, 1, a) FROM t",
	"SELECT format('{:1000000000}', s) FROM t", "SELECT format('{:{}}', s, a) FROM t", "SELECT printf('%*d', a, 1) FROM t", "SELECT format(s, 1) FROM t",
	"SELECT range(1000000000)", "SELECT range(a) FROM t", "SELECT generate_series(-1000000000, 0)", "SELECT list_resize(l, 100000000) FROM t",
	"SELECT list_transform(range(1000), x -> repeat('x', 10000))", "SELECT list_transform(l, x -> list_transform(l, y -> repeat('x', 900000))) FROM t",
	"SELECT list_reduce([1, 2, 3]::VARCHAR[], (x, y) -> x || x || y) FROM t", "SELECT list_reduce(l, (x, y) -> replace(x, 'a', 'aa')) FROM t",
	"WITH RECURSIVE r AS (SELECT 'a' AS s, 1 AS n UNION ALL SELECT s || s, n + 1 FROM r WHERE n < 40) SELECT length(s) FROM r",
	"WITH RECURSIVE r(s, n) AS (SELECT 'a', 1 UNION ALL SELECT replace(s, 'a', 'aa'), n + 1 FROM r WHERE n < 40) SELECT length(s) FROM r",
	"SELECT levenshtein(s, path) FROM t", "SELECT " + strings.Repeat("to_json(", 20) + "s" + strings.Repeat(")", 20) + " FROM t",
	"SELECT " + strings.Repeat("repeat(s, 1000), ", 30) + "1 FROM t", "SELECT * FROM unnest(range(1000000000))",
	"SELECT array_to_string(range(1000), repeat('x', 100000))", "SELECT s.repeat(10000).repeat(10000) FROM t",
}

// modest are statements of people, which make nothing large.
var modest = []string{
	"SELECT replace(replace(replace(replace(s, '&', '&amp;'), '<', '&lt;'), '>', '&gt;'), '\"', '&quot;') FROM t",
	"SELECT repeat('-', 80), lpad(s, 10, '0'), rpad(s, 20, ' '), format('{:>10} {:.2f}', s, a), printf('%5d%%', a), bar(a, 0, 10, 20), bar(a, 0, 10) FROM t",
	"SELECT levenshtein(s, 'Smith'), damerau_levenshtein('Smith', s) FROM t", "SELECT range(10), generate_series(1, 100, 2), list_resize(l, 5) FROM t",
	`SELECT regexp_replace(s, '[^0-9]+', '', 'g'), regexp_replace(s, '(a)(b)', '\\2\\1') FROM t`,
	"SELECT list_reduce(['a', 'b'], (x, y) -> x || '/' || y), list_transform(l, (x, i) -> format('{:03d}', x)) FROM t",
	"SELECT * FROM unnest(generate_series(1, 100))", "FROM generate_series(1, 1000000000) LIMIT 1",
	"WITH RECURSIVE r AS (SELECT a AS id, s AS path FROM t UNION ALL SELECT t.a, r.path || '/' || t.s FROM r JOIN t ON t.b = r.id) SELECT * FROM r",
	"WITH RECURSIVE r(id, path) AS (SELECT a, [s] FROM t UNION ALL SELECT t.a, list_append(r.path, t.s) FROM r JOIN t ON t.b = r.id) SELECT * FROM r",
	chain("SELECT a, b, s FROM t", "SELECT a, b, CASE WHEN a > 1 THEN upper(s) WHEN b > 2 THEN lower(s) ELSE trim(s) END AS s FROM PREV", "SELECT s, count(*) FROM LAST GROUP BY s", 6),
	chain("SELECT a, b, s FROM t", "SELECT *, a + b AS c FROM PREV", "SELECT * FROM LAST", 12),
	chain("SELECT a, b, s FROM t", "SELECT a, sum(b) AS b, max(s) AS s FROM PREV WHERE a > 1 AND b BETWEEN 1 AND 2 GROUP BY a", "SELECT * FROM LAST p JOIN t ON t.a = p.a", 40),
	chain("SELECT a, b, s FROM t", "SELECT p.a, p.b, q.s FROM PREV p JOIN PREV q ON p.a = q.a", "SELECT * FROM LAST", 6),
	"SELECT trim(s) AS s, upper(s) AS u, lower(s) AS l, s || s AS d FROM t",
	"PIVOT t ON a IN (1, 2, 3), b IN (1, 2, 3) USING sum(c), max(c)",
}

// TestBombsAreRefused holds what statements become to a limit, before the
// engine's planner sees them.
func TestBombsAreRefused(t *testing.T) {
	conn := engine(t)
	for _, sql := range bombs {
		_, err := Check(t.Context(), conn, sql)
		if err == nil {
			t.Errorf("%.200s\n\tpassed", sql)
			continue
		}
		if e := refusal(t, err); e.Kind != api.KindTooLong || e.Hint == "" || e.Details["position"] == nil {
			t.Errorf("%.200s\n\tis refused as %s (%v), want %s with a hint and a place", sql, e.Kind, e.Details, api.KindTooLong)
		}
	}
}

// TestColumnsStarIsOnePerColumn: an item with COLUMNS stands once for each column, not
// for all columns each time.
func TestColumnsStarIsOnePerColumn(t *testing.T) {
	conn := engine(t)
	for _, sql := range []string{
		"SELECT COLUMNS('id|f') FROM g ORDER BY ALL", "SELECT COLUMNS('id|f') FROM g WHERE COLUMNS('id') > 3",
		"SELECT COLUMNS('^(id|f)$'), min(COLUMNS(* EXCLUDE (id))) FROM g GROUP BY ALL", "SELECT * FROM g WHERE COLUMNS(*) > 3 ORDER BY ALL",
	} {
		if _, err := Check(t.Context(), conn, sql); err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestPatternsWithEscape: a constant pattern with one sign is matched in one pass, with
// ESCAPE too.
func TestPatternsWithEscape(t *testing.T) {
	conn := engine(t)
	for condition, backtracks := range map[string]bool{
		"s LIKE 'a!_%' ESCAPE '!'": false, "s NOT ILIKE '%a' ESCAPE '!'": false, "s LIKE '%a%b%' ESCAPE '!'": true, "s LIKE p ESCAPE '!'": true,
		"main.like_escape(s, '%a%b%', '!')": true, "main.like_escape('%a%b%', s)": true, "t.like_escape('%a%b%', '!')": true,
	} {
		sel, err := Check(t.Context(), conn, "SELECT 1 FROM t WHERE "+condition)
		if err == nil && sel.Backtracks != backtracks {
			t.Errorf("%s: %t", condition, sel.Backtracks)
		}
	}
}

func TestTextsThatGrow(t *testing.T) {
	conn := engine(t)
	for _, sql := range growing {
		if s, err := Check(t.Context(), conn, sql); err != nil || s.Grows == nil {
			t.Errorf("%.200s\n\tseems to have a small bound (%v)", sql, err)
		}
	}
	for _, sql := range modest {
		if s, err := Check(t.Context(), conn, sql); err != nil || s.Grows != nil {
			t.Errorf("%.200s\n\tis refused: %v %v", sql, err, s)
		}
	}
	for _, c := range accepted {
		if s, err := Check(t.Context(), conn, c.sql); err == nil && s.Grows != nil {
			t.Errorf("%.200s\n\tis refused: %v", c.sql, s.Grows)
		}
	}
}
