package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/source"
)

// TestErrorsOfEveryClassHide holds that no class of the engine's errors tells a
// caller who sees a part of a table what is in the rest: a function behind a
// view raises with any code what it has read.
func TestErrorsOfEveryClassHide(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	d.exec(t, `CREATE TABLE public.people (id int, name text); INSERT INTO public.people VALUES (1, 'the-secret');
		CREATE FUNCTION public.fail(text, text) RETURNS int LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'it is %', $1 USING ERRCODE = $2; END $$`)
	for _, code := range []string{"53000", "53200", "58000", "58030", "XX000", "XX001", "F0000", "08006", "57P03", "42501", "42P01", "42703", "3F000", "3D000", "22012", "P0001", "28000", "0A000"} {
		name := "public.v" + strings.ToLower(code)
		d.exec(t, fmt.Sprintf("CREATE VIEW %s AS SELECT id, name, public.fail(name, '%s') AS n FROM public.people", name, code))
		for _, rel := range []source.Relation{{Name: name, Columns: []string{"id", "n"}}, {Name: name}} {
			scan := source.Scan{Relation: rel, Select: []string{"n"}}
			_, scanned := enginetest.Text(d.source.Scan(t.Context(), scan))
			_, queried := enginetest.Text(d.source.Query(t.Context(), "SELECT max(n) FROM v", map[string]source.Relation{"v": rel}))
			for _, err := range []error{scanned, queried} {
				var e *api.Error
				if !errors.As(err, &e) {
					t.Fatalf("%s: %v", code, err)
				}
				tells := strings.Contains(e.Message+e.Hint+fmt.Sprint(e.Details), "secret")
				if want := rel.Whole() && code != "28000"; tells != want {
					t.Errorf("%s, whole %t: %s %s", code, rel.Whole(), e.Message, e.Hint)
				}
			}
		}
	}
}

// TestEarlyErrorsHide holds that an error before a table is described tells
// those who see a part of any table no more than one that comes later.
func TestEarlyErrorsHide(t *testing.T) {
	d := newDatabase(t)
	t.Cleanup(func() { d.source.Close() })
	d.exec(t, `DROP ROLE IF EXISTS weak; CREATE ROLE weak LOGIN; CREATE SCHEMA locked; CREATE TABLE locked.people AS SELECT 1 AS id, 2 AS pay;
		CREATE TABLE public.teams AS SELECT 1 AS id; GRANT SELECT ON public.teams TO weak`)
	weak := d.open(t, "user=weak")
	t.Cleanup(func() { weak.Close() })
	part, whole, teams := source.Relation{Name: "locked.people", Columns: []string{"id"}}, source.Relation{Name: "locked.people"}, source.Relation{Name: "public.teams"}
	for _, c := range []struct {
		sql    string
		tables map[string]source.Relation
		tells  bool
	}{
		{"SELECT id FROM people", map[string]source.Relation{"people": part}, false},
		{"SELECT id FROM people", map[string]source.Relation{"people": whole}, true},
		{"SELECT 1 FROM people, teams", map[string]source.Relation{"people": whole, "teams": {Name: "public.teams", Columns: []string{"id"}}}, false},
		{"SELECT 1 FROM people, teams", map[string]source.Relation{"people": part, "teams": teams}, false},
		{"SELECT 1 FROM people, teams", map[string]source.Relation{"people": whole, "teams": teams}, true},
	} {
		_, err := enginetest.Text(weak.Query(t.Context(), c.sql, c.tables))
		var e *api.Error
		if !errors.As(err, &e) || e.Kind != api.KindPermissionDenied {
			t.Errorf("%s of %v: %v", c.sql, c.tables, err)
			continue
		}
		if tells := strings.Contains(e.Message+e.Hint+fmt.Sprint(e.Details), "locked"); tells != c.tells {
			t.Errorf("%s of %v: %s %s", c.sql, c.tables, e.Message, e.Hint)
		}
	}
}

// TestTooLargeAValue is the statement's fault, not the connection's.
func TestTooLargeAValue(t *testing.T) {
	err := refused(&pgconn.PgError{Code: "XX000", Message: "invalid memory alloc request size 1073741824"}, asking{})
	if !api.CodeQueryFailed.Is(err) || strings.Contains(err.Error(), "1073741824") {
		t.Errorf("%v", err)
	}
}
