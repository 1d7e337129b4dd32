package serve

import (
	"context"
	"testing"
)

// TestNobodyTakesTheReportsOfAll: a user's second report waits, and one of another user does not.
func TestNobodyTakesTheReportsOfAll(t *testing.T) {
	room, ended := newReportRoom(), func() context.Context {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		return ctx
	}()
	enter := func(ctx context.Context, user string) func() {
		t.Helper()
		leave, err := room.enter(ctx, user)
		if err != nil {
			t.Fatal(err)
		}
		return leave
	}
	leave := enter(t.Context(), "ann")
	if _, err := room.enter(ended, "ann"); err == nil {
		t.Error("two reports of one user are made at a time")
	}
	enter(t.Context(), "ben")
	if _, err := room.enter(ended, "cy"); err == nil {
		t.Error("three reports are made at a time")
	}
	leave()
	leave = enter(t.Context(), "cy") // who gave up holds nothing
	leave()
	enter(t.Context(), "ann")
}
