package flightsql

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/internal/testing/flighttest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// rule parses a predicate on a relation.
func rule(t *testing.T, f *FlightSQL, relation, text string) predicate.Expr {
	t.Helper()
	schema, err := f.Schema(t.Context(), source.Relation{Name: relation})
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(f.Dialect(), schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	e, err := predicate.Parse(f.Dialect(), text, typed)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// staff makes two tables of which a caller may see some columns and rows, and
// functions that no statement may call.
func staff(t *testing.T) (*FlightSQL, map[string]source.Relation) {
	server := overPostgres(t, flighttest.Options{})
	exec(t, server, `CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TYPE pair AS (a int, b text);
		CREATE TABLE staff (id int, name text, pay int, team text, mood mood, pair pair, tags text[], spell interval);
		INSERT INTO staff VALUES (1, 'zoe', 31337, 'a', 'sad', (1, 'x'), '{p,q}', '1 day -1 hour'), (2, 'bob', 0, 'b', 'happy', NULL, NULL, NULL), (3, 'eve', 31338, 'a', NULL, (3, NULL), '{}', NULL);
		CREATE SCHEMA org; CREATE TABLE org.teams (team text, boss text, evil text); INSERT INTO org.teams VALUES ('a', 'zed', 'e'), ('b', 'yan', 'e');
		CREATE FUNCTION public.evil(anyelement) RETURNS text LANGUAGE sql AS 'SELECT string_agg(name || pay, '','') FROM public.staff';
		CREATE FUNCTION public.evil(text) RETURNS text LANGUAGE sql AS 'SELECT string_agg(name || pay, '','') FROM public.staff';
		CREATE FUNCTION public.lower(int) RETURNS text LANGUAGE sql AS 'SELECT ''not the engine''''s''';`)
	f := opened(t, Options{URI: server.URI(), Dialect: predicate.Postgres})
	t.Cleanup(func() { closed(t, f) })
	return f, map[string]source.Relation{
		"staff": {Name: "public.staff", Columns: []string{"id", "name", "team", "mood", "pair", "tags", "spell"}, Rule: rule(t, f, "public.staff", "team = 'a'")},
		"teams": {Name: "org.teams"},
	}
}

// ask runs a statement over those of the tables that it names, as the server
// does.
func ask(t *testing.T, f *FlightSQL, sql string, tables map[string]source.Relation) (string, error) {
	t.Helper()
	s, err := f.Inspect(t.Context(), sql)
	if err != nil {
		return "", err
	}
	named := map[string]source.Relation{}
	for _, name := range s.Tables {
		if _, ok := tables[name]; !ok {
			return "", &api.Error{Code: api.CodeUnknownTable, Message: name}
		}
		named[name] = tables[name]
	}
	return enginetest.Text(f.Query(t.Context(), sql, named))
}

// TestPostgresStatements holds that a statement reads what of its tables is
// shown, in whatever way they are named, and nothing else.
func TestPostgresStatements(t *testing.T) {
	f, tables := staff(t)
	for sql, want := range map[string]string{
		"SELECT id, name FROM staff ORDER BY id":                              "1|zoe\n3|eve",
		"SELECT count(*) FROM staff":                                          "2",
		"SELECT s.* FROM staff s WHERE s.id = 1":                              `1|zoe|a|sad|(1,x)|["p","q"]|1 day -01:00:00`,
		"SELECT s FROM staff s WHERE id = 3":                                  `(3,eve,a,,"(3,)",{},)`,
		"SELECT row_to_json(staff) ->> 'pay' FROM staff WHERE id = 1":         "(null)",
		"WITH staff AS (SELECT id FROM staff) SELECT * FROM staff ORDER BY 1": "1\n3",
		"WITH RECURSIVE teams AS (SELECT 1 AS n UNION ALL SELECT teams.n + 1 FROM teams WHERE n < 3) SELECT n FROM teams": "1\n2\n3",
		"SELECT boss FROM staff JOIN teams USING (team) ORDER BY 1":                                                       "zed\nzed",
		"SELECT boss, (SELECT count(*) FROM staff s WHERE s.team = teams.team) FROM teams ORDER BY boss":                  "yan|0\nzed|2",
		"SELECT x.boss FROM staff s, LATERAL (SELECT boss FROM teams t WHERE t.team = s.team) x":                          "zed\nzed",
		"SELECT t.evil FROM teams t WHERE t.team = 'a'":                                                                   "e",
		"SELECT tags[1], unnest(tags) FROM staff WHERE id = 1":                                                            "p|p\np|q",
		"SELECT 1 / (id - 2) FROM staff ORDER BY id":                                                                      "-1\n1", // not computed for the hidden row
		"SELECT lower('X'), 'x' || 1, 1.50, NULL, DATE '2001-02-03', INTERVAL '-1 day'":                                   "x|x1|1.50|(null)|2001-02-03|-1 days",
		"SELECT team, array_agg(id ORDER BY id), sum(id), avg(id) FROM staff GROUP BY 1 HAVING count(*) > 1":              "a|[1,3]|4|2.0000000000000000",
		"SELECT name FROM staff UNION SELECT boss FROM teams ORDER BY 1":                                                  "eve\nyan\nzed\nzoe",
		"SELECT id AS \"a b\", id FROM staff WHERE false":                                                                 "",
		"VALUES (1), (2)": "1\n2",
		"SELECT q.n FROM (SELECT DISTINCT ON (team) id AS n FROM staff ORDER BY team, id DESC) q": "3",
	} {
		if got, err := ask(t, f, sql, tables); err != nil || got != want {
			t.Errorf("%s:\n%s, %v\nwant\n%s", sql, got, err, want)
		}
	}
}

// TestPostgresAttacks holds that nothing but the tables' visible part is
// reached, and that no error tells of the rest.
func TestPostgresAttacks(t *testing.T) {
	f, tables := staff(t)
	for _, sql := range []string{
		// Other relations.
		"SELECT * FROM public.staff", "SELECT * FROM pg_authid", "SELECT * FROM pg_catalog.pg_authid", "TABLE pg_user", "SELECT * FROM information_schema.tables", "SELECT (SELECT max(pay) FROM public.staff)",
		"SELECT 1 FROM ONLY staff", "SELECT 1 FROM staff TABLESAMPLE SYSTEM (100)", "SELECT 'staff'::regclass", "SELECT 1::public.staff", "SELECT query_to_xml('SELECT * FROM staff', true, true, '')",
		// Columns that are not there.
		"SELECT pay FROM staff", "SELECT s.pay FROM staff s", "SELECT ctid FROM staff", "SELECT s.tableoid FROM staff s", "SELECT 1 / pay FROM staff", "SELECT id FROM staff ORDER BY pay", "SELECT staff.id FROM staff s",
		// Functions.
		"SELECT public.evil('x')", "SELECT evil('x')", "SELECT s.evil FROM staff s", "SELECT s.evil FROM staff s, teams t", "SELECT (name).evil FROM staff", "SELECT (t.team).evil FROM teams t", "SELECT c.evil, 1 AS evil FROM unnest(ARRAY['x']) AS c",
		"SELECT s.evil FROM staff s WHERE EXISTS (SELECT 1 FROM teams s)", "SELECT (c).ts_stat FROM (SELECT 'SELECT to_tsvector(name) FROM staff'::text AS c, 1 AS ts_stat) q", "SELECT (c).current_setting FROM (SELECT 'data_directory'::text AS c, 1 AS current_setting) q",
		"SELECT pg_sleep(10)", "SELECT pg_read_file('/etc/passwd')", "SELECT lo_import('/etc/passwd')", "SELECT current_setting('data_directory')", "SELECT set_config('search_path', 'public', false)", "SELECT current_user", "SELECT repeat('x', 1000000000)",
		"SELECT * FROM dblink('x', 'y') AS t(a int)", "SELECT 1 OPERATOR(public.+) 2", "SELECT pg_terminate_backend(1)", "SELECT nextval('s')",
		// Other than reading, or more than one.
		"DELETE FROM staff", "SELECT 1; DROP TABLE staff", "WITH x AS (DELETE FROM staff RETURNING *) SELECT * FROM x", "SELECT * INTO x FROM staff", "SELECT 1 FROM staff FOR UPDATE", "COPY staff TO '/tmp/x'", "SET search_path = public", "DO $$ BEGIN END $$", "EXPLAIN ANALYZE SELECT 1", "",
		// Out of the subquery that a statement is in.
		"SELECT 1) AS result; DROP TABLE staff; --", "SELECT id FROM staff) AS result(c0) UNION SELECT pay FROM public.staff --", "SELECT 1 /*", "SELECT '", "SELECT $1", "SELECT U&'\\0027' UESCAPE '!' FROM x.y",
		// Errors of values.
		"SELECT id FROM staff WHERE name::int = 1", "SELECT CAST(name AS int) FROM staff", "SELECT id + name FROM staff", "SELECT",
	} {
		got, err := ask(t, f, sql, tables)
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeStatement && e.Code != api.CodeQueryFailed && e.Code != api.CodeUnknownTable {
			t.Errorf("%s: %q, %v", sql, got, err)
			continue
		}
		for _, secret := range []string{"zoe", "bob", "eve", "3133"} {
			if strings.Contains(e.Message+" "+e.Hint+" "+fmt.Sprint(e.Details), secret) {
				t.Errorf("%s: the error tells %q: %s %s", sql, secret, e.Message, e.Hint)
			}
		}
	}
	if got, err := ask(t, f, "SELECT count(*) FROM t", map[string]source.Relation{"t": {Name: "public.staff"}}); got != "3" {
		t.Errorf("%s rows are left, %v", got, err)
	}
}

// TestPostgresRuleComesFirst holds that what a caller computes is computed for
// their rows only, however much dearer the rule is to the planner.
func TestPostgresRuleComesFirst(t *testing.T) {
	f, tables := staff(t)
	rel := tables["staff"]
	rel.Rule = rule(t, f, "public.staff", "upper(lower(upper(lower(upper(team))))) = 'A'")
	where := "10 / (id - 2) > -100"
	scan := source.Scan{Relation: rel, Select: []string{"id"}, Where: rule(t, f, "public.staff", where), OrderBy: []predicate.Order{{Column: "id"}}}
	if got, err := enginetest.Text(f.Scan(t.Context(), scan)); got != "1\n3" {
		t.Errorf("scan: %s, %v", got, err)
	}
	if got, err := ask(t, f, "SELECT id FROM staff WHERE "+where+" ORDER BY id", map[string]source.Relation{"staff": rel}); got != "1\n3" {
		t.Errorf("statement: %s, %v", got, err)
	}
}

// TestEnginesWithoutSchemas reads tables that are listed without a schema, a
// catalog or both, under the names that such engines know.
func TestEnginesWithoutSchemas(t *testing.T) {
	for _, c := range []struct {
		o     flighttest.Options
		names []string
	}{
		{flighttest.Options{}, []string{"orders", "main.orders", "memory.main.orders"}},
		{flighttest.Options{NoCatalogs: true}, []string{"orders", "main.orders"}},
		{flighttest.Options{NoSchemas: true}, []string{"orders", "memory.orders"}},
		{flighttest.Options{NoCatalogs: true, NoSchemas: true}, []string{"orders"}},
	} {
		server := flighttest.New(t, c.o)
		exec(t, server, "CREATE TABLE orders AS SELECT range AS n FROM range(5); CREATE TABLE others AS SELECT 100 AS n")
		f := opened(t, Options{URI: server.URI()})
		for _, name := range c.names {
			rel := source.Relation{Name: name, Rule: rule(t, f, name, "n > 2")}
			if s, err := f.Schema(t.Context(), rel); err != nil || len(s.Columns) != 1 {
				t.Errorf("%+v %s: %+v, %v", c.o, name, s, err)
			}
			if got, err := enginetest.Text(f.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{"n"}, OrderBy: []predicate.Order{{Column: "n"}}})); got != "3\n4" {
				t.Errorf("%+v %s: %q, %v", c.o, name, got, err)
			}
			// Each table has the name of the other's relation.
			tables := map[string]source.Relation{"orders": {Name: "others"}, "others": rel}
			for sql, want := range map[string]string{"SELECT n FROM others ORDER BY n": "3\n4", "SELECT o.n, x.n FROM orders o, others x WHERE x.n = 3": "100|3"} {
				if got, err := ask(t, f, sql, tables); got != want {
					t.Errorf("%+v %s: %s is %q, %v", c.o, name, sql, got, err)
				}
			}
			if got, err := ask(t, f, "SELECT n FROM orders ORDER BY n", map[string]source.Relation{"orders": rel}); got != "3\n4" {
				t.Errorf("%+v %s: a statement is %q, %v", c.o, name, got, err)
			}
		}
		for _, name := range []string{"nothing", "main.nothing", "nobody.orders", "memory.nobody.orders"} {
			if _, err := f.Schema(t.Context(), source.Relation{Name: name}); !errors.Is(err, &api.Error{Code: api.CodeSource, Kind: api.KindNoRelation}) {
				t.Errorf("%+v %s: %v", c.o, name, err)
			}
		}
		closed(t, f)
	}
}
