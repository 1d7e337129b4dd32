package local

import (
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
)

func TestALinkWorksOnceAndForAMinute(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	s := New(nil, core.LocalAdmin)
	s.now = func() time.Time { return now }
	code := s.Code()
	if _, err := s.SignIn(t.Context(), core.Origin{}, "another", ""); !api.CodeUnauthorized.Is(err) {
		t.Errorf("another code: %v", err)
	}
	if _, err := s.SignIn(t.Context(), core.Origin{}, "", ""); !api.CodeUnauthorized.Is(err) {
		t.Errorf("no code: %v", err)
	}
	made, err := s.SignIn(t.Context(), core.Origin{}, code, "Firefox on Linux")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SignIn(t.Context(), core.Origin{}, code, ""); !api.CodeUnauthorized.Is(err) {
		t.Errorf("a second time: %v", err)
	}
	late := s.Code()
	now = now.Add(time.Minute)
	if _, err := s.SignIn(t.Context(), core.Origin{}, late, ""); !api.CodeUnauthorized.Is(err) {
		t.Errorf("a minute later: %v", err)
	}
	who, err := s.SignedIn(t.Context(), made.Cookie, made.Key)
	if err != nil || !who.Local || !who.Admin || who.SignIn != made.ID {
		t.Errorf("signed in: %+v, %v", who, err)
	}
	for _, wrong := range [][2]string{{made.Cookie, ""}, {made.Cookie, made.Cookie}, {made.Key, made.Key}, {"", ""}} {
		if _, err := s.SignedIn(t.Context(), wrong[0], wrong[1]); !api.CodeUnauthorized.Is(err) {
			t.Errorf("cookie %q and key %q: %v", wrong[0], wrong[1], err)
		}
	}
	if err := s.SignIns(who).EndSignIn(t.Context(), made.ID); err != nil {
		t.Fatal(err)
	}
	if _, err := s.SignedIn(t.Context(), made.Cookie, made.Key); !api.CodeUnauthorized.Is(err) {
		t.Errorf("ended: %v", err)
	}
}
