package postgres

import (
	"fmt"
	"testing"

	"github.com/agnes-data/da/api"
)

// columns are those of the tests' tables.
var columns = map[string][]string{"flights": {"delay", "origin", "date", "tags", "ts_stat"}, "airports": {"iata", "city", "pg_sleep"}}

// TestProve holds that what is certainly a column passes.
func TestProve(t *testing.T) {
	for _, sql := range []string{
		"SELECT delay, tags[1] FROM flights", "SELECT flights.delay FROM flights", "SELECT f.delay, f.* FROM flights f", "SELECT f.ts_stat FROM flights f",
		"SELECT f.delay, a.city FROM flights f JOIN airports a ON a.iata = f.origin", "SELECT j.city, j.delay FROM (flights f JOIN airports a ON a.iata = f.origin) AS j",
		"SELECT x.origin FROM flights f JOIN (SELECT origin FROM flights) g USING (origin) AS x",
		"SELECT q.n, q.count FROM (SELECT delay AS n, count(*) FROM flights GROUP BY 1) q", "SELECT q.delay FROM (SELECT * FROM flights) q", "SELECT q.delay FROM (SELECT f.* FROM airports a JOIN flights f ON true) q",
		"SELECT q.delay FROM (SELECT f.delay FROM flights f UNION SELECT 1) q", "SELECT u.v, u.n FROM unnest(ARRAY[1]) WITH ORDINALITY AS u(v, n)",
		"WITH x AS (SELECT * FROM flights), y AS (SELECT x.* FROM x) SELECT y.delay, x.origin FROM x, y", "WITH x(a, b) AS (SELECT 1, 2) SELECT x.a, x.b FROM x",
		"WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT r.n + 1 FROM r WHERE r.n < 5) SELECT r.n FROM r", "SELECT (SELECT a.city FROM airports a WHERE a.iata = f.origin) FROM flights f",
		"SELECT x.delay FROM flights f, LATERAL (SELECT f.delay) x", "SELECT u.delay FROM unnest(ARRAY[1]), flights u", "SELECT f.delay FROM flights f, (SELECT 1), (VALUES (1)) v(n)",
		"SELECT q.date_part FROM (SELECT date_part('year', date) FROM flights) q",
	} {
		s, err := Check(sql)
		if err == nil {
			err = s.Prove(columns)
		}
		if err != nil {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestProveRefuses holds that what could be a function's name does not: of a
// value, of what has no such column, of what is named twice.
func TestProveRefuses(t *testing.T) {
	for _, sql := range []string{
		"SELECT (tags).ts_stat FROM flights", "SELECT (c).ts_stat FROM (SELECT 'SELECT 1'::text AS c, 1 AS ts_stat) q", "SELECT c.ts_stat, 1 AS ts_stat FROM unnest(ARRAY['SELECT 1']) AS c",
		"SELECT c.c FROM unnest(ARRAY['SELECT 1']) AS c", "SELECT a.ts_stat FROM airports a, flights f", "SELECT f.pg_sleep FROM flights f, airports a", "SELECT f.row_to_json FROM flights f",
		"SELECT x.delay FROM airports x WHERE EXISTS (SELECT 1 FROM flights x)", "SELECT f.ctid FROM flights f", "SELECT nobody.delay FROM flights", "SELECT q.delay FROM (SELECT origin FROM flights) q",
		"SELECT q.text FROM (SELECT 'a'::text) q", "SELECT f.origin FROM flights AS f(x)", "SELECT q.city FROM (SELECT * FROM flights) q, airports", "SELECT q.delay FROM (SELECT a.* FROM airports a JOIN flights f ON true) q",
		"WITH x AS (SELECT city FROM airports) SELECT x.delay FROM x, flights", "WITH x(a) AS (SELECT delay FROM flights) SELECT x.delay FROM x", "SELECT v.column1 FROM (VALUES (1)) v",
		"WITH RECURSIVE r AS (SELECT * FROM r) SELECT r.delay FROM r, flights", "SELECT j.pg_sleep FROM (flights f JOIN airports a ON true) AS j(x)",
		// Names that nobody has written.
		"SELECT unnest.ts_stat FROM unnest(ARRAY['x']) WHERE (SELECT true FROM (SELECT 1 AS ts_stat) AS unnest)", "SELECT unnest.ts_stat FROM ROWS FROM (unnest(ARRAY['x'])) WHERE (SELECT true FROM (SELECT 1 AS ts_stat) AS unnest)",
		"SELECT unnest.ts_stat FROM ROWS FROM (unnest(ARRAY['x']), generate_series(1, 2)) WITH ORDINALITY WHERE (SELECT true FROM flights AS unnest)",
		"SELECT generate_series.ts_stat FROM ROWS FROM (unnest(ARRAY['x']), generate_series(1, 2)) WHERE (SELECT true FROM flights AS generate_series)",
		"WITH c AS (SELECT unnest.ts_stat FROM unnest(ARRAY['x'])), unnest AS (SELECT 1 AS ts_stat) SELECT c.ts_stat FROM c, unnest", "SELECT unnest.ts_stat FROM unnest(ARRAY['x']) WHERE (SELECT true FROM flights AS unnest)",
		"SELECT (SELECT unnest.ts_stat FROM unnest(ARRAY['x'])) FROM flights AS unnest", "SELECT (SELECT unnest.ts_stat FROM airports, LATERAL unnest(ARRAY[city])) FROM flights AS unnest", "SELECT unnest.ts_stat FROM airports JOIN unnest(ARRAY['x']) ON true WHERE (SELECT true FROM flights AS unnest)",
		"SELECT json_each.ts_stat FROM json_each('{}') WHERE (SELECT true FROM flights AS json_each)", "SELECT x.ts_stat FROM (SELECT unnest.* FROM unnest(ARRAY['x'])) x, flights unnest",
		`SELECT unnamed_subquery.ts_stat FROM (SELECT 1) WHERE (SELECT true FROM flights AS unnamed_subquery)`, `VALUES (1), ((SELECT 2 FROM flights AS "*VALUES*")) ORDER BY "*VALUES*".ts_stat`, `SELECT unnamed_join.ts_stat FROM airports JOIN airports a ON true WHERE (SELECT true FROM flights AS unnamed_join)`,
		"SELECT q.extract FROM (SELECT extract(year FROM date) FROM flights) q",
	} {
		s, err := Check(sql)
		if err == nil {
			err = s.Prove(columns)
		}
		if !api.CodeStatement.Is(err) {
			t.Errorf("%s: %v", sql, err)
		}
	}
}

// TestProveIsQuick holds that what is defined once is looked into once, however
// often it is read.
func TestProveIsQuick(t *testing.T) {
	sql := "WITH x0 AS (SELECT * FROM flights)"
	for i := 1; i <= 200; i++ { // what is read twice each time is refused before
		sql += fmt.Sprintf(", x%d AS (SELECT * FROM x%d)", i, i-1)
	}
	s, err := Check(sql + " SELECT a.delay FROM x200 a, x200 b, x199 c")
	if err == nil {
		err = s.Prove(columns)
	}
	if err != nil {
		t.Error(err)
	}
}

// TestNamesOfOtherDepths holds that relations may have a catalog or no schema,
// and that none is taken for what WITH defines.
func TestNamesOfOtherDepths(t *testing.T) {
	for from, table := range map[string]Table{
		`"c"."s"."flights"`: {Catalog: "c", Schema: "s", Name: "flights"}, `"flights"`: {Name: "flights"}, `"s"."da_with_1"`: {Schema: "s", Name: "da_with_1"},
		`"da_with_1"`: {Name: "da_with_1"}, `"other"`: {Name: "flights"},
	} {
		s, err := Check("WITH flights AS (SELECT delay FROM flights) SELECT * FROM flights")
		if err != nil {
			t.Fatal(err)
		}
		table.From, table.Attributes = "SELECT delay FROM "+from, []string{"delay"}
		sql, err := s.Rewrite(map[string]Table{"flights": table})
		if bad := from == `"da_with_1"` || from == `"other"`; bad != (err != nil) {
			t.Errorf("%s: %s, %v", from, sql, err)
		}
	}
}
