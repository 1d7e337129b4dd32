package core

import (
	"fmt"
	"slices"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/pgtest"
)

// A foreign key is named only to those who may read both of its columns.
func TestForeignKeysAreOfWhatMayBeRead(t *testing.T) {
	database := pgtest.Shared(t)
	for _, sql := range []string{"CREATE TABLE regions (id int PRIMARY KEY, name text)", "CREATE TABLE shops (id int, region int REFERENCES regions)"} {
		if out, err := database.Command("psql", "-c", sql).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
	}
	c := coreOf(t, t.TempDir(), fmt.Sprintf(`
server: { state_dir: ./state }
sources:
  crm: { type: postgres, dsn: "%[1]s" }
  other: { type: postgres, dsn: "%[1]s" }
tables:
  - { id: shops, source: crm, relation: shops }
  - { id: areas, source: crm, relation: public.regions }
  - { id: elsewhere, source: other, relation: regions }
`, database.DSN("")))
	admin := c.As(LocalAdmin)
	for _, name := range []string{"both", "shops", "names", "ids"} {
		if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range []api.NewGrant{
		{User: "both", TableID: "shops"}, {User: "both", TableID: "areas", Columns: []string{"id"}}, {User: "shops", TableID: "shops"},
		{User: "names", TableID: "shops"}, {User: "names", TableID: "areas", Columns: []string{"name"}},
		{User: "ids", TableID: "shops", Columns: []string{"id"}}, {User: "ids", TableID: "areas"},
	} {
		if _, err := admin.CreateGrant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	const named = "[region = areas.id]"
	for _, want := range []struct {
		session *Session
		keys    string
	}{{admin, named}, {userOf(t, c, "both"), named}, {userOf(t, c, "shops"), "[]"}, {userOf(t, c, "names"), "[]"}, {userOf(t, c, "ids"), "[]"}} {
		s, err := want.session.Schema(t.Context(), "shops")
		if err != nil || fmt.Sprint(s.ForeignKeys) != want.keys {
			t.Errorf("%s is told %v, %v, want %s", want.session.who.User, s, err, want.keys)
		}
	}
	for _, want := range []struct {
		session *Session
		joins   string
	}{{admin, "[{shops region areas id many-to-one foreign key []}]"}, {userOf(t, c, "both"), "[{shops region areas id many-to-one foreign key []}]"},
		{userOf(t, c, "names"), "[]"}, {userOf(t, c, "ids"), "[]"}} {
		for _, id := range []string{"areas", "shops"} {
			found, err := want.session.TableJoins(t.Context(), id)
			if err != nil || fmt.Sprint(slices.DeleteFunc(found.Joins, func(j api.Join) bool { return j.To == "elsewhere" })) != want.joins {
				t.Errorf("%s is told of %s: %v, %v, want %s", want.session.who.User, id, found, err, want.joins)
			}
		}
	}
	if _, err := userOf(t, c, "shops").TableJoins(t.Context(), "areas"); err == nil {
		t.Error("joins of a table that may not be read are told")
	}
}
