package httpapi

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/web"
)

// browser sends what a page would, with its cookie and its key.
type browser struct {
	t       *testing.T
	url     string
	cookies []*http.Cookie
	key     string
}

func (b *browser) send(method, path, body string, header ...string) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequest(method, b.url+path, strings.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	if b.key != "" {
		req.Header.Set("X-Agnes-Page", b.key)
	}
	for _, c := range b.cookies {
		req.AddCookie(c)
	}
	for i := 0; i < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res, string(data)
}

// signInTo signs a browser in with a token, or fails the test.
func signInTo(t *testing.T, url, token string, header ...string) (*browser, api.CreatedSignIn) {
	t.Helper()
	b := &browser{t: t, url: url}
	res, body := b.send("POST", "/api/page/sign-ins", `{"token":"`+token+`"}`, header...)
	var made api.CreatedSignIn
	if res.StatusCode != 201 || json.Unmarshal([]byte(body), &made) != nil || len(res.Cookies()) != 1 {
		t.Fatalf("sign in: %d %s", res.StatusCode, body)
	}
	b.cookies, b.key = res.Cookies(), made.Key
	return b, made
}

func (b *browser) want(what string, status int, method, path, body string, header ...string) string {
	b.t.Helper()
	res, text := b.send(method, path, body, header...)
	if res.StatusCode != status {
		b.t.Errorf("%s: %s %s: %d, want %d: %s", what, method, path, res.StatusCode, status, text)
	}
	return text
}

func TestACookieAloneOpensNothing(t *testing.T) {
	s := newStaffServer(t, "{}")
	token := s.user("una")
	b, made := signInTo(t, s.url, token)
	b.want("cookie and key", 200, "GET", "/api/v2/catalog", "")
	for _, r := range routes(testDoor) {
		if r.access == public {
			continue
		}
		path := anyPath.ReplaceAllString(r.path, "7")
		for what, other := range map[string]*browser{
			"the cookie alone":       {cookies: b.cookies},
			"the key alone":          {key: b.key},
			"another key":            {cookies: b.cookies, key: made.ID},
			"the cookie as its key":  {cookies: b.cookies, key: b.cookies[0].Value},
			"a cookie of one's own":  {cookies: []*http.Cookie{{Name: b.cookies[0].Name, Value: made.Key}}, key: made.Key},
			"a cookie from another":  {cookies: []*http.Cookie{{Name: "da-1", Value: b.cookies[0].Value}}, key: b.key},
			"a very long cookie":     {cookies: []*http.Cookie{{Name: b.cookies[0].Name, Value: strings.Repeat("a", 30_000)}}, key: b.key},
			"a token as the key":     {cookies: b.cookies, key: token},
			"the id of the sign-in":  {cookies: []*http.Cookie{{Name: b.cookies[0].Name, Value: made.ID}}, key: made.ID},
			"somebody else's secret": {cookies: b.cookies, key: strings.Repeat("A", 43)},
		} {
			other.t, other.url = t, s.url
			other.want(what, 401, r.method, path, sound[r.path])
		}
	}
}

func TestOtherSitesCannotUseABrowser(t *testing.T) {
	s := newStaffServer(t, "{}")
	token := s.user("una")
	b, _ := signInTo(t, s.url, token)
	host := strings.TrimPrefix(s.url, "http://")
	for _, header := range [][]string{
		{"Sec-Fetch-Site", "cross-site"}, {"Sec-Fetch-Site", "same-site"}, {"Sec-Fetch-Site", "none"},
		{"Origin", "https://evil.example"}, {"Origin", "null"}, {"Origin", "http://" + host + "1"}, {"Origin", "http://" + host + "@evil.example"},
		{"Origin", "http://localhost:1"}, {"Origin", s.url, "Sec-Fetch-Site", "cross-site"},
	} {
		what := strings.Join(header, " ")
		b.want(what, 403, "GET", "/api/v2/catalog", "", header...)
		b.want(what, 403, "DELETE", "/api/page/sign-ins/current", "", header...)
		b.want(what, 403, "POST", "/api/page/sign-ins", `{"token":"`+token+`"}`, header...)
	}
	b.want("its own page", 200, "GET", "/api/v2/catalog", "", "Origin", s.url)
	b.want("its own page, as a browser says it", 200, "GET", "/api/v2/catalog", "", "Sec-Fetch-Site", "same-origin")
	// A proxy on another port, that passes the host's name alone.
	behind, _ := signInTo(t, s.url, token, "Host", "data.example.com", "Origin", "https://data.example.com:8443", "Sec-Fetch-Site", "same-origin")
	behind.want("behind a proxy", 200, "GET", "/api/v2/catalog", "", "Host", "data.example.com", "Sec-Fetch-Site", "same-origin")
	// What a form can send is never JSON.
	b.want("a form", 400, "POST", "/api/page/sign-ins", "token="+token, "Content-Type", "text/plain")
}

