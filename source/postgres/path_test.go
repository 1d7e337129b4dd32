package postgres

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// shadows makes operators and functions that fit the engine's own types better
// than its own do, or stand before them on a path: each says yes to everything.
func shadows(t *testing.T, d *database) {
	var b strings.Builder
	b.WriteString("CREATE FUNCTION public.lower(varchar) RETURNS text LANGUAGE sql AS $$ SELECT 'a'::text $$; CREATE FUNCTION public.upper(text) RETURNS text LANGUAGE sql AS $$ SELECT 'A'::text $$;\n")
	for _, types := range []string{"varchar, varchar", "varchar, text", "text, text", "integer, integer", "integer, bigint", "integer, numeric", "oid, oid", "name, name", "\"char\", \"char\"", "int2, int2", "oid, regclass"} {
		left, right, _ := strings.Cut(types, ", ")
		fmt.Fprintf(&b, "CREATE FUNCTION public.yes(%s) RETURNS boolean LANGUAGE sql AS 'SELECT true';\n", types)
		for _, op := range []string{"=", "<>", "<", ">", "<=", ">=", "~~", "~"} {
			fmt.Fprintf(&b, "CREATE OPERATOR public.%s (FUNCTION = public.yes, LEFTARG = %s, RIGHTARG = %s);\n", op, left, right)
		}
	}
	d.exec(t, b.String())
}

// TestOthersOperatorsAreNotUsed holds that nothing that somebody has put into a
// schema on the role's path is called: neither by rules and predicates, nor by
// statements, nor by what is asked of the catalogs.
func TestOthersOperatorsAreNotUsed(t *testing.T) {
	// Where they are used, what is asked of the catalogs never ends.
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d := newDatabase(t)
	d.source.Close()
	d.exec(t, `CREATE TABLE public.staff (id int, name varchar(20), team varchar(20));
		INSERT INTO public.staff VALUES (1, 'zoe', 'a'), (2, 'bob', 'b'), (3, 'eve', 'a')`)
	shadows(t, d)
	for _, path := range []string{`search_path='"$user",public'`, "search_path=public,pg_catalog", "options='-c search_path=public,pg_catalog'"} {
		src := d.open(t, path)
		rel := source.Relation{Name: "staff"}
		schema, err := src.Schema(ctx, rel)
		if err != nil || len(schema.Columns) != 3 {
			t.Fatalf("%s: %+v, %v", path, schema, err)
		}
		parse := parser(t, src, rel.Name)
		for rule, want := range map[string]string{"team = 'a'": "1\n3", "lower(name) = 'bob'": "2", "name LIKE 'e%'": "3", "id < 2": "1", "team IN ('b', 'c')": "2", "upper(team) <> 'A'": "2", "id BETWEEN 2 AND 2": "2"} {
			rel.Rule = parse(rule)
			scan := source.Scan{Relation: rel, Select: []string{"id"}, OrderBy: []predicate.Order{{Column: "id"}}}
			if got, err := enginetest.Text(src.Scan(ctx, scan)); got != want {
				t.Errorf("%s: the rule %s shows %q, %v", path, rule, got, err)
			}
			scan.Relation.Rule, scan.Where = nil, rel.Rule
			if got, err := enginetest.Text(src.Scan(ctx, scan)); got != want {
				t.Errorf("%s: the predicate %s shows %q, %v", path, rule, got, err)
			}
			for _, sql := range []string{"SELECT id FROM staff ORDER BY id", "SELECT id FROM staff WHERE " + rule + " ORDER BY id"} {
				if got, err := enginetest.Text(src.Query(ctx, sql, map[string]source.Relation{"staff": rel})); got != want {
					t.Errorf("%s: under the rule %s, %s shows %q, %v", path, rule, sql, got, err)
				}
			}
		}
		if got, err := enginetest.Text(src.Query(ctx, "SELECT count(*) FROM staff a JOIN staff b USING (name, id)", map[string]source.Relation{"staff": {Name: "staff"}})); got != "3" {
			t.Errorf("%s: a join shows %q, %v", path, got, err)
		}
		src.Close()
	}
}

// TestRelationsAreFoundOnTheRolesPath holds that a name without a schema means
// what it means to the role, whoever has set its path, and that a second name of
// a statement does, too.
func TestRelationsAreFoundOnTheRolesPath(t *testing.T) {
	d := newDatabase(t)
	d.source.Close()
	d.exec(t, `CREATE SCHEMA one; CREATE SCHEMA two; CREATE TYPE one.mood AS ENUM ('sad');
		CREATE TABLE one.t AS SELECT 1 AS n, 'sad'::one.mood AS m; CREATE TABLE two.t AS SELECT 2 AS n; CREATE TABLE two.u AS SELECT 3 AS n;
		DROP ROLE IF EXISTS walker; CREATE ROLE walker LOGIN; GRANT USAGE ON SCHEMA one, two TO walker; GRANT SELECT ON one.t, two.t, two.u TO walker;
		ALTER ROLE walker SET search_path = two, one`)
	for dsn, want := range map[string]string{"search_path=one,two": "1|3", "options='-c search_path=one,two'": "1|3", "search_path=two": "2|3", "user=walker": "2|3"} {
		src := d.open(t, dsn)
		tables := map[string]source.Relation{"a": {Name: "t"}, "b": {Name: "u"}}
		if got, err := enginetest.Text(src.Query(t.Context(), "SELECT a.n, b.n FROM a, b", tables)); got != want {
			t.Errorf("%s: %s, %v", dsn, got, err)
		}
		src.Close()
	}
	src := d.open(t, "search_path=one")
	defer src.Close()
	s, err := src.Schema(t.Context(), source.Relation{Name: "t"})
	if err != nil || s.Columns[1].Type != "one.mood" {
		t.Errorf("%+v, %v", s, err)
	}
}

// TestFunctionsBehindViews holds that a view may call a function that has a path
// of its own, and that it is said of one without what it lacks.
func TestFunctionsBehindViews(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	d.exec(t, `CREATE TABLE public.rates (rate int); INSERT INTO public.rates VALUES (7); CREATE TABLE public.orders AS SELECT 1 AS n;
		CREATE FUNCTION public.own() RETURNS int LANGUAGE plpgsql SET search_path = public AS 'BEGIN RETURN (SELECT max(rate) FROM rates); END';
		CREATE FUNCTION public.none() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN (SELECT max(rate) FROM rates); END';
		CREATE FUNCTION public.calls() RETURNS int LANGUAGE sql AS 'SELECT own()'; CREATE FUNCTION public.casts() RETURNS int LANGUAGE plpgsql AS 'BEGIN RETURN 1::rates; END';
		CREATE VIEW public.good AS SELECT n, public.own() AS rate FROM public.orders`)
	if got, err := scanAll(t, d.source, "good", "n", "rate"); got != "1|7" {
		t.Errorf("%s, %v", got, err)
	}
	for _, function := range []string{"none", "calls", "casts"} {
		d.exec(t, "CREATE VIEW public.bad_"+function+" AS SELECT n, public."+function+"() AS rate FROM public.orders")
		for _, rel := range []source.Relation{{Name: "bad_" + function}, {Name: "bad_" + function, Columns: []string{"rate"}}} {
			_, err := enginetest.Text(d.source.Scan(t.Context(), source.Scan{Relation: rel, Select: []string{"rate"}}))
			var e *api.Error
			if !errors.As(err, &e) || e.Code != api.CodeSource || e.Kind != api.KindFunctionPath || rel.Whole() != strings.Contains(e.Message, ": ") {
				t.Errorf("%s: %v", function, err)
			}
		}
	}
}
