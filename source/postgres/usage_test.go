package postgres

import (
	"errors"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/enginetest"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/source"
)

// TestSchemasThatAreClosed holds that a relation in a schema that the role may
// not use is told from one that is not there, with the grant that it takes; and
// that a caller who sees a part of it is told no more than that.
func TestSchemasThatAreClosed(t *testing.T) {
	d := newDatabase(t)
	d.source.Close()
	d.exec(t, `DROP ROLE IF EXISTS guest; CREATE ROLE guest LOGIN; CREATE SCHEMA "Closed"; CREATE SCHEMA guest; CREATE SCHEMA aside;
		CREATE TABLE "Closed".people AS SELECT 1 AS id; CREATE TABLE guest.own AS SELECT 1 AS id; CREATE TABLE aside.far AS SELECT 1 AS id;
		CREATE INDEX an_index ON "Closed".people (id); CREATE TABLE "Closed"."Odd.one" AS SELECT 1 AS id;
		CREATE TABLE public.people2 AS SELECT 1 AS id; CREATE TABLE "Closed".people2 AS SELECT 1 AS id`)
	src := d.open(t, `user=guest search_path='"Closed","$user",public'`)
	defer src.Close()
	parts := func(name string) source.Relation {
		return source.Relation{Name: name, Columns: []string{"id"}, Rule: &predicate.Literal{}}
	}
	for name, grant := range map[string]string{
		`"Closed".people`: `GRANT USAGE ON SCHEMA "Closed" TO`, "people": `GRANT USAGE ON SCHEMA "Closed" TO`, "PEOPLE": `GRANT USAGE ON SCHEMA "Closed" TO`,
		`"Odd.one"`: `GRANT USAGE ON SCHEMA "Closed" TO`, "own": `GRANT USAGE ON SCHEMA "guest" TO`, `"Closed".nothing`: `GRANT USAGE ON SCHEMA "Closed" TO`,
		"far": "", "an_index": "", "nothing": "", `"PEOPLE"`: "", "people2": "-",
	} {
		_, err := src.Schema(t.Context(), source.Relation{Name: name})
		var e *api.Error
		switch {
		case !errors.As(err, &e) || e.Code != api.CodeSource:
			if grant != "-" || err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case grant == "" && e.Kind != api.KindNoRelation, grant != "" && e.Kind != api.KindPermissionDenied, !strings.Contains(e.Hint, grant):
			t.Errorf("%s: %s", name, show(err))
		}
		if grant == "" || grant == "-" {
			continue
		}
		_, err = src.Schema(t.Context(), parts(name))
		if !errors.As(err, &e) || e.Kind != api.KindPermissionDenied || strings.Contains(show(err), "Closed") || strings.Contains(show(err), `"guest"`) || !strings.Contains(e.Hint, "GRANT USAGE") {
			t.Errorf("%s, of which a part is seen: %s", name, show(err))
		}
		_, err = enginetest.Text(src.Query(t.Context(), "SELECT 1 FROM t, u", map[string]source.Relation{"t": {Name: name}, "u": parts("people2")}))
		if !errors.As(err, &e) || e.Kind != api.KindPermissionDenied || strings.Contains(show(err), "Closed") || strings.Contains(show(err), `"guest"`) {
			t.Errorf("%s, beside one of which a part is seen: %s", name, show(err))
		}
	}
}
