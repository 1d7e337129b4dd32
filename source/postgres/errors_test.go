package postgres

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
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
			_, scanned := text(d.source.Scan(t.Context(), scan))
			_, queried := text(d.source.Query(t.Context(), "SELECT max(n) FROM v", map[string]source.Relation{"v": rel}))
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
