package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// staff makes two tables of which a caller may see some columns and rows.
func staff(t *testing.T) (*database, map[string]source.Relation) {
	d := newDatabase(t)
	d.exec(t, `CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TYPE pair AS (a int, b text);
		CREATE TABLE staff (id int, name text, pay int, team text, mood mood, pair pair, tags text[]);
		INSERT INTO staff VALUES (1, 'zoe', 10, 'a', 'sad', (1, 'x'), '{p,q}'), (2, 'bob', 0, 'b', 'happy', NULL, NULL), (3, 'eve', 30, 'a', NULL, (3, NULL), '{}');
		CREATE TABLE teams (team text, boss text); INSERT INTO teams VALUES ('a', 'zed'), ('b', 'yan');
		CREATE FUNCTION public.lower(int) RETURNS text LANGUAGE sql AS 'SELECT ''not the engine''''s''';`)
	t.Cleanup(func() { d.source.Close() })
	rule := parser(t, d.source, "public.staff")("team = 'a'")
	return d, map[string]source.Relation{
		"staff": {Name: "public.staff", Columns: []string{"id", "name", "team", "mood", "pair", "tags"}, Rule: rule},
		"teams": {Name: "teams"},
	}
}

// parser parses predicates on a relation.
func parser(t testing.TB, src *Postgres, relation string) func(string) predicate.Expr {
	t.Helper()
	schema, err := src.Schema(t.Context(), source.Relation{Name: relation})
	if err != nil {
		t.Fatal(err)
	}
	typed, err := predicate.NewSchema(predicate.Postgres, schema.Columns)
	if err != nil {
		t.Fatal(err)
	}
	return func(text string) predicate.Expr {
		t.Helper()
		e, err := predicate.Parse(predicate.Postgres, text, typed)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
}

// TestQuery holds that a statement reads what of its tables is shown, in
// whatever way they are named, and nothing else.
func TestQuery(t *testing.T) {
	d, tables := staff(t)
	for sql, want := range map[string]string{
		"SELECT id, name FROM staff ORDER BY id":                                                                    "1|zoe\n3|eve",
		"SELECT count(*) FROM staff":                                                                                "2",
		"SELECT s.* FROM staff s WHERE id = 1":                                                                      `1|zoe|a|sad|{"a":1,"b":"x"}|["p","q"]`,
		"SELECT s FROM staff s WHERE id = 3":                                                                        "(3,eve,a,,\"(3,)\",{})",
		"SELECT row_to_json(staff) ->> 'pay' FROM staff WHERE id = 1":                                               "(null)",
		"WITH staff AS (SELECT id FROM staff) SELECT * FROM staff ORDER BY 1":                                       "1\n3",
		"WITH RECURSIVE teams AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM teams WHERE n < 3) SELECT n FROM teams": "1\n2\n3",
		"SELECT boss FROM staff JOIN teams USING (team) ORDER BY 1":                                                 "zed\nzed",
		"SELECT boss, (SELECT count(*) FROM staff s WHERE s.team = teams.team) FROM teams ORDER BY boss":            "yan|0\nzed|2",
		"SELECT x.boss FROM staff s, LATERAL (SELECT boss FROM teams t WHERE t.team = s.team) x":                    "zed\nzed",
		"SELECT (pair).b, tags[1], unnest(tags) FROM staff WHERE id = 1":                                            "x|p|p\nx|p|q",
		"SELECT 1 / (id - 2) FROM staff ORDER BY id":                                                                "-1\n1", // not computed for the hidden row
		"SELECT lower('X'), 'x' || 1, 1.50, NULL":                                                                   "x|x1|1.50|(null)",
		"SELECT team, array_agg(id ORDER BY id), sum(id), avg(id) FROM staff GROUP BY 1 HAVING count(*) > 1":        "a|[1,3]|4|2.0000000000000000",
		"SELECT name FROM staff UNION SELECT boss FROM teams ORDER BY 1":                                            "eve\nyan\nzed\nzoe",
		"SELECT id FROM staff WHERE false":                                                                          "",
		"VALUES (1), (2)":                                                                                           "1\n2",
	} {
		bound := map[string]source.Relation{}
		s, err := d.source.Inspect(t.Context(), sql)
		if err != nil {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		for _, name := range s.Tables {
			bound[name] = tables[name]
		}
		got, err := enginetest.Text(d.source.Query(t.Context(), sql, bound))
		if err != nil || got != want {
			t.Errorf("%s:\n%s, %v\nwant\n%s", sql, got, err, want)
		}
	}
}

// TestDotsCallNothing holds that a name behind a dot, which the engine may take
// for a function's, runs nothing that reads more than its operand, whatever
// names the statement gives to its columns.
func TestDotsCallNothing(t *testing.T) {
	d, tables := staff(t)
	d.exec(t, `CREATE FUNCTION public.peek(text, int DEFAULT 1) RETURNS text LANGUAGE sql AS 'SELECT max(name) FROM public.staff';
		CREATE DOMAIN public.relation AS regclass`)
	for sql, want := range map[string]string{
		"SELECT (c).ts_stat AS x FROM (SELECT 'SELECT to_tsvector(name) FROM public.staff'::text AS c, 1 AS ts_stat) q": "ts_stat",
		"SELECT c.ts_stat AS x, 1 AS ts_stat FROM unnest(ARRAY['SELECT to_tsvector(name) FROM public.staff']) AS c":     "ts_stat",
		"SELECT (c).current_setting AS x FROM (SELECT 'data_directory'::text AS c, 1 AS current_setting) q":             "current_setting",
		"SELECT (c).regclass AS x FROM (SELECT 'staff'::text AS c, 1 AS regclass) q":                                    "regclass",
		"SELECT (c).lo_get AS x FROM (SELECT 16400::int8 AS c, 1 AS lo_get) q":                                          "lo_get",
		"SELECT (c).nextval AS x FROM (SELECT 'seq'::text AS c, 1 AS nextval) q":                                        "nextval",
	} {
		got, err := enginetest.Text(d.source.Query(t.Context(), sql, nil))
		var e *api.Error
		if !errors.As(err, &e) || e.Code != api.CodeStatement || e.Details["function"] != want {
			t.Errorf("%s: %q, %v", sql, got, err)
		}
	}
	for _, sql := range []string{ // what is not the engine's own is not found
		"SELECT (c).relation AS x FROM (SELECT 'staff'::text AS c, 1 AS relation) q",
		"SELECT (c).peek AS x FROM (SELECT 'x'::text AS c, 1 AS peek) q",
		"SELECT (c).lower AS x FROM (SELECT 1::int4 AS c) q",
	} {
		if got, err := enginetest.Text(d.source.Query(t.Context(), sql, nil)); !api.CodeQueryFailed.Is(err) {
			t.Errorf("%s: %q, %v", sql, got, err)
		}
	}
	for sql, want := range map[string]string{
		"SELECT q.count, q.name, q.date FROM (SELECT count(*), 'x' AS name, '2001-01-02'::date FROM staff) q":          "2|x|2001-01-02",
		"SELECT (s.name).upper, s.row_to_json ->> 'id' FROM staff s WHERE s.id = 1":                                    "ZOE|1",
		"SELECT q.format, q.system, q.money FROM (SELECT 'x' AS format, 1 AS system, 2 AS money FROM staff LIMIT 1) q": "x|1|2",
		"SELECT q.staff FROM (SELECT max(id) AS staff FROM staff) q":                                                   "3",
	} {
		if got, err := enginetest.Text(d.source.Query(t.Context(), sql, map[string]source.Relation{"staff": tables["staff"]})); err != nil || got != want {
			t.Errorf("%s: %q, %v", sql, got, err)
		}
	}
}

// TestQueryHides holds that errors tell nothing of what is hidden.
func TestQueryHides(t *testing.T) {
	d, tables := staff(t)
	for _, sql := range []string{
		"SELECT pay FROM staff", "SELECT s.pay FROM staff s", "SELECT ctid FROM staff", "SELECT tableoid FROM staff", "SELECT xmin FROM staff",
		"SELECT 1 / pay FROM staff", "SELECT id FROM staff ORDER BY pay", "SELECT id FROM staff WHERE name::int = 1", "SELECT staff.id FROM staff s",
		"SELECT CAST(name AS int) FROM staff", "SELECT nope FROM staff", "SELECT id + name FROM staff",
	} {
		_, err := enginetest.Text(d.source.Query(t.Context(), sql, map[string]source.Relation{"staff": tables["staff"]}))
		var e *api.Error
		if !api.CodeQueryFailed.Is(err) {
			t.Errorf("%s: %v", sql, err)
			continue
		}
		e = err.(*api.Error)
		for _, secret := range []string{"zoe", "bob", "eve", "30", "public"} {
			if strings.Contains(e.Message+e.Hint+fmt.Sprint(e.Details), secret) {
				t.Errorf("%s: the error tells %q: %s %s", sql, secret, e.Message, e.Hint)
			}
		}
	}
}

// TestQueryOnlyReads tries to change something with what the grammar lets
// through.
func TestQueryOnlyReads(t *testing.T) {
	d, _ := staff(t)
	d.exec(t, "CREATE FUNCTION public.count() RETURNS int LANGUAGE plpgsql AS $$ BEGIN DELETE FROM public.staff; RETURN 1; END $$")
	d.exec(t, "CREATE VIEW meddling AS SELECT public.count() AS n")
	_, err := enginetest.Text(d.source.Query(t.Context(), "SELECT n FROM meddling", map[string]source.Relation{"meddling": {Name: "meddling"}}))
	if !api.CodeQueryFailed.Is(err) {
		t.Errorf("a view that deletes: %v", err)
	}
	if got, err := enginetest.Text(d.source.Query(t.Context(), "SELECT count(*) FROM staff", map[string]source.Relation{"staff": {Name: "staff"}})); got != "3" {
		t.Errorf("%s rows are left, %v", got, err)
	}
}

// TestRuleComesFirst holds that what a caller computes is computed for their
// rows only, however much dearer the rule is to the planner: a failure would
// tell what hidden rows hold.
func TestRuleComesFirst(t *testing.T) {
	d, tables := staff(t)
	parse := parser(t, d.source, "staff")
	rel := tables["staff"]
	rel.Rule = parse("upper(lower(upper(lower(upper(team))))) = 'A'")
	for _, where := range []string{"10 / (id - 2) > -100", "id / pay > -100 AND id > 0"} {
		if strings.Contains(where, "pay") {
			rel.Columns = nil
		}
		scan := source.Scan{Relation: rel, Select: []string{"id"}, Where: parse(where), OrderBy: []predicate.Order{{Column: "id"}}}
		if got, err := enginetest.Text(d.source.Scan(t.Context(), scan)); got != "1\n3" {
			t.Errorf("scan %s: %s, %v", where, got, err)
		}
		sql := "SELECT id FROM staff WHERE " + where + " ORDER BY id"
		if got, err := enginetest.Text(d.source.Query(t.Context(), sql, map[string]source.Relation{"staff": rel})); got != "1\n3" {
			t.Errorf("%s: %s, %v", sql, got, err)
		}
	}
}

// TestARuleThatFailsFailsForAll holds that a rule which cannot be evaluated on a
// hidden row fails whatever the caller asks for, also where an index would lead
// around that row.
func TestARuleThatFailsFailsForAll(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	d.exec(t, `CREATE TABLE p AS SELECT CASE WHEN i = 4242 THEN 'abc' ELSE '5' END AS code, i AS pay FROM generate_series(1, 100000) i; CREATE INDEX ON p (pay)`)
	d.exec(t, "ANALYZE p")
	parse := parser(t, d.source, "p")
	rel := source.Relation{Name: "p", Columns: []string{"pay"}, Rule: parse("CAST(code AS integer) > 0")}
	for _, where := range []string{"pay < 4242", "pay < 4243", "pay > 4242", "pay = 4242"} {
		_, err := enginetest.Text(d.source.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{"pay"}, Where: parse(where)}))
		if !api.CodeQueryFailed.Is(err) {
			t.Errorf("%s: %v", where, err)
		}
	}
}
