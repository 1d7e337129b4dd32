package httpapi

import (
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/zitadel/oidc/v3/example/server/exampleop"
	"github.com/zitadel/oidc/v3/example/server/storage"
	"github.com/zitadel/oidc/v3/pkg/op"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/openid"
)

// providerUser is a person whom the provider of these tests knows.
const (
	providerUser     = "test-user2"
	providerPassword = "verysecure"
	providerEmail    = "test-user2@zitadel.ch"
)

// startProvider starts a real OpenID provider, which knows a client with the
// secret "secret" at callback.
func startProvider(t *testing.T, callback string) *httptest.Server {
	t.Helper()
	srv := httptest.NewUnstartedServer(nil)
	issuer := "http://" + srv.Listener.Addr().String()
	storage.RegisterClients(storage.WebClient("da-"+t.Name(), "secret", callback))
	old := slog.Default()
	srv.Config.Handler = exampleop.SetupServer(issuer, storage.NewStorage(storage.NewUserStore(issuer)), slog.New(slog.DiscardHandler), false, op.WithAllowInsecure())
	slog.SetDefault(old)
	srv.Start()
	t.Cleanup(srv.Close)
	return srv
}

// providedServer is a server at which people sign in at a provider, with its log.
type providedServer struct {
	*httptest.Server
	core *core.Core
	log  *logBuffer
}

func newProvidedServer(t *testing.T, adjust func(*config.OpenID)) *providedServer {
	t.Helper()
	s := &providedServer{core: openCore(t, t.TempDir(), "sources: { files: { type: lake, root: . } }\n"), log: &logBuffer{}}
	h := newHandler(s.core, slog.New(slog.NewTextHandler(s.log, nil)))
	s.Server = httptest.NewServer(h)
	t.Cleanup(s.Close)
	cfg := config.OpenID{Issuer: startProvider(t, s.URL+callbackPath).URL, ClientID: "da-" + t.Name(), Claim: "email", Scopes: "profile email"}
	if adjust != nil {
		adjust(&cfg)
	}
	h.provider = openid.New(cfg, "secret")
	if _, err := s.core.As(core.LocalAdmin).CreateUser(t.Context(), api.NewUser{Name: providerEmail}); err != nil {
		t.Fatal(err)
	}
	return s
}

// person is a browser that follows redirects and keeps cookies, but for those to
// fragments of the page, where its scripts go on.
type person struct {
	t *testing.T
	*http.Client
}

func newPerson(t *testing.T) *person {
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &person{t, &http.Client{Jar: jar, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if r.URL.Fragment != "" || r.Header.Get("Stop-Before") != "" && strings.HasPrefix(r.URL.Path, callbackPath) {
			return http.ErrUseLastResponse
		}
		return nil
	}}}
}

func (p *person) answer(res *http.Response, err error) (*http.Response, string) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		p.t.Fatal(err)
	}
	return res, string(data)
}

var loginID = regexp.MustCompile(`name="id" value="([^"]+)"`)

// atProvider begins a sign-in and fills in the provider's form. It returns the
// address in our server that the provider sends the browser back to.
func (p *person) atProvider(s *providedServer, password string) string {
	p.t.Helper()
	res, form := p.answer(p.Get(s.URL + openIDPath))
	found := loginID.FindStringSubmatch(form)
	if found == nil {
		p.t.Fatalf("no form of the provider's: %d %s", res.StatusCode, form)
	}
	stay := *p.Client
	stay.CheckRedirect = func(r *http.Request, _ []*http.Request) error {
		if r.URL.Path == callbackPath {
			return http.ErrUseLastResponse
		}
		return nil
	}
	res, form = p.answer(stay.PostForm("http://"+res.Request.URL.Host+"/login/username",
		url.Values{"username": {providerUser}, "password": {password}, "id": {found[1]}}))
	to := res.Header.Get("Location")
	if to == "" {
		return form
	}
	return to
}

// back comes back from the provider, and returns the page's fragment.
func (p *person) back(to string) string {
	p.t.Helper()
	res, body := p.answer(p.Get(to))
	if res.StatusCode != http.StatusSeeOther {
		p.t.Fatalf("%d %s", res.StatusCode, body)
	}
	return res.Header.Get("Location")
}

