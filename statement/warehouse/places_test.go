package warehouse

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// kindOf is the kind of a refusal.
func kindOf(err error) string {
	var e *api.Error
	if !errors.As(err, &e) || e.Code != api.CodeStatement {
		return "none"
	}
	return e.Kind
}

// TestPlacesOfTables refuses whatever names a table in another way than the
// catalog: in each of these BigQuery would read web.low.
func TestPlacesOfTables(t *testing.T) {
	for _, sql := range []string{
		"SELECT * FROM web.low",
		"SELECT * from WEB.low",
		"SELECT * FROM `web`.`low`", "SELECT * FROM `web.low`", "SELECT * FROM `web`.low", "SELECT * FROM web . low", "SELECT * FROM web.\n`low`",
		"SELECT * FROM my-project.web.low", "SELECT * FROM my - project.web.low", "SELECT * FROM `my-project`.web.low", "SELECT * FROM `my-project.web.low`",
		"SELECT * FROM my-1-project.web.low", "SELECT * FROM `web.l*`", "SELECT * FROM `l*`", "SELECT * FROM web.5low",
		"SELECT * FROM top, web.low", "SELECT * FROM top AS a, `web`.low AS b", "SELECT * FROM top a, web.low b", "SELECT * FROM top , ( web.low )",
		"SELECT * FROM (web.low JOIN top ON TRUE)", "SELECT * FROM ((web.low))", "SELECT * FROM top JOIN (open JOIN web.low ON TRUE) ON TRUE",
		"SELECT * FROM top AS web JOIN (open JOIN web.low ON TRUE) ON TRUE", "SELECT * FROM top AS web, (open JOIN web.low ON TRUE)",
		"SELECT * FROM top AS web JOIN open JOIN web.low ON TRUE ON TRUE", "SELECT * FROM top AS web JOIN web.l JOIN web.low ON TRUE ON TRUE",
		"SELECT * FROM top JOIN open ON TRUE, web.low", "SELECT * FROM top JOIN open ON top.a = open.a, web.low", "SELECT * FROM top JOIN open USING (n), web.low",
		"SELECT * FROM top JOIN open ON top.where = open.limit, web.low", "SELECT * FROM top, top.limit, web.low", "SELECT * FROM top AS `where`, web.low",
		"SELECT * FROM top JOIN open ON a IN (1, 2) AND b = [1, 2][OFFSET(0)], web.low",
		"SELECT * FROM UNNEST([1, 2]) AS x, web.low", "SELECT * FROM top, UNNEST(top.l) AS x WITH OFFSET AS o, web.low", "SELECT * FROM UNNEST([1]) WITH OFFSET, web.low",
		"SELECT * FROM top TABLESAMPLE SYSTEM (1 PERCENT), web.low", "SELECT * FROM top PIVOT(SUM(n) FOR n IN (1)) AS p, web.low",
		"SELECT * FROM top AS web PIVOT(SUM(n) FOR n IN (1)) AS p, web.low", "SELECT * FROM top web UNPIVOT (a FOR b IN (c)), web.low",
		"SELECT * FROM top CROSS JOIN web.low", "SELECT * FROM top LEFT OUTER JOIN web.low ON TRUE", "SELECT * FROM top NATURAL JOIN web.low",
		"SELECT (SELECT MAX(n) FROM web.low) FROM top", "SELECT (SELECT MAX(n) FROM web.low) FROM top AS web", "SELECT * FROM top WHERE n IN (SELECT n FROM web.low)",
		"SELECT * FROM top AS web WHERE EXISTS (SELECT 1 FROM web.low)", "SELECT ARRAY(SELECT n FROM web.low) FROM top", "SELECT * FROM UNNEST(ARRAY(SELECT n FROM web.low))",
		"SELECT * FROM top AS web JOIN (SELECT * FROM web.low) ON TRUE", "SELECT * FROM (SELECT * FROM (SELECT * FROM web.low)) AS x", "SELECT * FROM (SELECT 1) AS web JOIN (SELECT * FROM web.low) ON TRUE",
		"SELECT * FROM web.low, top AS web", "SELECT * FROM top AS x, top.low", "SELECT * FROM top AS web UNION ALL SELECT * FROM web.low", "(SELECT * FROM top AS web) UNION ALL (SELECT * FROM open, web.low)",
		"WITH web AS (SELECT 1) SELECT * FROM web.low", "WITH q AS (SELECT * FROM web.low) SELECT * FROM q", "WITH RECURSIVE q AS (SELECT * FROM web.low) SELECT * FROM q",
		"WITH q AS (SELECT * FROM web.low) SELECT * FROM top AS web", "SELECT * FROM top AS web WHERE n IN (WITH q AS (SELECT 1 FROM web.low) SELECT * FROM q)",
		"SELECT * FROM (top AS web JOIN open ON TRUE), web.low", "SELECT * FROM (top AS web) JOIN web.low ON TRUE", "SELECT * FROM ((top AS web)), web.low",
		"SELECT 1. FROM web.low", "SELECT 1FROM web.low", "SELECT .5FROM web.low", "SELECT 'a'FROM web.low", "SELECT n.distinct FROM web.low", "SELECT t.is, t.distinct FROM web.low",
		"SELECT EXTRACT(YEAR FROM (SELECT d FROM web.low)) FROM top", "SELECT EXTRACT(YEAR FROM d) FROM web.low", "SELECT a IS DISTINCT FROM b FROM web.low",
		"SELECT a IS NOT DISTINCT FROM (SELECT n FROM web.low) FROM top", "SELECT CASE WHEN TRUE THEN 1 END FROM web.low",
		"SELECT * FROM (FROM web.low)", "SELECT * FROM top |> CROSS JOIN web.low", "SELECT * FROM top AS web |> SELECT n |> CROSS JOIN web.low", "SELECT * FROM top |> UNION ALL (FROM web.low)",
		"SELECT * FROM RANGE_SESSIONIZE(TABLE web.low, 'a', ['b'])", "SELECT * FROM top UNION ALL TABLE web.low", "SELECT * FROM (GRAPH web.low MATCH (a) RETURN a.n)",
		"SELECT * FROM top AS as_, top AS table, web.low", "SELECT * FROM top AS pivot PIVOT(SUM(n) FOR n IN (1)), pivot.low", "SELECT * FROM top pivot pivot (SUM(n) FOR n IN (1)), pivot.low",
	} {
		if _, err := Check(sql); err == nil || !slices.Contains([]string{api.KindOtherTable, "syntax_error", "forbidden_function"}, kindOf(err)) {
			t.Errorf("%s\nis refused as %s", sql, kindOf(err))
		}
	}
	for sql, want := range map[string]string{
		"SELECT x FROM t, t.list AS x":                                                                                    "t",
		"SELECT x FROM t AS a, a.list AS x, a.deep.list y":                                                                "t",
		"SELECT x FROM t a CROSS JOIN a.list AS x WITH OFFSET AS o WHERE o > 1 ORDER BY a.n":                              "t",
		"SELECT x FROM t JOIN t.list AS x ON x = 1":                                                                       "t",
		"SELECT x FROM T LEFT JOIN t.`list` AS x":                                                                         "T",
		"SELECT x.n FROM (SELECT * FROM t) AS q, q.list AS x, x.more":                                                     "t",
		"WITH q AS (SELECT * FROM t) SELECT * FROM q, q.list":                                                             "t",
		"SELECT * FROM t JOIN u ON t.a = u.a JOIN v USING (n), v.list":                                                    "t u v",
		"SELECT * FROM t WHERE EXISTS (SELECT 1 FROM UNNEST(t.list) AS x WHERE x = t.n)":                                  "t",
		"SELECT a, t.b, EXTRACT(YEAR FROM t.day) FROM t GROUP BY a, t.b ORDER BY 1, t.c":                                  "t",
		"SELECT t.a IS DISTINCT FROM t.b, SUM(n) OVER w FROM t WINDOW w AS (PARTITION BY a, t.b), v AS (ORDER BY t.c, d)": "t",
		"SELECT * FROM t QUALIFY ROW_NUMBER() OVER (PARTITION BY t.a, t.b) = 1 ORDER BY t.a, t.b":                         "t",
		"SELECT CAST(a AS STRUCT<x INT64, y STRING>).x, [t.a, t.b], t.from, t.table, graph, `table` FROM t":               "t",
		"SELECT a FROM t UNION ALL SELECT b FROM u |> WHERE b > 1 |> JOIN v USING (b)":                                    "t u v",
		"SELECT * FROM (t JOIN u USING (n)) LEFT JOIN v ON t.n = v.n":                                                     "t u v",
	} {
		s, err := Check(sql)
		if err != nil || strings.Join(s.Tables, " ") != want {
			t.Errorf("%s\nreads %+v, %v; want %s", sql, s, err, want)
		}
	}
}
