package postgres

import (
	"context"
	"errors"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/internal/testing/pgtest"
)

// misplaced are statements that the engine refuses at a place that it tells, with
// the column that stands there.
var misplaced = []struct{ sql, column string }{
	{"SELECT dealy FROM flights", "dealy"},
	{"SELECT\n  origin,\n  f.dealy -- a comment\nFROM flights f", "dealy"},
	{"SELECT 'žluť', origin AS \"kůň\", dealy FROM flights", "dealy"},
	{`SELECT delay FROM flights WHERE "Origin" = 'SEA'`, "Origin"},
	{"SELECT nosuch.delay FROM flights", "delay"},
	{"SELECT flights.delay FROM flights f", "delay"},
	{"SELECT (((dealy))) FROM flights", "dealy"},
	{"SELECT CAST(delay AS text) || dealy FROM flights", "dealy"},
	{"SELECT delay FROM flights WHERE (delay != 3) AND NOT (dealy = 4) ORDER BY 1", "dealy"},
	{"SELECT count(*) FROM flights JOIN airports a ON a.iata = origin WHERE EXISTS (SELECT 1 FROM airports WHERE cty = 'x')", "cty"},
	{"WITH x AS (SELECT delay AS d FROM flights), y AS (SELECT dd FROM x) SELECT * FROM y", "dd"},
	{"WITH x AS (SELECT delay AS d FROM flights) SELECT d, (SELECT max(d) FROM x WHERE nope) FROM x", "nope"},
	{"SELECT origin, delay FROM flights GROUP BY 1", "delay"},
	{"SELECT origin FROM flights a, flights b", "origin"},
	{"SELECT sum(origin) FROM flights", ""},
	{"SELECT round(delay, origin) FROM flights", ""},
	{"SELECT  extract(year FROM origin) FROM flights", ""},
	{"SELECT 1 FROM flights WHERE origin = delay", ""},
	{"SELECT 1 FROM flights WHERE origin + 1 > 2 AND delay > 3", ""},
	{"SELECT CAST(date AS integer) FROM flights", ""},
	{"SELECT date :: integer FROM flights", ""},
	{"SELECT 'abc' :: int FROM flights", ""},
	{"SELECT delay FROM flights WHERE date > 'yesterdayish'", ""},
	{"SELECT delay FROM flights WHERE delay IN (1, 2, 'x')", ""},
	{"SELECT CASE WHEN delay > 1 THEN delay ELSE 'x' END FROM flights", ""},
	{"SELECT CASE WHEN origin = 'x' THEN delay ELSE origin END FROM flights", "delay"},
	{"SELECT delay FROM flights WHERE delay", "delay"},
	{"SELECT origin FROM flights WHERE count(*) > 1 GROUP BY 1", ""},
	{"SELECT sum(max(delay)) FROM flights", ""},
	{"SELECT origin FROM flights UNION SELECT delay FROM flights", "delay"},
	{"SELECT delay FROM flights ORDER BY 3", ""},
	{"SELECT DISTINCT ON (origin) delay FROM flights ORDER BY delay", "origin"},
	{"SELECT row_number() FROM flights", ""},
	{"SELECT rank() OVER w FROM flights", ""},
	{"SELECT (rec).nope FROM flights", "rec"},
	{"SELECT delay[1] FROM flights", "delay"},
	{"SELECT ARRAY[delay, origin] FROM flights", "origin"},
	{"SELECT coalesce(delay, origin) FROM flights", "origin"},
	{"VALUES (1, 2), (3, 'x')", ""},
	{"SELECT g FROM generate_series(1, 3) AS g WHERE h = 1", "h"},
	{"SELECT delay FROM flights LIMIT delay", "delay"},
	{"SELECT count(*) FILTER (WHERE origin) FROM flights", "origin"},
	{"SELECT string_agg(origin, ',' ORDER BY dealy) FROM flights", "dealy"},
	{"SELECT delay FROM flights WHERE delay BETWEEN 1 AND 'x'", ""},
	{"SELECT delay FROM flights WHERE origin LIKE 5", ""},
	{"SELECT date AT TIME ZONE 5 FROM flights", ""},
}

// TestPlacesAreTheEngines holds that the place of what the engine refuses in a
// rewritten statement is the one that it tells of the statement as it was
// written.
func TestPlacesAreTheEngines(t *testing.T) {
	conn := flights(t)
	whole := map[string]Table{}
	for name, table := range tables {
		table.From = "SELECT * FROM sch." + name
		table.Attributes = append(table.Attributes, "nope", "dealy")
		whole[name] = table
	}
	refused := func(path, sql string) *pgconn.PgError {
		t.Helper()
		if _, err := conn.Exec(t.Context(), "SET search_path = "+path); err != nil {
			t.Fatal(err)
		}
		_, err := conn.PgConn().Prepare(t.Context(), "", sql, nil)
		var e *pgconn.PgError
		if !errors.As(err, &e) {
			t.Errorf("%s: %v", sql, err)
			return &pgconn.PgError{}
		}
		return e
	}
	for _, c := range misplaced {
		s, err := Check(c.sql)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		rewritten, err := s.Rewrite(whole)
		if err != nil {
			t.Errorf("%s: %v", c.sql, err)
			continue
		}
		want, got := refused("sch", c.sql), refused("pg_catalog", rewritten)
		details := map[string]any{}
		column := s.Locate(details, int(got.Position))
		if got.Code != want.Code || details["position"] != int(want.Position) || want.Position == 0 || column != c.column {
			t.Errorf("%s\n%s: %v, at %d %q; the engine says %d", c.sql, got.Message, details, got.Position, column, want.Position)
		}
	}
}

// TestPlacesOfTablesAreNone holds that what stands for a table is no place of the
// statement.
func TestPlacesOfTablesAreNone(t *testing.T) {
	s, err := Check("SELECT delay FROM flights WHERE delay > 1")
	if err != nil {
		t.Fatal(err)
	}
	out, err := s.Rewrite(tables)
	if err != nil {
		t.Fatal(err)
	}
	placed := 0
	for at := range len(out) + 2 {
		details := map[string]any{}
		s.Locate(details, at)
		if len(details) > 0 {
			placed++
			if at < len(out) && out[at-1:at] == `"` {
				t.Errorf("%q is said to be at %v", out[at-1:], details)
			}
		}
	}
	if placed != 4 { // delay, delay, > and 1
		t.Errorf("%d places in %s", placed, out)
	}
}

func flights(t *testing.T) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), pgtest.Shared(t).DSN(""))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	if _, err := conn.Exec(t.Context(), `CREATE SCHEMA sch; CREATE TYPE sch.rec AS (a int, b text);
		CREATE TABLE sch.flights (delay int, origin text, date date, tags text[], rec sch.rec);
		INSERT INTO sch.flights VALUES (5, 'SEA', '2001-01-02', '{x,y}', (1, 'p')), (NULL, 'SFO', '2001-02-03', '{}', NULL), (70, 'SEA', NULL, NULL, (2, NULL)), (2, 'SE''A', '2002-01-01', '{z}', NULL);
		CREATE TABLE sch.airports (iata text, city text); INSERT INTO sch.airports VALUES ('SEA', 'Seattle'), ('SFO', 'San Francisco')`, pgx.QueryExecModeSimpleProtocol); err != nil {
		t.Fatal(err)
	}
	return conn
}
