package httpapi

import (
	"encoding/json"
	"log/slog"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/local"
)

// beginDevice begins to sign in a machine, or fails the test.
func (b *browser) beginDevice(header ...string) (made api.DeviceCodes) {
	b.t.Helper()
	if err := json.Unmarshal([]byte(b.want("a machine", 201, "POST", "/api/device", `{"name":"laptop\u0007"}`, header...)), &made); err != nil {
		b.t.Fatal(err)
	}
	return made
}

// TestOnlyAPersonAtThePageApproves has everybody else try.
func TestOnlyAPersonAtThePageApproves(t *testing.T) {
	s := newStaffServer(t, "{}")
	token := s.user("una")
	b, _ := signInTo(t, s.url, token)
	nobody := &browser{t: t, url: s.url}
	made := nobody.beginDevice()
	ask, approve := `{"user_code":"`+made.UserCode+`"}`, `{"user_code":"`+made.UserCode+`","approve":true}`
	for path, body := range map[string]string{"/api/page/device": ask, "/api/page/device/answer": approve} {
		nobody.want("nobody", 401, "POST", path, body)
		nobody.want("a token", 403, "POST", path, body, "Authorization", "Bearer "+token)
		b.want("another site", 403, "POST", path, body, "Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site")
		b.want("a form", 400, "POST", path, body, "Content-Type", "text/plain")
		b.want("a link", 405, "GET", path, "")
	}
	poll := `{"device_code":"` + made.DeviceCode + `"}`
	if said := nobody.want("before it is approved", 400, "POST", "/api/device/token", poll); !strings.Contains(said, api.KindAuthorizationPending) {
		t.Error(said)
	}
	var asks api.Device
	if err := json.Unmarshal([]byte(b.want("the page", 200, "POST", "/api/page/device", ask)), &asks); err != nil || asks.Name != `laptop\x07` || asks.Address != "127.0.0.1" || asks.Elsewhere {
		t.Errorf("%+v, %v", asks, err)
	}
	b.want("the page", 204, "POST", "/api/page/device/answer", approve)
	b.want("the page, once more", 400, "POST", "/api/page/device/answer", approve)

	// What was approved is in the audit, without a code.
	events, err := s.core.As(core.LocalAdmin).Audit(t.Context(), api.AuditQuery{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	all, _ := json.Marshal(events)
	if !strings.Contains(string(all), `"device_approve"`) || strings.Contains(string(all), made.UserCode) || strings.Contains(string(all), made.DeviceCode) {
		t.Errorf("the audit: %s", all)
	}

	// A page that one opens with a link has no tokens, and no machines.
	page := httptest.NewServer(newHandler(local.New(s.core, core.LocalAdmin), slog.New(slog.DiscardHandler)))
	t.Cleanup(page.Close)
	(&browser{t: t, url: page.URL}).want("a page of one user", 404, "POST", "/api/device", `{"name":"laptop"}`)
}

// TestTokensAreEndedByTheirUserAlone has one user try to end another's.
func TestTokensAreEndedByTheirUserAlone(t *testing.T) {
	s := newStaffServer(t, "{}")
	una, otto := s.user("una"), s.user("otto")
	b, _ := signInTo(t, s.url, una)
	var own []api.Token
	if err := json.Unmarshal([]byte(b.want("one's own", 200, "GET", "/api/page/tokens", "")), &own); err != nil || len(own) != 1 || own[0].User != "una" {
		t.Fatalf("%+v, %v", own, err)
	}
	other, _ := signInTo(t, s.url, otto)
	other.want("another's token", 204, "DELETE", "/api/page/tokens/"+own[0].ID, "")
	b.want("it has not ended", 200, "GET", "/api/v2/catalog", "")
	b.want("one's own", 204, "DELETE", "/api/page/tokens/"+own[0].ID, "")
	b.want("the sign-in ends with it", 401, "GET", "/api/v2/catalog", "")
}

// TestGuessingAtCodesIsSlowedDown holds it for each address, and for machines that begin.
func TestGuessingAtCodesIsSlowedDown(t *testing.T) {
	now := time.Now()
	s := newStaffServer(t, "{}")
	h := newHandler(s.core, slog.New(slog.DiscardHandler))
	h.guard.now = func() time.Time { return now }
	h.proxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}
	srv := httptest.NewServer(h)
	t.Cleanup(srv.Close)
	b, _ := signInTo(t, srv.URL, s.user("una"))
	made := b.beginDevice("X-Forwarded-For", "192.0.2.1")
	ask := `{"user_code":"` + made.UserCode + `"}`
	if said := b.want("from elsewhere", 200, "POST", "/api/page/device", ask); !strings.Contains(said, `"elsewhere":true`) {
		t.Error(said)
	}
	for i := range maxFailures {
		path := []string{"/api/page/device", "/api/page/device/answer"}[i%2]
		b.want("a guess", 400, "POST", path, `{"user_code":"BBBB-BBBB"}`)
	}
	b.want("a right code, too late", 429, "POST", "/api/page/device", ask)
	b.want("a right code from another address", 200, "POST", "/api/page/device", ask, "X-Forwarded-For", "192.0.2.1")
	for range maxFailures {
		b.beginDevice()
	}
	b.want("one machine more", 429, "POST", "/api/device", `{"name":"laptop"}`)
}
