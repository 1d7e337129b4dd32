package postgres

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
)

// tables are what the statements of the tests may read.
var tables = map[string]Table{
	"flights":  {Schema: "sch", Name: "flights", From: `SELECT "delay", "origin", "date", "tags", "rec" FROM "sch"."flights" WHERE "origin" = 'SEA' OFFSET 0`, Attributes: []string{"delay", "origin", "date", "tags", "rec", "a"}},
	"airports": {Schema: "sch", Name: "airports", From: `SELECT "iata", "city" FROM "sch"."airports"`, Attributes: []string{"iata", "city"}},
}

// accepted are statements that pass, with the tables that they read and the
// columns that they name; a star in front says that they may read any.
var accepted = []struct{ sql, tables, reads string }{
	{"SELECT 1", "", ""},
	{"SELECT delay FROM flights", "flights", "delay"},
	{"SELECT * FROM flights", "flights", "*"},
	{"TABLE flights", "flights", "*"},
	{"SELECT f.delay FROM flights f", "flights", "f delay"},
	{"SELECT f FROM flights f", "flights", "*f"},
	{"SELECT flights FROM flights", "flights", "*flights"},
	{"SELECT f.* FROM flights AS f", "flights", "*f"},
	{"SELECT row_to_json(f) FROM flights f", "flights", "*f"},
	{"SELECT x FROM flights AS f(x)", "flights", "*x"},
	{"SELECT j FROM (flights f CROSS JOIN airports) AS j", "flights airports", "*j"},
	{"SELECT row_to_json(\"J\") FROM (flights CROSS JOIN (SELECT 1 AS one) q) AS \"J\"", "flights", "*j"},
	{"SELECT j.delay FROM (flights f CROSS JOIN airports a) AS j", "flights airports", "j delay"},
	{"SELECT b FROM (flights CROSS JOIN (SELECT 1) q) AS j(a, b)", "flights", "*b"},
	{"SELECT f.row_to_json FROM flights f", "flights", "*f row_to_json"},
	{"SELECT flights.to_jsonb FROM flights", "flights", "*flights to_jsonb"},
	{"SELECT j.json_agg FROM (flights CROSS JOIN (SELECT 1) q) AS j", "flights", "*j json_agg"},
	{"SELECT q.to_json, f.count FROM (SELECT delay AS to_json FROM flights) q, airports f GROUP BY 1", "flights airports", "q to_json f count delay"},
	{"SELECT x FROM airports JOIN (SELECT origin AS iata FROM flights) f USING (iata) AS x", "airports flights", "*x origin iata"},
	{"SELECT f.delay, a.city FROM flights f JOIN airports a ON a.iata = f.origin", "flights airports", "f delay a city iata origin"},
	{"SELECT 1 FROM flights NATURAL JOIN airports", "flights airports", "*"},
	{"SELECT city FROM (SELECT origin AS iata FROM flights) f JOIN airports USING (iata)", "flights airports", "city iata origin"},
	{"SELECT 1 FROM flights, LATERAL (SELECT city FROM airports WHERE iata = origin) x", "flights airports", "city iata origin"},
	{"WITH flights AS (SELECT delay FROM flights) SELECT * FROM flights", "flights", "*delay"},
	{"WITH x AS (SELECT city FROM airports), y AS (SELECT * FROM x) SELECT y.city FROM y", "airports", "*city y"},
	{"WITH RECURSIVE airports AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM airports WHERE n < 5) SELECT n FROM airports", "", "n"},
	{"SELECT (WITH airports AS (SELECT 1 AS iata) SELECT iata FROM airports), city FROM airports", "airports", "iata city"},
	{"SELECT city FROM airports UNION ALL (WITH airports AS (SELECT 'x' AS y) SELECT y FROM airports) ORDER BY 1 LIMIT 3", "airports", "city y"},
	{"SELECT origin, count(*) FILTER (WHERE delay > 3), sum(delay) OVER (PARTITION BY origin ORDER BY date) FROM flights GROUP BY origin, delay, date HAVING count(*) > 1 ORDER BY 1 DESC NULLS LAST LIMIT 3 OFFSET 1", "flights", "origin delay date"},
	{"SELECT CASE WHEN delay > 1 THEN 'a' ELSE NULL END, coalesce(delay, 0), greatest(1, 2), nullif(1, 2), delay IN (1, 2), delay BETWEEN 1 AND 2, origin LIKE 'S%' ESCAPE '!' FROM flights", "flights", "delay origin"},
	{"SELECT date::text, CAST(delay AS numeric(10,2)), DATE '2001-01-01', INTERVAL '1 day', date + INTERVAL '1' DAY, now(), CURRENT_DATE FROM flights", "flights", "date delay"},
	{"SELECT extract(month FROM date), date_trunc('month', date), position('a' IN origin), substring(origin FROM 1 FOR 2), trim(origin), origin SIMILAR TO 'S%' FROM flights", "flights", "date origin"},
	{"SELECT EXISTS (SELECT 1 FROM airports WHERE iata = origin), delay = ANY (ARRAY[1, 2]), tags[1], tags[1:2], (rec).a FROM flights", "airports flights", "iata origin delay tags rec a"},
	{"SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY delay), string_agg(DISTINCT origin, ',' ORDER BY origin) FROM flights", "flights", "delay origin"},
	{"SELECT g.g, u FROM generate_series(1, 3) AS g, unnest(ARRAY[1]) WITH ORDINALITY AS t(u, n)", "", "g u"},
	{"SELECT DISTINCT ON (origin) origin FROM flights ORDER BY origin, delay DESC", "flights", "origin delay"},
	{"SELECT origin, delay FROM flights GROUP BY GROUPING SETS ((origin), (delay), ())", "flights", "origin delay"},
	{"SELECT rank() OVER w FROM flights WINDOW w AS (ORDER BY delay ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)", "flights", "delay"},
	{"VALUES (1, 'a'), (2, 'b')", "", ""},
	{"SELECT repeat('-', 3), lpad(origin, 5, '0'), rpad(origin, 5), format('%s: %10s', origin, delay) FROM flights", "flights", "origin delay"},
	{"SELECT date AT TIME ZONE 'UTC', origin COLLATE \"C\" FROM flights; -- the end", "flights", "date origin"},
	{"SELECT q.count FROM (SELECT count(*) FROM flights) q", "flights", "q count"},
	{"SELECT 1 WHERE (1, 2) = (SELECT 1, 2) AND NOT (NULL IS NULL) AND true IS NOT FALSE", "", ""},
}

