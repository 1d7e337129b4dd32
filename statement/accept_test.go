package statement

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// accepted are statements that pass, with the tables that they read. Each runs
// against tables of the columns of testTable.
var accepted = []struct {
	sql    string
	tables string // in order of mention
}{
	// Nothing read.
	{"SELECT 1", ""},
	{"SELECT 1;", ""},
	{" ;; SELECT 1 ; ; ", ""},
	{"SELECT 1 -- a comment; with a semicolon", ""},
	{"/* one; */ SELECT ';' /* two; */", ""},
	{"/" + strings.Repeat("*", 100_000) + "/ SELECT 1 --" + strings.Repeat("=", 100_000), ""},
	{strings.Repeat("/* one */ ", 10_000) + "SELECT 1 + + + 2 --" + strings.Repeat("+---+", 20), ""},
	{"((SELECT 1))", ""},
	{"VALUES (1, 'a'), (2, 'b')", ""},
	{"SELECT '{\"class\":\"FUNCTION\",\"function_name\":\"query\"}'", ""},
	{"SELECT {'table_name': 1, 'class': 'x', 'function_name': 2}", ""},
	{"SELECT current_user, current_user(), user, session_user, current_role, current_schema, current_schema(), current_catalog", ""},
	{"SELECT current_date, current_timestamp, now(), today()", ""},

	// What deny lists of words would refuse.
	{"SELECT last_update FROM t", "t"},
	{"SELECT \"update\", \"delete\" FROM (SELECT 1 AS \"update\", 2 AS \"delete\")", ""},
	{"SELECT a FROM t WHERE path = '/home'", "t"},
	{"SELECT a FROM t WHERE url LIKE 'https://%'", "t"},
	{"SELECT 'COPY t TO ''x.csv''; DROP TABLE t; --'", ""},
	{"SELECT a AS attach FROM t WHERE s = 'read_csv(''/etc/passwd'')'", "t"},

	// Ways to name a table.
	{"SELECT * FROM t", "t"},
	{"FROM t", "t"},
	{"FROM t SELECT a", "t"},
	{"TABLE t", "t"},
	{"(TABLE t)", "t"},
	{"SELECT * FROM T JOIN \"T\" AS t2 USING (a)", "t"},
	{"SELECT * FROM (t JOIN u USING (a))", "t u"},
	{"SELECT t.a, u.b FROM t, u WHERE t.a = u.a", "t u"},
	{"SELECT * FROM u, t, u AS u2", "u t"},
	{"SELECT * FROM one: t", "t"},
	{"SELECT t FROM t", "t"},
	{"SELECT main.t.a FROM t", "t"},

	// Joins.
	{"SELECT * FROM t POSITIONAL JOIN u", "t u"},
	{"SELECT * FROM t ASOF JOIN u ON t.a = u.a AND t.d >= u.d", "t u"},
	{"SELECT * FROM t SEMI JOIN u USING (a)", "t u"},
	{"SELECT * FROM t ANTI JOIN u USING (a)", "t u"},
	{"SELECT * FROM t NATURAL JOIN u", "t u"},
	{"SELECT * FROM t CROSS JOIN u FULL JOIN w ON w.a = t.a", "t u w"},
	{"SELECT * FROM t, LATERAL (SELECT t.a + u.a FROM u) q", "t u"},
	{"SELECT * FROM t JOIN u ON t.a IN (SELECT a FROM w)", "t u w"},

	// Subqueries everywhere.
	{"SELECT (SELECT max(a) FROM t)", "t"},
	{"SELECT a FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.a = t.a)", "t u"},
	{"SELECT a FROM t WHERE a = ANY (SELECT a FROM u) AND a <> ALL (SELECT a FROM w)", "t u w"},
	{"SELECT a FROM t ORDER BY (SELECT 1 FROM u LIMIT 1)", "t u"},
	{"SELECT a FROM t LIMIT (SELECT 1 FROM u LIMIT 1) OFFSET (SELECT 0 FROM w LIMIT 1)", "t u w"},
	{"SELECT count(*) FILTER (WHERE a IN (SELECT a FROM u)) FROM t GROUP BY b HAVING max(a) > (SELECT 0 FROM w LIMIT 1)", "u t w"},
	{"SELECT row_number() OVER (PARTITION BY (SELECT 1 FROM u LIMIT 1) ORDER BY a) FROM t", "u t"},
	{"SELECT a FROM t QUALIFY row_number() OVER (ORDER BY a) = (SELECT 1 FROM u LIMIT 1)", "t u"},
	{"SELECT CASE WHEN a = 1 THEN (SELECT 1 FROM u LIMIT 1) ELSE (SELECT 2 FROM w LIMIT 1) END FROM t", "u w t"},
	{"SELECT * REPLACE ((SELECT 1 FROM u LIMIT 1) AS a) FROM t", "u t"},
	{"SELECT ARRAY(SELECT a FROM t)", "t"},
	{"SELECT * FROM range((SELECT max(a) FROM t))", "t"},
	{"VALUES ((SELECT max(a) FROM t))", "t"},
	{"SELECT DISTINCT ON (a) a, b FROM t ORDER BY b", "t"},
	{"SELECT * FROM (FROM (FROM (FROM t)))", "t"},

	// Set operations.
	{"SELECT a FROM t UNION SELECT a FROM u EXCEPT ALL SELECT a FROM w INTERSECT SELECT 1", "t u w"},
	{"SELECT a FROM t UNION ALL BY NAME SELECT b FROM u", "t u"},
	{"(SELECT a FROM t ORDER BY 1 LIMIT 1) UNION ALL (SELECT a FROM u) ORDER BY 1", "t u"},

	// WITH: what is defined is not a table, and only where it is defined.
	{"WITH x AS (SELECT 1 AS v) SELECT * FROM x", ""},
	{"WITH x AS (SELECT * FROM x) SELECT * FROM x", "x"},
	{"WITH X AS (SELECT 1 AS v) SELECT * FROM x", ""},
	{"WITH \"My List\" AS (SELECT 1 AS v) SELECT * FROM \"my list\"", ""},
	{"WITH x AS MATERIALIZED (SELECT a FROM t), y AS NOT MATERIALIZED (SELECT * FROM x) SELECT * FROM y, u", "t u"},
	{"WITH x AS (SELECT * FROM y), y AS (SELECT 1 AS v) SELECT * FROM x, y", "y"},
	{"SELECT * FROM (WITH x AS (SELECT 1 AS v) SELECT * FROM x), x", "x"},
	{"SELECT * FROM x, (WITH x AS (SELECT 1 AS v) SELECT * FROM x)", "x"},
	{"SELECT (WITH x AS (SELECT 1 AS v) SELECT v FROM x), a FROM x", "x"},
	{"(WITH x AS (SELECT 1 AS a) SELECT a FROM x) UNION ALL SELECT a FROM x", "x"},
	{"WITH x AS (SELECT 1 AS a) (SELECT a FROM x) UNION ALL SELECT a FROM x", ""},
	{"WITH x AS (WITH y AS (SELECT 1 AS v) SELECT * FROM y) SELECT * FROM x, y", "y"},
	{"WITH x AS (SELECT 1 AS v) SELECT * FROM (WITH x AS (SELECT v FROM x) SELECT * FROM x)", ""},
	{"WITH x AS (SELECT (SELECT max(a) FROM x) AS v) SELECT * FROM x", "x"},
	{"WITH x AS (SELECT 1 AS v) SELECT 1 ORDER BY (SELECT v FROM x)", ""},
	{"WITH x AS (SELECT 1 AS v) SELECT 1 LIMIT (SELECT v FROM x)", ""},
	{"WITH x AS (SELECT 1 AS v) SELECT * FROM range((SELECT v FROM x))", ""},
	{"WITH x AS (SELECT 1 AS v) VALUES ((SELECT v FROM x))", ""},
	{"WITH RECURSIVE x AS (SELECT 1 AS v UNION ALL SELECT v + 1 FROM x WHERE v < 3) SELECT * FROM x", ""},
	{"WITH RECURSIVE x(v) AS (SELECT a FROM x UNION SELECT v + 1 FROM x WHERE v < 3) SELECT * FROM x", "x"},
	{"WITH RECURSIVE x AS (SELECT * FROM x) SELECT * FROM x", "x"},
	{"WITH RECURSIVE x AS (SELECT 1 AS v UNION SELECT v + 1 FROM x WHERE v < 3 AND EXISTS (SELECT * FROM x)) SELECT * FROM x", ""},
	{"WITH RECURSIVE x AS (WITH y AS (SELECT 1 AS v) SELECT * FROM y UNION ALL SELECT v + 1 FROM x WHERE v < 3) SELECT * FROM x", ""},
	{"WITH RECURSIVE x(k, v) USING KEY (k) AS (SELECT 1, 1 UNION SELECT x.k, x.v + 1 FROM x JOIN recurring.x AS r USING (k) WHERE x.v < 3) SELECT * FROM x", ""},

	// PIVOT, UNPIVOT, DESCRIBE, SUMMARIZE.
	{"PIVOT t ON b IN (1, 2) USING sum(a)", "t"},
	{"PIVOT (SELECT a, b, c FROM t) ON b IN (1, 2) USING sum(a), max(a) GROUP BY c", "t"},
	{"SELECT * FROM t PIVOT (sum(a) FOR b IN (1, 2) GROUP BY c)", "t"},
	{"UNPIVOT t ON a, b INTO NAME n VALUE v", "t"},
	{"UNPIVOT (SELECT a, b FROM t) ON COLUMNS(*) INTO NAME n VALUE v", "t"},
	{"WITH x AS (SELECT 1 AS a, 2 AS b) PIVOT x ON b IN (2) USING sum(a)", ""},
	{"DESCRIBE t", "t"},
	{"DESC t", "t"},
	{"SHOW t", "t"},
	{"DESCRIBE SELECT a FROM t JOIN u USING (a)", "t u"},
	{"SUMMARIZE t", "t"},
	{"SUMMARIZE SELECT a FROM t", "t"},
	{"SELECT column_name FROM (DESCRIBE t)", "t"},
	{"WITH x AS (SELECT 1 AS v) SELECT * FROM (SUMMARIZE x)", ""},

	// Expressions.
	{"SELECT s.upper(), s.upper().lower() FROM t", "t"},
	{"SELECT UPPER(s), \"Upper\"(s), main.upper(s) FROM t", "t"},
	{"SELECT * EXCLUDE (b) REPLACE (a + 1 AS a) RENAME (c AS d2) FROM t", "t"},
	{"SELECT t.* EXCLUDE (t.b) FROM t", "t"},
	{"SELECT COLUMNS(q -> q LIKE 'a%') FROM t", "t"},
	{"SELECT COLUMNS('^(a|b)$') + 1 FROM t", "t"},
	{"SELECT coalesce(*COLUMNS(['a', 'b'])) FROM t", "t"},
	{"SELECT * LIKE 'a%' FROM t", "t"},
	{"SELECT first: a, second: b FROM t", "t"},
	{"SELECT [q + 1 FOR q IN l IF q > 1] FROM t", "t"},
	{"SELECT list_filter(l, q -> q > 1), list_reduce([1, 2], lambda q, r: q + r) FROM t", "t"},
	{"SELECT l[1], l[1:2], l[:], l[-1:], st.k, st['k'], j -> '$.k', j ->> 'k' FROM t", "t"},
	{"SELECT {'k': 1}.k, MAP {'k': 1}['k'], ROW(1, 2), ARRAY[1, 2], (1, 2)", ""},
	{"SELECT CAST(a AS VARCHAR), TRY_CAST(s AS DATE), a::DECIMAL(10, 2), s::ENUM('x', 'y'), st::STRUCT(k BIGINT) FROM t", "t"},
	{"SELECT a FROM t ORDER BY s COLLATE NOCASE DESC NULLS LAST, b", "t"},
	{"SELECT a FROM t ORDER BY ALL", "t"},
	{"SELECT a, #1 FROM t ORDER BY #1", "t"},
	{"SELECT d + INTERVAL 1 DAY, INTERVAL '2 months', d - INTERVAL (a) HOUR, EXTRACT(year FROM d) FROM t", "t"},
	{"SELECT ts AT TIME ZONE 'Europe/Prague', date_trunc('month', d), strftime(d, '%Y') FROM t", "t"},
	{"SELECT try(1 / a), a BETWEEN 1 AND 2, a NOT IN (1, 2), a IS DISTINCT FROM b, NOT a = 1, -a, a // 2, a ** 2, @a FROM t", "t"},
	{"SELECT s LIKE 'x!_' ESCAPE '!', s ILIKE 'x', s SIMILAR TO 'x', s ~ 'x', s GLOB 'x*', s ^@ 'x' FROM t", "t"},
	{"SELECT position('a' IN s), substring(s FROM 1 FOR 2), trim(BOTH 'a' FROM s), s[1] FROM t", "t"},
	{"SELECT nullif(a, 1), ifnull(a, 1), coalesce(a, b), greatest(a, b), CASE a WHEN 1 THEN 'x' END FROM t", "t"},
	{"SELECT sum(a) FILTER (b > 1), count(DISTINCT a), string_agg(s, ',' ORDER BY d DESC), arg_max(a, b), list(a) FROM t", "t"},
	{"SELECT quantile_cont(a, 0.5), approx_count_distinct(s), mode(s), histogram(a) FROM t", "t"},
	{"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY a) FROM t", "t"},
	{"SELECT a, grouping(a), sum(b) FROM t GROUP BY GROUPING SETS ((a), ()), ROLLUP (c)", "t"},
	{"SELECT a, sum(b) FROM t GROUP BY ALL HAVING sum(b) > 1", "t"},
	{"SELECT sum(a) OVER w, lag(a, 1, 0) OVER w, first_value(b IGNORE NULLS) OVER (w ROWS BETWEEN 1 PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM t WINDOW w AS (PARTITION BY c ORDER BY d)", "t"},
	{"SELECT sum(DISTINCT a) OVER (ORDER BY d RANGE BETWEEN INTERVAL 1 DAY PRECEDING AND INTERVAL 1 DAY FOLLOWING) FROM t", "t"},
	{"SELECT unnest(l), unnest([st], recursive := true) FROM t", "t"},
	{"SELECT * FROM unnest([1, 2]) WITH ORDINALITY", ""},
	{"SELECT * FROM generate_series(1, 3) g(n), LATERAL unnest([n]) q(m)", ""},
	{"SELECT json_extract(j, '$.k'), to_json(st), json_group_array(a) FROM t GROUP BY ALL", "t"},
	{"SELECT q.key FROM t, json_each(t.j) q", "t"},
	{"SELECT * FROM t TABLESAMPLE 10 PERCENT", "t"},
	{"SELECT * FROM t USING SAMPLE reservoir(2 ROWS) REPEATABLE (1)", "t"},
	{"SELECT a FROM t LIMIT 10% OFFSET 1", "t"},
	{"SELECT a FROM t WHERE (a = NULL OR NULL IS NULL) AND b IS NOT DISTINCT FROM NULL", "t"},
	{"SELECT 1.5, 1e10, 170141183460469231731687303715884105727, X'AB', TRUE, NULL, 'é', DATE '2020-01-01', UUID '6b3c1b2e-0b8c-4c3c-9d38-000000000000'", ""},
}