// claim asks for the key as the page does.
func (p *person) claim(s *providedServer) (int, api.CreatedSignIn) {
	p.t.Helper()
	res, body := p.answer(p.Post(s.URL+"/api/page/sign-ins/claim", "", nil))
	var made api.CreatedSignIn
	_ = json.Unmarshal([]byte(body), &made)
	return res.StatusCode, made
}

func (p *person) whoami(s *providedServer, key string) (int, string) {
	p.t.Helper()
	req, err := http.NewRequest("GET", s.URL+"/api/v2/whoami", nil)
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("X-Agnes-Page", key)
	res, body := p.answer(p.Do(req))
	return res.StatusCode, body
}

func TestSignInAtAProvider(t *testing.T) {
	s := newProvidedServer(t, nil)
	p := newPerson(t)
	if form := p.atProvider(s, "wrong"); !strings.Contains(form, "wrong") {
		t.Errorf("a wrong password: %s", form)
	}
	to := p.atProvider(s, providerPassword)
	if at := p.back(to); at != afterSignIn {
		t.Fatalf("back at %s\n%s", at, s.log.String())
	}
	if status, body := p.whoami(s, ""); status != 401 {
		t.Errorf("without a key: %d %s", status, body)
	}
	status, made := p.claim(s)
	if status != 201 || made.Key == "" || made.User != providerEmail {
		t.Fatalf("claim: %d %+v", status, made)
	}
	if status, body := p.whoami(s, made.Key); status != 200 || !strings.Contains(body, providerEmail) {
		t.Errorf("signed in: %d %s", status, body)
	}
	if status, again := p.claim(s); status != 401 || again.Key != "" {
		t.Errorf("a second claim: %d", status)
	}
	// The code of the provider is of no use a second time, not to this browser either.
	if at := p.back(to); at != afterRefusal+api.KindSignInMismatch {
		t.Errorf("the same address again: %s", at)
	}
	events, err := s.core.As(core.LocalAdmin).Audit(t.Context(), api.AuditQuery{})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, e := range events {
		if e.EventType == api.EventSignIn {
			seen = append(seen, e.User+" "+e.Data.Action+" "+e.Data.Status)
		}
	}
	if got := strings.Join(seen, ", "); got != providerEmail+" oidc ok,  oidc rejected" {
		t.Errorf("the audit: %s", got)
	}
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range []string{u.Query().Get("code"), u.Query().Get("state"), made.Key} {
		if secret == "" || strings.Contains(s.log.String(), secret) {
			t.Errorf("the log holds %q:\n%s", secret, s.log.String())
		}
	}
	if err := s.core.As(core.LocalAdmin).DeleteUser(t.Context(), providerEmail); err != nil {
		t.Fatal(err)
	}
	if status, _ := p.whoami(s, made.Key); status != 401 {
		t.Errorf("the user was deleted: %d", status)
	}
}

// TestASignInIsOneBrowsers lets somebody else have what one browser got.
func TestASignInIsOneBrowsers(t *testing.T) {
	s := newProvidedServer(t, nil)
	mallory, victim := newPerson(t), newPerson(t)
	to := mallory.atProvider(s, providerPassword)
	if at := victim.back(to); at != afterRefusal+api.KindSignInMismatch {
		t.Errorf("a link with somebody else's code: %s", at)
	}
	victim.atProvider(s, providerPassword) // which is another flow
	if at := victim.back(to); at != afterRefusal+api.KindSignInMismatch {
		t.Errorf("the same in the midst of a sign-in: %s", at)
	}
	if status, _ := victim.claim(s); status != 401 {
		t.Errorf("nothing was signed in: %d", status)
	}
	// The state is right, and the code is of the other's flow: PKCE and the nonce.
	u, err := url.Parse(victim.atProvider(s, providerPassword))
	if err != nil {
		t.Fatal(err)
	}
	stolen, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	q := u.Query()
	q.Set("code", stolen.Query().Get("code"))
	u.RawQuery = q.Encode()
	if at := victim.back(u.String()); at != afterRefusal+api.KindProviderRefused {
		t.Errorf("a code of another flow: %s", at)
	}
	if at := victim.back(s.URL + callbackPath + "?error=access_denied&error_description=%3Cscript%3E&state="); at != afterRefusal+api.KindSignInMismatch {
		t.Errorf("a made-up refusal: %s", at)
	}
}

