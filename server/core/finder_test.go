package core

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/server/state"
)

// keep keeps what somebody knows as the state has it: to write it by the service would
// ask the source for its columns.
func (c *Core) keep(t *testing.T, kind, name, owner string, v any) {
	t.Helper()
	data, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.state.ChangeKnown(t.Context(), kind, name, func(*state.Known) (*state.Known, error) {
		return &state.Known{Owner: owner, Data: string(data)}, nil
	}); err != nil {
		t.Fatal(err)
	}
}

// TestWhatPeopleWroteIsFoundByRight: a note finds its table for whoever may see what it
// is about, a question for whoever may know it, and a term for all.
func TestWhatPeopleWroteIsFoundByRight(t *testing.T) {
	core := manyTables(t, config.Table{ID: "staff"}, config.Table{ID: "pay"}, config.Table{ID: "flights", Public: true})
	core.tell("staff", api.Column{Name: "name"}, api.Column{Name: "grade"})
	core.tell("pay", api.Column{Name: "salary"})
	core.tell("flights", api.Column{Name: "delay"})
	admin := core.As(LocalAdmin)
	for _, name := range []string{"ann", "bob"} {
		if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range []api.NewGrant{{User: "ann", TableID: "staff", Columns: []string{"name"}}, {User: "bob", TableID: "staff", Rows: "grade = 1"}} {
		if _, err := core.state.CreateGrant(t.Context(), g, "local"); err != nil {
			t.Fatal(err)
		}
	}
	if got := found(t, admin, "zebra"); len(got) > 0 {
		t.Errorf("before anything was written: %v", got)
	}
	core.keep(t, note, "n1", "local", api.Note{TableID: "staff", Text: "zebra"})
	core.keep(t, note, "n2", "local", api.Note{TableID: "staff", Column: "grade", Text: "giraffe"})
	core.keep(t, note, "n3", "local", api.Note{TableID: "pay", Text: "okapi"})
	core.keep(t, note, "n4", "local", api.Note{Term: "punctual trips", Text: "those whose delay is small"})
	ask := func(name, definition, words, sql string, tables ...string) {
		core.keep(t, question, name, "cat", keptQuestion{SavedQuestion: api.SavedQuestion{
			NewQuestion: api.NewQuestion{Name: name, Question: words, SQL: sql}, Definition: definition, Tables: tables,
			Approved: &api.Approval{NewApproval: api.NewApproval{Definition: "d"}}}})
	}
	ask("a", "d", "penguin", "SELECT 1 FROM staff", "staff")
	ask("b", "other", "walrus", "SELECT 1 FROM staff", "staff")
	ask("c", "d", "ostrich", "SELECT 1 FROM staff, pay", "staff", "pay")
	ann, bob := userOf(t, core, "ann"), userOf(t, core, "bob")
	for _, c := range []struct {
		query           string
		admin, ann, bob []string
	}{
		{"zebra", []string{"staff"}, []string{"staff"}, []string{"staff"}},
		{"zebras grade", []string{"staff"}, []string{"staff"}, []string{"staff"}},
		{"giraffe", []string{"staff"}, []string{}, []string{"staff"}},
		{"okapi", []string{"pay"}, []string{}, []string{}},
		{"penguins", []string{"staff"}, []string{}, []string{"staff"}},
		{"walrus", []string{"staff"}, []string{}, []string{}},
		{"ostrich", []string{"pay", "staff"}, []string{}, []string{}},
		{"girafe", []string{"staff"}, []string{}, []string{"staff"}},
		{"punctual trips", []string{"flights"}, []string{"flights"}, []string{"flights"}},
		{"punctual", []string{}, []string{}, []string{}},
	} {
		for i, svc := range []*Session{admin, ann, bob} {
			if got, want := found(t, svc, c.query), [][]string{c.admin, c.ann, c.bob}[i]; !slices.Equal(got, want) {
				t.Errorf("%q, caller %d: %v, want %v", c.query, i, got, want)
			}
		}
	}
	// another text is another question, until it is approved
	ask("a", "new", "pelican", "SELECT 1 FROM staff", "staff")
	if got := found(t, bob, "pelican"); len(got) > 0 {
		t.Errorf("a question that was not approved: %v", got)
	}
	if err := core.state.ChangeKnown(t.Context(), note, "n1", func(*state.Known) (*state.Known, error) { return nil, nil }); err != nil {
		t.Fatal(err)
	}
	if got := found(t, admin, "zebra"); len(got) > 0 {
		t.Errorf("a note that was removed: %v", got)
	}
}

// TestSeenValuesAreFoundByWhoReadsAll: what scans have passed on finds its table for who
// reads the whole of it, since a row rule may hide the rows that have it, and only as
// long as the table is the same.
func TestSeenValuesAreFoundByWhoReadsAll(t *testing.T) {
	core := manyTables(t, config.Table{ID: "staff"}, config.Table{ID: "flights", Public: true})
	core.tell("staff", api.Column{Name: "name"}, api.Column{Name: "grade"})
	core.tell("flights", api.Column{Name: "origin"})
	admin := core.As(LocalAdmin)
	for _, name := range []string{"ann", "bob"} {
		if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	for _, g := range []api.NewGrant{{User: "ann", TableID: "staff"}, {User: "bob", TableID: "staff", Rows: "grade = 1"}} {
		if _, err := core.state.CreateGrant(t.Context(), g, "local"); err != nil {
			t.Fatal(err)
		}
	}
	pass := func(table string, values map[string][]string) {
		t.Helper()
		if err := core.keepSeen(t.Context(), core.byID[table], values); err != nil {
			t.Fatal(err)
		}
	}
	pass("staff", map[string][]string{"grade": {"zebra"}, "name": nil})
	pass("staff", map[string][]string{"grade": {"okapi"}, "name": {"giraffe"}})
	pass("flights", map[string][]string{"origin": {"walrus"}})
	ann, bob := userOf(t, core, "ann"), userOf(t, core, "bob")
	for query, want := range map[string][2][]string{
		"zebra": {{"staff"}, {}}, "okapi": {{"staff"}, {}}, "giraffe": {{}, {}}, "walrus": {{"flights"}, {"flights"}},
	} {
		if a, b := found(t, ann, query), found(t, bob, query); !slices.Equal(a, want[0]) || !slices.Equal(b, want[1]) {
			t.Errorf("%q: %v and %v, want %v", query, a, b, want)
		}
	}
	other := *core.byID["staff"]
	other.key = "another declaration"
	if err := core.keepSeen(t.Context(), &other, map[string][]string{"grade": {"heron"}}); err != nil {
		t.Fatal(err)
	}
	if got := found(t, ann, "zebra heron"); len(got) > 0 {
		t.Errorf("of another declaration: %v", got)
	}
}