// testTable creates a table that all statements of the corpus can read.
func testTable(name string) string {
	return fmt.Sprintf(`CREATE TABLE %s AS SELECT 1 AS a, 2 AS b, 3 AS c, DATE '2024-02-01' AS d, 'x' AS s,
		'/home' AS path, 'https://x' AS url, [1, 2] AS l, {'k': 1} AS st, '{"k": 1}'::JSON AS j,
		TIMESTAMP '2024-02-01 10:00:00' AS ts, DATE '2024-02-01' AS last_update`, duckdb.Quote(name))
}

func TestAcceptedStatements(t *testing.T) {
	conn := engine(t)
	for _, c := range accepted {
		got, err := Check(t.Context(), conn, c.sql)
		if err != nil {
			t.Errorf("%s\n\trefused: %v %v", c.sql, err, refusal(t, err).Details)
			continue
		}
		if want := strings.Fields(c.tables); !slices.Equal(got.Tables, want) {
			t.Errorf("%s\n\treads %q, want %q", c.sql, got.Tables, want)
		}
	}
}

// TestTablesAreThoseTheEngineReads holds the names found against the engine:
// with just these tables the statement runs, and without any one it does not.
func TestTablesAreThoseTheEngineReads(t *testing.T) {
	conn := engine(t)
	do := func(sql string) {
		t.Helper()
		if err := conn.Exec(t.Context(), sql); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range accepted {
		got, err := Check(t.Context(), conn, c.sql)
		if err != nil {
			continue // told by TestAcceptedStatements
		}
		for _, name := range got.Tables {
			do(testTable(name))
		}
		if err := conn.Exec(t.Context(), got.SQL); err != nil {
			t.Errorf("%s\n\twith the tables %q: %v", c.sql, got.Tables, err)
		}
		for _, name := range got.Tables {
			do("DROP TABLE " + duckdb.Quote(name))
			var e *duckdb.Error
			if err := conn.Exec(t.Context(), got.SQL); !errors.As(err, &e) || e.Type != "Catalog" && e.Type != "Binder" {
				t.Errorf("%s\n\twithout the table %q: got %v, want that it is missed", c.sql, name, err)
			}
			do(testTable(name))
		}
		for _, name := range got.Tables {
			do("DROP TABLE " + duckdb.Quote(name))
		}
	}
}
