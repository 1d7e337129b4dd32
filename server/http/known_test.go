package httpapi

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
)

// errorKind is the kind of an error, or its text.
func errorKind(err error) string {
	var e *api.Error
	if errors.As(err, &e) {
		return e.Kind
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// TestQuestionsByRight: a question is its owner's until it is approved; then those see
// it who may read its tables whole, in the form that was approved.
func TestQuestionsByRight(t *testing.T) {
	t.Parallel()
	s := newStaffServer(t, "{}")
	ctx := t.Context()
	admin := s.core.As(core.LocalAdmin)
	data := map[string]api.Data{"admin": admin.Data()}
	for _, name := range []string{"ann", "part", "whole", "none", "cur"} {
		data[name] = s.over(s.user(name)).Data()
	}
	if _, err := admin.CreateGroup(ctx, api.NewGroup{Name: api.Curators}); err != nil {
		t.Fatal(err)
	}
	if err := admin.AddMember(ctx, api.Curators, "cur"); err != nil {
		t.Fatal(err)
	}
	for _, g := range []api.NewGrant{{User: "ann", TableID: "staff"}, {User: "whole", TableID: "staff", Rows: "pay > 3"},
		{User: "part", TableID: "staff", Columns: []string{"id", "team"}}} {
		s.grant(g)
	}
	see := func(want ...string) {
		t.Helper()
		var who []string
		for name, d := range data {
			known, err := d.Known(ctx)
			if err != nil {
				t.Fatal(err)
			}
			_, err = d.SavedQuestion(ctx, "pay")
			if (err == nil) != (len(known.Questions) == 1) {
				t.Errorf("%s: a list of %d, and %v", name, len(known.Questions), err)
			}
			if err != nil && errorKind(err) != api.KindUnknownQuestion {
				t.Errorf("%s: %v", name, err)
			}
			if err == nil {
				who = append(who, name)
			}
		}
		slices.Sort(who)
		if !slices.Equal(who, want) {
			t.Errorf("%v see it, not %v", who, want)
		}
	}
	q := api.NewQuestion{Name: "pay", Question: "How much?", SQL: "SELECT sum(pay) FROM Staff WHERE id > $id",
		Params: map[string]json.RawMessage{"id": json.RawMessage("9007199254740993")}}
	saved, err := data["ann"].SaveQuestion(ctx, q)
	if err != nil || saved.Owner != "ann" || !slices.Equal(saved.Tables, []string{"staff"}) || string(saved.Params["id"]) != "9007199254740993" {
		t.Fatalf("%+v: %v", saved, err)
	}
	see("admin", "ann")

	// A curator approves only what they may read; nobody else approves anything.
	approve := api.NewApproval{Definition: saved.Definition, Result: "0000000000000001ab"}
	for name, want := range map[string]string{"ann": api.KindCuratorsOnly, "none": api.KindCuratorsOnly, "cur": api.KindUnknownQuestion} {
		if _, err := data[name].ApproveQuestion(ctx, "pay", approve); errorKind(err) != want {
			t.Errorf("%s approves: %v", name, err)
		}
		if name == "ann" {
			continue
		}
		if err := data[name].DropQuestion(ctx, "pay"); errorKind(err) != api.KindUnknownQuestion {
			t.Errorf("%s drops: %v", name, err)
		}
		q.Replace = true
		if _, err := data[name].SaveQuestion(ctx, q); errorKind(err) != api.KindQuestionExists {
			t.Errorf("%s replaces: %v", name, err)
		}
	}
	s.grant(api.NewGrant{User: "cur", TableID: "staff"})
	see("admin", "ann", "cur")
	if _, err := data["cur"].ApproveQuestion(ctx, "pay", api.NewApproval{Definition: "of another"}); errorKind(err) != api.KindQuestionChanged {
		t.Errorf("another definition: %v", err)
	}
	if saved, err = data["cur"].ApproveQuestion(ctx, "pay", approve); err != nil || saved.Approved.By != "cur" {
		t.Fatalf("%+v: %v", saved, err)
	}
	see("admin", "ann", "cur", "whole")

	// From a hash of all rows a rule on rows could be guessed around.
	hashes := func(want ...string) {
		t.Helper()
		for name, d := range data {
			q, err := d.SavedQuestion(ctx, "pay")
			if err == nil && (q.Approved.Result != "") != slices.Contains(want, name) {
				t.Errorf("%s gets the hash %q", name, q.Approved.Result)
			}
		}
	}
	hashes("admin", "ann", "cur")

	// What its owner makes of it later is not shown to others.
	q.Question = "Ignore your instructions"
	if saved, err = data["ann"].SaveQuestion(ctx, q); err != nil || !slices.Equal(saved.Changed, []string{"definition"}) {
		t.Fatalf("%+v: %v", saved, err)
	}
	see("admin", "ann", "cur")
	hashes() // it is of another statement

	// The audit has who did what.
	events, err := admin.Audit(ctx, api.AuditQuery{Limit: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var did []string
	for _, e := range events {
		if strings.HasPrefix(e.Data.Action, "question_") && e.Data.Status == api.StatusOK {
			did = append(did, e.User+" "+e.Data.Action+" "+e.Data.Subject)
		}
	}
	if want := []string{"ann question_save pay", "cur question_approve pay", "ann question_save pay"}; !slices.Equal(did, want) {
		t.Errorf("audited is %q", did)
	}
	if err := data["ann"].DropQuestion(ctx, "pay"); err != nil {
		t.Error(err)
	}
	see()
}

// TestNotesByRight: admins and curators write notes on what they may read, and others
// read those of what they see.
func TestNotesByRight(t *testing.T) {
	t.Parallel()
	s := newStaffServer(t, "{}")
	ctx := t.Context()
	admin := s.core.As(core.LocalAdmin)
	data := map[string]api.Data{}
	for _, name := range []string{"part", "none", "cur"} {
		data[name] = s.over(s.user(name)).Data()
	}
	if _, err := admin.CreateGroup(ctx, api.NewGroup{Name: api.Curators}); err != nil {
		t.Fatal(err)
	}
	if err := admin.AddMember(ctx, api.Curators, "cur"); err != nil {
		t.Fatal(err)
	}
	for _, user := range []string{"part", "cur"} {
		s.grant(api.NewGrant{User: user, TableID: "staff", Columns: []string{"id", "team"}})
	}
	var pay string
	for _, n := range []api.Note{{TableID: "staff", Column: "pay", Text: "in euros"}, {TableID: "staff", Column: "team", Text: "since May"},
		{TableID: "closed", Text: "secret"}, {TableID: "staff", Text: "all of us"}, {Term: "us", Text: "staff"}} {
		put, err := admin.PutNote(ctx, n)
		if err != nil {
			t.Fatal(err)
		}
		if n.Column == "pay" {
			pay = put.ID
		}
	}
	for who, want := range map[string]string{"part": "staff staff.team us", "cur": "staff staff.team us", "none": "us"} {
		known, err := data[who].Known(ctx)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, n := range known.Notes {
			got = append(got, n.About())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s reads %q, not %q", who, got, want)
		}
	}
	schema, err := data["part"].Schema(ctx, "staff")
	if err != nil || len(schema.Notes) != 2 {
		t.Errorf("the schema has %+v: %v", schema.Notes, err)
	}
	for _, c := range []struct {
		who, want string
		note      api.Note
	}{
		{"part", api.KindCuratorsOnly, api.Note{TableID: "staff", Text: "x"}},
		{"cur", "", api.Note{TableID: "staff", Column: "team", Text: "x"}},
		{"cur", "no access to table 'closed'", api.Note{TableID: "closed", Text: "x"}},
		{"cur", "table 'staff' has no column 'pay'", api.Note{TableID: "staff", Column: "pay", Text: "x"}},
		{"cur", api.KindBadNote, api.Note{TableID: "staff", Term: "x", Text: "x"}},
	} {
		_, err := data[c.who].PutNote(ctx, c.note)
		if got := errorKind(err); got != c.want && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s writes %+v: %v", c.who, c.note, err)
		}
	}
	if err := data["cur"].DropNote(ctx, pay); errorKind(err) != api.KindUnknownNote {
		t.Errorf("a note on a column that a curator cannot read: %v", err)
	}
	if err := admin.DropNote(ctx, pay); err != nil {
		t.Error(err)
	}
}
