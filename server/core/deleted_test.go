package core

import (
	"testing"

	"github.com/agnes-data/da/api"
)

// TestRequestsOfADeletedUserHaveNoRights holds that what was asked before a user was
// deleted, and still runs, gets neither what the user could read nor what a later user
// of the same name can; nor does an admin's.
func TestRequestsOfADeletedUserHaveNoRights(t *testing.T) {
	core, _ := testCore(t, "{}")
	admin := core.As(LocalAdmin)
	for _, isAdmin := range []bool{false, true} {
		if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: "ann", Admin: isAdmin}); err != nil {
			t.Fatal(err)
		}
		if isAdmin {
			if _, err := admin.CreateUser(t.Context(), api.NewUser{Name: "other", Admin: true}); err != nil {
				t.Fatal(err)
			}
		}
		running := userOf(t, core, "ann")
		if _, err := running.Whoami(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := admin.DeleteUser(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
		later := userOf(t, core, "ann")
		if _, err := admin.CreateGrant(t.Context(), api.NewGrant{User: "ann", TableID: "secret"}); err != nil {
			t.Fatal(err)
		}
		if _, err := later.Sample(t.Context(), "secret", 1); err != nil {
			t.Error(err)
		}
		for _, table := range []string{"secret", "words"} {
			if _, err := running.Sample(t.Context(), table, 1); !api.CodeUnauthorized.Is(err) {
				t.Errorf("a request of a deleted user (admin: %v) reads %s: %v", isAdmin, table, err)
			}
		}
		if _, err := running.Whoami(t.Context()); !api.CodeUnauthorized.Is(err) {
			t.Error(err)
		}
		if err := admin.DeleteUser(t.Context(), "ann"); err != nil {
			t.Fatal(err)
		}
	}
}
