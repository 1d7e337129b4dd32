package core

import (
	"fmt"
	"testing"

	"github.com/agnes-data/da/api"
)

func TestWhatAUserSees(t *testing.T) {
	c, _ := testCore(t, "{}")
	admin := c.As(LocalAdmin)
	for _, name := range []string{"una", "otto"} {
		if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: name}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := admin.CreateGroup(t.Context(), api.NewGroup{Name: "sales"}); err != nil {
		t.Fatal(err)
	}
	if err := admin.AddMember(t.Context(), "sales", "una"); err != nil {
		t.Fatal(err)
	}
	for _, g := range []api.NewGrant{
		{Group: "sales", TableID: "secret", Columns: []string{"word"}, Rows: "id = 2"},
		{User: "otto", TableID: "secret"},
	} {
		if _, err := admin.CreateGrant(t.Context(), g); err != nil {
			t.Fatal(err)
		}
	}
	for user, want := range map[string]string{
		"una":  "[{numbers true true [] []} {secret false false [word] [{sales [word] id = 2 map[]}]} {words true true [] []}]",
		"otto": "[{numbers true true [] []} {secret false true [] []} {words true true [] []}]",
	} {
		if list, err := admin.VisibleTables(t.Context(), user); err != nil || fmt.Sprint(list) != want {
			t.Errorf("%s: %v, %v", user, list, err)
		}
	}
	sample, err := admin.VisibleSample(t.Context(), "una", "secret")
	if err != nil || len(sample.Rows) != 1 || fmt.Sprint(sample.Columns, sample.Rows[0].Values) != "[word] [two]" {
		t.Errorf("the rows that una sees: %+v, %v", sample, err)
	}
	if _, err := admin.VisibleTables(t.Context(), "nobody"); !api.CodeBadRequest.Is(err) {
		t.Error(err)
	}
	una := userOf(t, c, "una")
	if _, err := una.VisibleTables(t.Context(), "otto"); !api.CodeForbidden.Is(err) {
		t.Errorf("a user looks: %v", err)
	}
	if _, err := una.VisibleSample(t.Context(), "otto", "secret"); !api.CodeForbidden.Is(err) {
		t.Errorf("a user looks at rows: %v", err)
	}
	events, err := admin.Audit(t.Context(), api.AuditQuery{})
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range events {
		if e.EventType == api.EventSample {
			t.Errorf("the audit takes a preview for una's own: %+v", e)
		}
	}
}
