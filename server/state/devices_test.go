package state

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
)

// TestDevicesSignIn walks the ways of a machine's sign-in, with two servers on one state:
// where one has begun, the other answers.
func TestDevicesSignIn(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		a, b := at.open(t, c), at.open(t, c)
		ann := newUser(t, a)
		first, err := a.CreateToken(ctx, api.NewToken{User: ann, ExpiresSeconds: 3600})
		if err != nil {
			t.Fatal(err)
		}
		signed, who, err := a.SignIn(ctx, first.Secret, "a browser")
		if err != nil {
			t.Fatal(err)
		}
		begin := func() *api.DeviceCodes {
			t.Helper()
			made, err := a.BeginDevice(ctx, "laptop", "192.0.2.1")
			if err != nil {
				t.Fatal(err)
			}
			return made
		}
		poll := func(s *Store, code, want string) *api.CreatedToken {
			t.Helper()
			made, err := s.PollDevice(ctx, code)
			if got := kindOf(err); got != want {
				t.Errorf("a poll: %s, not %s", got, want)
			}
			return made
		}
		answer := func(s *Store, code string, yes bool, want string) {
			t.Helper()
			if _, err := s.AnswerDevice(ctx, api.DeviceAnswer{UserCode: code, Approve: yes}, who.UserID, signed.ID); kindOf(err) != want {
				t.Errorf("an answer: %v, not %s", err, want)
			}
		}
		const ok, pending, gone = "<nil>", "bad_request/authorization_pending", "unauthorized/expired_token"

		made := begin()
		if !regexp.MustCompile("^[" + codeLetters + "]{4}-[" + codeLetters + "]{4}$").MatchString(made.UserCode) {
			t.Errorf("the code %s", made.UserCode)
		}
		poll(b, made.DeviceCode, pending)
		poll(a, made.DeviceCode, "bad_request/slow_down")
		c.add(pollEvery)
		poll(a, made.DeviceCode, pending)
		poll(a, made.UserCode, gone)
		poll(a, "", gone)
		answer(b, "", true, "bad_request/unknown_code")
		answer(b, made.DeviceCode, true, "bad_request/unknown_code")
		asking, err := b.Device(ctx, " "+strings.ToLower(made.UserCode), signed.ID)
		if err != nil || asking.Name != "laptop" || asking.Address != "192.0.2.1" || !asking.TokenEndsAt.Equal(*first.ExpiresAt) {
			t.Errorf("%+v, %v", asking, err)
		}
		answer(b, strings.ReplaceAll(made.UserCode, "-", ""), true, ok)
		answer(a, made.UserCode, false, "bad_request/unknown_code")
		c.add(pollEvery)
		token := poll(a, made.DeviceCode, ok)
		poll(b, made.DeviceCode, gone)
		if who, err := b.Authenticate(ctx, token.Secret); err != nil || who.User != ann || token.Note != "da on laptop" || !token.ExpiresAt.Equal(*first.ExpiresAt) {
			t.Errorf("%+v, %+v, %v", who, token, err)
		}

		refused := begin()
		answer(b, refused.UserCode, false, ok)
		for range 2 {
			poll(a, refused.DeviceCode, "forbidden/access_denied")
		}

		late, later := begin(), begin()
		answer(a, later.UserCode, true, ok)
		c.add(deviceLife)
		answer(a, late.UserCode, true, "bad_request/unknown_code")
		poll(a, late.DeviceCode, gone)
		poll(a, later.DeviceCode, gone)

		// With a token end those that it has approved, and theirs.
		signed, who, err = a.SignIn(ctx, token.Secret, "another browser")
		if err != nil {
			t.Fatal(err)
		}
		second, waiting := begin(), begin()
		answer(a, second.UserCode, true, ok)
		answer(a, waiting.UserCode, true, ok)
		child := poll(b, second.DeviceCode, ok)
		if err := b.RevokeToken(ctx, first.ID); err != nil {
			t.Fatal(err)
		}
		for _, secret := range []string{token.Secret, child.Secret} {
			if _, err := a.Authenticate(ctx, secret); kindOf(err) != "unauthorized/token_revoked" {
				t.Errorf("a token that was made with a revoked one: %v", err)
			}
		}
		poll(a, waiting.DeviceCode, "unauthorized/token_revoked")

		// Without a token, as from a provider, it lasts its own time.
		provided, err := a.SignInAs(ctx, ann, "")
		if err != nil {
			t.Fatal(err)
		}
		signed.ID = provided.ID
		last := begin()
		answer(a, last.UserCode, true, ok)
		if made := poll(a, last.DeviceCode, ok); made.ExpiresAt.Sub(c.now()).Round(time.Second) != deviceTokenLife {
			t.Errorf("the token ends at %s", made.ExpiresAt)
		}
	})
}

// TestDevicesAreBounded has many machines begin: only so many wait at a time.
func TestDevicesAreBounded(t *testing.T) {
	onBoth(t, func(t *testing.T, at place) {
		ctx, c := t.Context(), newClock()
		s := at.open(t, c)
		begin := func(address string) string {
			_, err := s.BeginDevice(ctx, "laptop", address)
			return kindOf(err)
		}
		const full = "unauthorized/too_many_failures"
		for i := range maxFromAddress + 1 {
			if got := begin("192.0.2.1"); (got == full) != (i == maxFromAddress) {
				t.Fatalf("the machine %d of an address: %s", i, got)
			}
		}
		for i := range maxDevices - maxFromAddress {
			if got := begin(fmt.Sprint("192.0.3.", i)); got != "<nil>" {
				t.Fatal(got)
			}
		}
		if got := begin("192.0.2.2"); got != full {
			t.Errorf("one more machine: %s", got)
		}
		c.add(deviceLife)
		if got := begin("192.0.2.1"); got != "<nil>" {
			t.Errorf("when all others are too old: %s", got)
		}
	})
}