func TestCookiesAreStrict(t *testing.T) {
	s := newStaffServer(t, "{}")
	token := s.user("una")
	here, _ := signInTo(t, s.url, token)
	there, _ := signInTo(t, s.url, token, "Host", "data.example.com")
	for what, c := range map[string]*http.Cookie{"here": here.cookies[0], "beyond this machine": there.cookies[0]} {
		if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != "/" || c.Domain != "" || c.MaxAge <= 0 || c.MaxAge > 24*3600 {
			t.Errorf("%s: %+v", what, c)
		}
	}
	if here.cookies[0].Secure || !there.cookies[0].Secure || !strings.HasPrefix(there.cookies[0].Name, "__Host-") {
		t.Errorf("here %+v, there %+v", here.cookies[0], there.cookies[0])
	}
}

func TestASignInIsAlwaysNew(t *testing.T) {
	s := newStaffServer(t, "{}")
	token := s.user("una")
	fixed := &browser{t: t, url: s.url, cookies: []*http.Cookie{{Name: "da-80", Value: "chosen"}}, key: "chosen"}
	res, _ := fixed.send("POST", "/api/page/sign-ins", `{"token":"`+token+`"}`)
	if res.StatusCode != 201 || res.Cookies()[0].Value == "chosen" {
		t.Errorf("a cookie that was set before: %d %v", res.StatusCode, res.Cookies())
	}
	first, _ := signInTo(t, s.url, token)
	res, body := first.send("POST", "/api/page/sign-ins", `{"token":"`+token+`"}`)
	if res.StatusCode != 201 || res.Cookies()[0].Value == first.cookies[0].Value || strings.Contains(body, first.key) {
		t.Errorf("a second sign-in: %d %s", res.StatusCode, body)
	}
	first.want("the first, after the second", 401, "GET", "/api/v2/catalog", "")
}

func TestSignInsEndWithTheirTokenAndByHand(t *testing.T) {
	s := newStaffServer(t, "{}")
	admin := s.core.As(core.LocalAdmin)
	token := s.user("una")
	a, made := signInTo(t, s.url, token, "User-Agent", "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0")
	b, _ := signInTo(t, s.url, token, "User-Agent", `<script>alert(1)</script>`)
	other, theirs := signInTo(t, s.url, s.user("otto"))

	var list []api.SignIn
	if err := json.Unmarshal([]byte(a.want("the list", 200, "GET", "/api/page/sign-ins", "")), &list); err != nil || len(list) != 2 {
		t.Fatal(list, err)
	}
	i := slices.IndexFunc(list, func(v api.SignIn) bool { return v.Current })
	if i < 0 || list[i].ID != made.ID || list[i].Browser != "Firefox on Linux" || list[1-i].Browser != "" {
		t.Errorf("the list: %+v", list)
	}
	a.want("everybody's, for a user", 403, "GET", "/api/page/sign-ins?all=true", "")
	a.want("somebody else's", 204, "DELETE", "/api/page/sign-ins/"+theirs.ID, "")
	other.want("still there", 200, "GET", "/api/v2/catalog", "")
	a.want("the second browser", 204, "DELETE", "/api/page/sign-ins/"+list[1-i].ID, "")
	b.want("ended", 401, "GET", "/api/v2/catalog", "")
	res, _ := a.send("DELETE", "/api/page/sign-ins/current", "")
	if res.StatusCode != 204 || res.Cookies()[0].MaxAge >= 0 || res.Cookies()[0].Value != "" {
		t.Errorf("sign out: %d %v", res.StatusCode, res.Cookies())
	}
	a.want("signed out", 401, "GET", "/api/v2/catalog", "")

	c, _ := signInTo(t, s.url, token)
	tokens, err := admin.Tokens(t.Context(), "una")
	if err != nil || len(tokens) != 1 {
		t.Fatal(tokens, err)
	}
	if err := admin.RevokeToken(t.Context(), tokens[0].ID); err != nil {
		t.Fatal(err)
	}
	c.want("its token was revoked", 401, "GET", "/api/v2/catalog", "")
	if all, err := admin.SignIns(t.Context(), true); err != nil || len(all) != 1 || all[0].User != "otto" {
		t.Errorf("after that: %+v, %v", all, err)
	}
	if err := admin.DeleteUser(t.Context(), "otto"); err != nil {
		t.Fatal(err)
	}
	other.want("the user was deleted", 401, "GET", "/api/v2/catalog", "")

	short, err := admin.CreateToken(t.Context(), api.NewToken{User: "una", ExpiresSeconds: 1})
	if err != nil {
		t.Fatal(err)
	}
	d, _ := signInTo(t, s.url, short.Secret)
	<-time.After(time.Until(*short.ExpiresAt) + time.Millisecond)
	d.want("its token has expired", 401, "GET", "/api/v2/catalog", "")
}

