package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/url"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/wire"
	"github.com/agnes-data/da/server/core"
)

// Browsers is how browsers come in: a cookie, which scripts cannot read, and a
// key in a header, which other origins and other ports of the same host cannot
// know. Neither works without the other.
type Browsers interface {
	// SignIn makes a sign-in for the bearer of token, or returns a
	// CodeUnauthorized error. It may be called again.
	SignIn(ctx context.Context, from core.Origin, token, browser string) (*api.CreatedSignIn, error)
	// SignInAs makes one for the user whom a provider calls name. Its browser
	// claims the key.
	SignInAs(ctx context.Context, from core.Origin, name, browser string) (*api.CreatedSignIn, error)
	// RefuseSignIn writes down that a provider signed nobody in, and returns err.
	RefuseSignIn(ctx context.Context, from core.Origin, err error) error
	// ClaimSignIn gives a browser its key, once, or returns a CodeUnauthorized
	// error.
	ClaimSignIn(ctx context.Context, cookie string) (*api.CreatedSignIn, error)
	// SignedIn returns who has signed in, or a CodeUnauthorized error.
	SignedIn(ctx context.Context, cookie, key string) (core.Principal, error)
	// SignIns returns what p may do about sign-ins.
	SignIns(p core.Principal) api.SignInKeeper
	// Entry says what a browser signs in with: EntryToken or EntryLink.
	Entry() string
}

// What a browser signs in with.
const (
	EntryToken = "token" // a user's token
	EntryLink  = "link"  // the code of a link that works once
)

// caller returns who sends a request: the bearer of its token, or who has signed
// in with its browser. A request with a sign-in's key comes from our page: a form
// or an image of another site cannot set the header.
func (h *router) caller(r *http.Request) (core.Principal, error) {
	if r.Header.Get("Authorization") == "" && r.Header.Get(wire.HeaderPageKey) != "" {
		return h.signedIn(r)
	}
	token, err := bearer(r)
	if err != nil {
		return core.Principal{}, err
	}
	return h.guard.check(r.Context(), addressOf(r), token, h.backend.Authenticate)
}

// signedIn returns who has signed in with the browser that sends r. Cookies are
// too long to be guessed, so that failures are not counted: a page that is open
// in many tabs would else lock others out when its sign-in ends.
func (h *router) signedIn(r *http.Request) (core.Principal, error) {
	if err := sameOrigin(r); err != nil {
		return core.Principal{}, err
	}
	cookie, key := "", r.Header.Get(wire.HeaderPageKey)
	if c, err := r.Cookie(cookieName(r)); err == nil {
		cookie = c.Value
	}
	if len(cookie) > maxToken || len(key) > maxToken {
		cookie, key = "", ""
	}
	return h.backend.SignedIn(r.Context(), cookie, key)
}

// sameOrigin refuses what another site's page makes a browser send. Browsers say
// so themselves; older ones name the origin.
func sameOrigin(r *http.Request) error {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if site == "same-origin" || site == "" && origin == "" {
		return nil
	}
	if u, err := url.Parse(origin); site == "" && err == nil && strings.EqualFold(u.Host, r.Host) {
		return nil
	}
	return &api.Error{Code: api.CodeForbidden, Kind: "cross_origin", Message: "the request comes from another site's page",
		Hint: "Open the page of this server itself."}
}

// secure reports whether the cookie is to travel over TLS alone: everywhere but
// on this machine. A proxy in front of the server has TLS, and keeps the host's
// name.
func secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	host := r.Host
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// cookieName is the name of the cookie at this address. Ports of one host share
// their cookies, so that each port has a name of its own; with the prefix, a
// browser takes the cookie from this host alone.
func cookieName(r *http.Request) string {
	_, port, err := net.SplitHostPort(r.Host)
	if err != nil {
		port = "default"
	}
	if secure(r) {
		return "__Host-da-" + port
	}
	return "da-" + port
}

// setCookie gives the browser its cookie; an empty one takes it back.
func (c *call) setCookie(made *api.CreatedSignIn) {
	cookie := &http.Cookie{
		Name: cookieName(c.r), Path: "/", HttpOnly: true, Secure: secure(c.r), SameSite: http.SameSiteStrictMode, MaxAge: -1,
	}
	if made != nil {
		cookie.Value, cookie.MaxAge = made.Cookie, max(1, int(made.ExpiresAt.Sub(made.CreatedAt).Seconds()))
	}
	http.SetCookie(c.w, cookie)
}

// signIn makes a sign-in. It ends the one that the browser had: the old cookie
// would be of no more use to it, and perhaps is of use to another.
func (c *call) signIn() error {
	if err := c.params(); err != nil {
		return err
	}
	if err := sameOrigin(c.r); err != nil {
		return err
	}
	var req api.NewSignIn
	if err := c.body(&req); err != nil {
		return err
	}
	if req.Token == "" || len(req.Token) > maxToken {
		return badBody("token_missing", "the token is missing, or too long to be one")
	}
	var made *api.CreatedSignIn
	who, err := c.router.guard.check(c.r.Context(), addressOf(c.r), req.Token, func(ctx context.Context, token string) (who core.Principal, err error) {
		made, err = c.router.backend.SignIn(ctx, c.origin(), token, browserName(c.r.UserAgent()))
		if err == nil {
			who.User = made.User
		}
		return who, err
	})
	if err != nil {
		return err
	}
	c.w.user = who.User
	if old, err := c.router.signedIn(c.r); err == nil {
		if err := c.router.backend.SignIns(old).EndSignIn(c.r.Context(), old.SignIn); err != nil {
			return err
		}
	}
	c.setCookie(made)
	return c.w.json(http.StatusCreated, made)
}

func (c *call) listSignIns() error {
	if err := c.params("all"); err != nil {
		return err
	}
	all := c.r.URL.Query().Get("all") == "true"
	return answer(c, func(ctx context.Context) ([]api.SignIn, error) { return c.signIns.SignIns(ctx, all) })
}

func (c *call) endSignIn() error {
	if err := c.params(); err != nil {
		return err
	}
	id := c.r.PathValue("id")
	if id == "current" || id == c.current {
		id = c.current
		c.setCookie(nil)
	}
	return c.done(c.signIns.EndSignIn(c.r.Context(), id))
}

// addressOf is the address that a request comes from.
func addressOf(r *http.Request) string {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return address
}

// browserName says in a few words which browser and system a header names; they
// are for the user to tell sign-ins apart. Only words of ours are kept.
func browserName(agent string) string {
	first := func(names ...string) string {
		for i := 0; i < len(names); i += 2 {
			if strings.Contains(agent, names[i]) {
				return names[i+1]
			}
		}
		return ""
	}
	browser := first("Edg/", "Edge", "OPR/", "Opera", "Firefox/", "Firefox", "Chrome/", "Chrome", "Safari/", "Safari")
	system := first("Android", "Android", "iPhone", "iPhone", "iPad", "iPad", "Windows", "Windows", "Mac OS X", "macOS", "CrOS", "ChromeOS", "Linux", "Linux")
	if browser != "" && system != "" {
		return browser + " on " + system
	}
	return browser + system
}