func TestAProviderThatFails(t *testing.T) {
	t.Run("another claim", func(t *testing.T) {
		s := newProvidedServer(t, func(c *config.OpenID) { c.Claim = "nickname_of_no_one" })
		p := newPerson(t)
		if at := p.back(p.atProvider(s, providerPassword)); at != afterRefusal+api.KindClaimMissing {
			t.Error(at)
		}
	})
	t.Run("a user whom nobody made", func(t *testing.T) {
		s := newProvidedServer(t, func(c *config.OpenID) { c.Claim = "preferred_username" })
		p := newPerson(t)
		if at := p.back(p.atProvider(s, providerPassword)); at != afterRefusal+"unknown_user" {
			t.Error(at)
		}
	})
	t.Run("another secret", func(t *testing.T) {
		s := newProvidedServer(t, nil)
		s.Config.Handler.(*router).provider = openid.New(config.OpenID{Issuer: startProvider(t, s.URL+callbackPath).URL, ClientID: "da-" + t.Name(), Claim: "email", Scopes: "email"}, "another")
		p := newPerson(t)
		if at := p.back(p.atProvider(s, providerPassword)); at != afterRefusal+api.KindProviderRefused {
			t.Error(at)
		}
	})
	t.Run("nobody there", func(t *testing.T) {
		s := newProvidedServer(t, func(c *config.OpenID) { c.Issuer = "http://127.0.0.1:1" })
		if at := newPerson(t).back(s.URL + openIDPath); at != afterRefusal+api.KindProviderUnreachable {
			t.Error(at)
		}
	})
}

func TestCookiesOfAProvidedSignInAreStrict(t *testing.T) {
	s := newProvidedServer(t, nil)
	b := &browser{t: t, url: s.URL}
	c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	req, err := http.NewRequest("GET", s.URL+openIDPath, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Host = "data.example.com"
	res, err := c.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	_ = res.Body.Close()
	if len(res.Cookies()) != 1 {
		t.Fatal(res.Cookies())
	}
	k := res.Cookies()[0]
	if !k.HttpOnly || !k.Secure || !strings.HasPrefix(k.Name, "__Host-") || k.SameSite != http.SameSiteLaxMode || k.MaxAge != flowLife {
		t.Errorf("%+v", k)
	}
	to, err := url.Parse(res.Header.Get("Location"))
	if err != nil {
		t.Fatal(err)
	}
	q := to.Query()
	if q.Get("redirect_uri") != "https://data.example.com"+callbackPath || q.Get("code_challenge_method") != "S256" || q.Get("nonce") == "" || q.Get("state") == "" || res.Header.Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%s %v", to, res.Header)
	}
	b.want("a claim from another site", 403, "POST", "/api/page/sign-ins/claim", "", "Origin", "https://evil.example")
}

// TestStrangersLockNobodyOut comes back from the provider many times, as anybody can and
// as another site's page makes browsers do.
func TestStrangersLockNobodyOut(t *testing.T) {
	s := newProvidedServer(t, nil)
	token, err := s.core.As(core.LocalAdmin).CreateToken(t.Context(), api.NewToken{User: providerEmail})
	if err != nil {
		t.Fatal(err)
	}
	stranger := newPerson(t)
	for range 2 * maxFailures {
		if at := stranger.back(s.URL + callbackPath + "?code=x&state=y"); at != afterRefusal+api.KindSignInMismatch {
			t.Fatal(at)
		}
	}
	b := &browser{t: t, url: s.URL}
	b.want("a token that is new to the server", 201, "POST", "/api/page/sign-ins", `{"token": "`+token.Secret+`"}`)
	p := newPerson(t)
	if at := p.back(p.atProvider(s, providerPassword)); at != afterSignIn {
		t.Errorf("a sign-in at the provider: %s", at)
	}
	events, err := s.core.As(core.LocalAdmin).Audit(t.Context(), api.AuditQuery{})
	if err != nil {
		t.Fatal(err)
	}
	if len(events) > maxFailures+10 {
		t.Errorf("%d rows of the audit", len(events))
	}
	for _, path := range []string{openIDPath, callbackPath + "?code=x&state=y"} {
		b.want("as an image", 403, "GET", path, "", "Sec-Fetch-Dest", "image", "Sec-Fetch-Site", "cross-site")
	}
}