func TestGuessingAtSignInIsSlowedDown(t *testing.T) {
	now := time.Now()
	s := serveTest(t, &testService{}, func(h *router) {
		h.guard.now = func() time.Time { return now } // no failure is forgotten, however slow the machine
	})
	b := &browser{t: t, url: s.URL}
	b.want("a known token", 201, "POST", "/api/page/sign-ins", `{"token":"`+userToken+`"}`)
	for range maxFailures {
		b.want("a guess", 401, "POST", "/api/page/sign-ins", `{"token":"guess"}`)
	}
	b.want("one guess more", 429, "POST", "/api/page/sign-ins", `{"token":"another"}`)
	b.want("a right guess, too late", 429, "POST", "/api/page/sign-ins", `{"token":"`+adminToken+`"}`)
	b.want("a known token", 201, "POST", "/api/page/sign-ins", `{"token":"`+userToken+`"}`)
	// Guesses at cookies are hopeless, and lock nobody out.
	c := &browser{t: t, url: s.URL, cookies: []*http.Cookie{{Name: "da", Value: "x"}}, key: "x"}
	for range 2 * maxFailures {
		c.want("a cookie", 401, "GET", "/api/v2/catalog", "")
	}
}

// TestAProxySaysWhereRequestsComeFrom holds that the guesses of one person behind it do not
// keep out another, and that nobody else is believed.
func TestAProxySaysWhereRequestsComeFrom(t *testing.T) {
	for _, c := range []struct {
		proxies []string
		status  int
	}{{[]string{"127.0.0.1/32", "10.0.0.0/8"}, 201}, {[]string{"10.0.0.0/8"}, 429}, {nil, 429}} {
		now := time.Now()
		s := serveTest(t, &testService{}, func(h *router) {
			h.guard.now = func() time.Time { return now }
			for _, p := range c.proxies {
				h.proxies = append(h.proxies, netip.MustParsePrefix(p))
			}
		})
		b := &browser{t: t, url: s.URL}
		for range maxFailures {
			b.want("a guess", 401, "POST", "/api/page/sign-ins", `{"token":"guess"}`, "X-Forwarded-For", "192.0.2.7, 203.0.113.9, 10.1.1.1")
		}
		b.want(fmt.Sprint(c.proxies), c.status, "POST", "/api/page/sign-ins", `{"token":"`+userToken+`"}`, "X-Forwarded-For", "203.0.113.9, 192.0.2.7")
		b.want("the same address, which named others", 429, "POST", "/api/page/sign-ins", `{"token":"x"}`, "X-Forwarded-For", "1.1.1.1, 203.0.113.9")
	}
}

func TestNothingSecretIsLogged(t *testing.T) {
	log := &logBuffer{}
	dir := t.TempDir()
	c := openCore(t, dir, "sources: { files: { type: lake, root: . } }\n")
	srv := httptest.NewServer(newHandler(c, slog.New(slog.NewTextHandler(log, nil))))
	t.Cleanup(srv.Close)
	token, err := c.Bootstrap(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	b, made := signInTo(t, srv.URL, token)
	b.want("the catalog", 200, "GET", "/api/v2/catalog", "")
	b.want("a bad token", 401, "POST", "/api/page/sign-ins", `{"token":"da_not-a-token"}`)
	b.want("the page", 200, "GET", "/?code=in-the-query", "")
	text := log.String()
	for _, secret := range []string{token, made.Key, b.cookies[0].Value, "da_not-a-token", "in-the-query"} {
		if strings.Contains(text, secret) {
			t.Errorf("the log holds %q:\n%s", secret, text)
		}
	}
	if !strings.Contains(text, "user=admin") {
		t.Errorf("the log does not say who signed in:\n%s", text)
	}
}

func TestThePageIsLockedDown(t *testing.T) {
	s := serveTest(t, &testService{})
	res, page := s.ask(t, "GET", "/", "", "Authorization", "")
	h := res.Header
	for _, part := range []string{"default-src 'none'", "script-src 'self'", "style-src 'self'", "frame-ancestors 'none'", "form-action 'none'", "base-uri 'none'"} {
		if !strings.Contains(h.Get("Content-Security-Policy"), part) {
			t.Errorf("the policy lacks %q: %s", part, h.Get("Content-Security-Policy"))
		}
	}
	if strings.Contains(h.Get("Content-Security-Policy"), "unsafe") {
		t.Errorf("the policy: %s", h.Get("Content-Security-Policy"))
	}
	for name, want := range map[string]string{
		"Referrer-Policy": "no-referrer", "X-Frame-Options": "DENY", "X-Content-Type-Options": "nosniff", "Cross-Origin-Opener-Policy": "same-origin",
	} {
		if h.Get(name) != want {
			t.Errorf("%s: %q", name, h.Get(name))
		}
	}
	// Nothing comes from elsewhere, and nothing is inline.
	for _, bad := range []string{"http://", "https://", "<script>", "onload=", "<style"} {
		if strings.Contains(strings.ReplaceAll(page, "http://www.w3.org/2000/svg", ""), bad) {
			t.Errorf("the page has %s", bad)
		}
	}
	for _, path := range []string{"/page/..%2fweb.go", "/page/%2e%2e", "/page/", "/page/manifest.json%00", "/page/dist/" + web.Index} {
		if res, body := s.ask(t, "GET", path, "", "Authorization", ""); res.StatusCode != 404 {
			t.Errorf("%s: %d %.80s", path, res.StatusCode, body)
		}
	}
}