func TestAccepted(t *testing.T) {
	for _, c := range accepted {
		s, err := Check(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		want, whole := strings.CutPrefix(c.reads, "*")
		if got := strings.Join(s.Tables, " "); got != c.tables {
			t.Errorf("%s: tables %q, want %q", c.sql, got, c.tables)
		}
		reads := strings.Fields(want)
		slices.Sort(reads)
		got := slices.Sorted(slices.Values(s.Reads))
		if s.Whole != whole || !slices.Equal(got, reads) {
			t.Errorf("%s: reads %v, whole %t, want %v, %t", c.sql, got, s.Whole, reads, whole)
		}
		out, err := s.Rewrite(tables)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		if n := strings.Count(out, "sch.flights"); n < strings.Count(c.tables, "flights") || strings.Contains(out, " FROM flights") {
			t.Errorf("%s: became %s", c.sql, out)
		}
	}
}

// refused are statements that must not pass, with the kind.
var refused = []struct{ sql, kind string }{
	{"", api.KindEmpty}, {" ; ", api.KindEmpty}, {"-- x", api.KindEmpty},
	{"SELECT 1; SELECT 2", api.KindMultiStatement}, {"SELECT 1; DROP TABLE x", api.KindMultiStatement},
	{"SELEC 1", api.KindSyntaxError}, {"SELECT 'x", api.KindSyntaxError}, {"SELECT (1", api.KindSyntaxError},
	{"SELECT '\x00'", api.KindBadText}, {"SELECT '\xff'", api.KindBadText},
	{"DELETE FROM flights", api.KindNotSelect}, {"INSERT INTO flights VALUES (1)", api.KindNotSelect}, {"UPDATE flights SET a = 1", api.KindNotSelect},
	{"DROP TABLE flights", api.KindNotSelect}, {"COPY flights TO '/tmp/x'", api.KindNotSelect}, {"COPY (SELECT 1) TO PROGRAM 'x'", api.KindNotSelect},
	{"DO $$ BEGIN END $$", api.KindNotSelect}, {"CALL x()", api.KindNotSelect}, {"SET x = 1", api.KindNotSelect}, {"EXPLAIN SELECT 1", api.KindNotSelect},
	{"LISTEN x", api.KindNotSelect}, {"PREPARE x AS SELECT 1", api.KindNotSelect}, {"DECLARE c CURSOR FOR SELECT 1", api.KindNotSelect}, {"LOAD 'x'", api.KindNotSelect},
	{"SELECT 1 FROM flights WHERE origin = NULL", api.KindTypeMismatch}, {"SELECT NULL <> origin FROM flights", api.KindTypeMismatch},
	{"SELECT * INTO x FROM flights", api.KindUnsupported}, {"SELECT 1 FROM flights FOR UPDATE", api.KindUnsupported},
	{"WITH x AS (DELETE FROM flights RETURNING *) SELECT * FROM x", api.KindUnsupported},
	{"WITH x AS (INSERT INTO flights VALUES (1) RETURNING *) SELECT * FROM x", api.KindUnsupported},
	{"SELECT 1 FROM ONLY flights", api.KindUnsupported}, {"SELECT 1 FROM flights TABLESAMPLE SYSTEM (1)", api.KindUnsupported},
	{"SELECT 1 FROM public.flights", api.KindQualifiedName}, {"SELECT 1 FROM pg_catalog.pg_authid", api.KindQualifiedName},
	{"SELECT 1 FROM db.public.flights", api.KindQualifiedName}, {`SELECT 1 FROM "Flights"`, api.KindBadTableName},
	{"SELECT sch.flights.delay FROM flights", api.KindQualifiedName},
	{"SELECT $1", api.KindParameter},
	{"SELECT pg_sleep(10)", api.KindForbiddenFunction}, {"SELECT pg_catalog.pg_sleep(10)", api.KindForbiddenFunction},
	{"SELECT pg_read_file('/etc/passwd')", api.KindForbiddenFunction}, {"SELECT lo_import('/etc/passwd')", api.KindForbiddenFunction},
	{"SELECT * FROM dblink('x', 'y') AS t(a int)", api.KindUnsupported}, {"SELECT * FROM dblink('x')", api.KindForbiddenFunction}, {"SELECT query_to_xml('SELECT 1', true, true, '')", api.KindForbiddenFunction},
	{"SELECT current_setting('x')", api.KindForbiddenFunction}, {"SELECT set_config('a', 'b', true)", api.KindForbiddenFunction}, {"SELECT nextval('s')", api.KindForbiddenFunction},
	{"SELECT pg_terminate_backend(1)", api.KindForbiddenFunction}, {"SELECT public.lower('X')", api.KindForbiddenFunction}, {`SELECT "PG_SLEEP"(1)`, api.KindForbiddenFunction},
	{"SELECT repeat('x', 1000000000)", api.KindUnsupported}, {"SELECT array_fill(1, ARRAY[100000000])", api.KindForbiddenFunction}, {"SELECT current_user", api.KindForbiddenFunction}, {"SELECT session_user", api.KindForbiddenFunction},
	{"SELECT count(*) FROM lower('x')", api.KindForbiddenFunction}, {"SELECT * FROM ROWS FROM (pg_ls_dir('.'), unnest(ARRAY[1]))", api.KindForbiddenFunction},
	{"SELECT 1 FROM flights WHERE EXISTS (SELECT pg_sleep(1))", api.KindForbiddenFunction}, {"SELECT 1 ORDER BY pg_sleep(1)", api.KindForbiddenFunction},
	{"SELECT 1 LIMIT pg_sleep(1)::text::int", api.KindForbiddenFunction}, {"SELECT sum(1) OVER (ORDER BY pg_sleep(1))", api.KindForbiddenFunction},
	{"SELECT count(*) FILTER (WHERE pg_sleep(1) IS NULL)", api.KindForbiddenFunction}, {"SELECT CASE WHEN true THEN pg_sleep(1) END", api.KindForbiddenFunction},
	{"SELECT 'pg_authid'::regclass", api.KindUnsupported}, {"SELECT 'x'::public.thing", api.KindUnsupported}, {"SELECT 1::flights", api.KindUnsupported},
	{"SELECT 1 OPERATOR(public.+) 2", api.KindUnsupported}, {"SELECT 1 <=> 2", api.KindUnsupported}, {"SELECT concat(VARIADIC ARRAY['a'])", api.KindUnsupported},
	{"SELECT (5.0).pg_sleep", api.KindUnsupported}, {"SELECT (lower('x')).y FROM flights", api.KindUnsupported}, {"SELECT (rec).* FROM flights", api.KindUnsupported},
	{"SELECT xmlelement(name x)", api.KindUnsupported}, {"SELECT 1 FROM flights ORDER BY delay USING <", api.KindUnsupported},
	{"SELECT * FROM json_to_record('{}') AS t(a int)", api.KindUnsupported},
	{"SELECT 1 WHERE CURRENT OF c", api.KindSyntaxError}, {"SELECT", api.KindUnsupported}, {"SELECT FROM flights UNION SELECT FROM airports", api.KindUnsupported},
}

func TestRefused(t *testing.T) {
	for _, c := range refused {
		_, err := Check(c.sql)
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeStatement || e.Kind != c.kind {
			t.Errorf("%s: %v (%+v), want kind %s", c.sql, err, e, c.kind)
		}
	}
}

// TestNamesBehindDots holds that a name behind a dot calls nothing.
func TestNamesBehindDots(t *testing.T) {
	for _, sql := range []string{
		"SELECT f.pg_sleep FROM flights f", "SELECT (delay).pg_sleep FROM flights", "SELECT f.ctid FROM flights f", "SELECT f.hidden FROM flights f",
		"SELECT 1 AS pg_sleep, f.pg_sleep FROM flights f", "SELECT f.loread FROM flights f",
	} {
		s, err := Check(sql)
		if err == nil {
			_, err = s.Rewrite(tables)
		}
		if !api.CodeQueryFailed.Is(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestDeepStatements holds that nothing overflows the parser's stack, which
// would end this process.
func TestDeepStatements(t *testing.T) {
	for _, n := range []int{100, 1000, 2000, 3900, 10_000, 40_000} {
		for _, sql := range []string{
			"SELECT " + strings.Repeat("(", n) + "1" + strings.Repeat(")", n), "SELECT 1" + strings.Repeat("+1", n), "SELECT " + strings.Repeat("- ", n) + "1",
			"SELECT " + strings.Repeat("NOT ", n) + "true", "SELECT " + strings.Repeat("(SELECT ", n) + "1" + strings.Repeat(")", n),
			"SELECT 1" + strings.Repeat(" UNION SELECT 1", n), "SELECT 1 FROM t" + strings.Repeat(" CROSS JOIN t", n), "SELECT " + strings.Repeat("CASE WHEN ", n) + "true" + strings.Repeat(" THEN 1 END", n),
			"SELECT " + strings.Repeat("abs(", n) + "1" + strings.Repeat(")", n), "SELECT x" + strings.Repeat("[1", n) + strings.Repeat("]", n), "SELECT 'a'" + strings.Repeat("::text", n),
			"SELECT x" + strings.Repeat(" IS NULL", n), "SELECT x" + strings.Repeat(" COLLATE \"C\"", n), "SELECT x" + strings.Repeat(" AT TIME ZONE 'UTC'", n),
			strings.Repeat("WITH a AS (", n) + "SELECT 1" + strings.Repeat(") SELECT 1", n), "SELECT 1 FROM " + strings.Repeat("(SELECT 1 FROM ", n) + "t" + strings.Repeat(") x", n),
		} {
			if s, err := Check(sql); err == nil {
				if _, err := s.Rewrite(map[string]Table{"t": tables["flights"]}); err != nil {
					t.Errorf("%.60s × %d: %v", sql, n, err)
				}
			}
		}
	}
}
