package httpapi

import (
	"context"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/server/core"
)

// Browsers authenticates browsers by a cookie, which scripts cannot read, and a
// key in a header, which other origins and other ports of the host cannot know.
// Both are required.
type Browsers interface {
	// SignIn creates a sign-in for the bearer of token, or returns a
	// CodeUnauthorized error. It can be called again.
	SignIn(ctx context.Context, from core.Origin, token, browser string) (*api.CreatedSignIn, error)
	// SignInAs creates a sign-in for the user that a provider identified by name.
	// Its browser claims the key later.
	SignInAs(ctx context.Context, from core.Origin, name, browser string) (*api.CreatedSignIn, error)
	// RefuseSignIn audits that a sign-in at a provider failed, and returns err.
	RefuseSignIn(ctx context.Context, from core.Origin, err error) error
	// ClaimSignIn returns the key to the browser, once, or a CodeUnauthorized
	// error.
	ClaimSignIn(ctx context.Context, cookie string) (*api.CreatedSignIn, error)
	// SignedIn returns the signed-in user, or a CodeUnauthorized error.
	SignedIn(ctx context.Context, cookie, key string) (core.Principal, error)
	// SignIns returns the service with which p manages sign-ins.
	SignIns(p core.Principal) api.SignInKeeper
	// Entry says what a browser needs to sign in: EntryToken or EntryLink.
	Entry() string
}

// What a browser needs to sign in.
const (
	EntryToken = "token" // a user's token
	EntryLink  = "link"  // the code from a one-time link
)

// caller returns the caller of a request: the bearer of its token, or the user
// signed in with its browser. A request with a sign-in's key comes from our page,
// because a form or an image on another site cannot set the header.
func (h *router) caller(r *http.Request) (core.Principal, error) {
	if r.Header.Get("Authorization") == "" && r.Header.Get(wire.HeaderPageKey) != "" {
		return h.signedIn(r)
	}
	token, err := bearer(r)
	if err != nil {
		return core.Principal{}, err
	}
	return h.guard.check(r.Context(), h.addressOf(r), token, h.backend.Authenticate)
}

// signedIn returns the user signed in with the browser that sends r. Failures are
// not counted: cookies are too long to guess, and when a sign-in ends, a page
// open in many tabs would otherwise lock out other users.
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

// sameOrigin rejects requests that another site's page makes a browser send.
// Browsers report the site; older ones report the origin.
func sameOrigin(r *http.Request) error {
	site, origin := r.Header.Get("Sec-Fetch-Site"), r.Header.Get("Origin")
	if site == "same-origin" || site == "" && origin == "" {
		return nil
	}
	if u, err := url.Parse(origin); site == "" && err == nil && strings.EqualFold(u.Host, r.Host) {
		return nil
	}
	return errCrossOrigin
}

var errCrossOrigin = &api.Error{Code: api.CodeForbidden, Kind: api.KindCrossOrigin, Message: "the request comes from another site's page",
	Hint: "Open the page of this server itself."}

// secure reports whether the cookie may travel over TLS only: everywhere except
// on this machine. A proxy in front of the server terminates TLS and keeps the
// host name.
func secure(r *http.Request) bool {
	if r.TLS != nil {
		return true
	}
	return !isLoopback(r.Host)
}

// isLoopback reports whether a host, with or without a port, is this machine.
func isLoopback(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// cookieName is the name of the cookie at this address. The ports of a host share
// their cookies, so each port uses its own name. With the prefix, a browser
// accepts the cookie from this host only.
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

// setCookie sets the browser's cookie; an empty one deletes it.
func (c *call) setCookie(made *api.CreatedSignIn) {
	cookie := &http.Cookie{
		Name: cookieName(c.r), Path: "/", HttpOnly: true, Secure: secure(c.r), SameSite: http.SameSiteStrictMode, MaxAge: -1,
	}
	if made != nil {
		cookie.Value, cookie.MaxAge = made.Cookie, max(1, int(made.ExpiresAt.Sub(made.CreatedAt).Seconds()))
	}
	http.SetCookie(c.w, cookie)
}

// signIn creates a sign-in. It ends the browser's previous one, whose cookie is
// useless to this browser but could be useful to somebody else.
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
		return badBody(api.KindTokenMissing, "the token is missing, or too long to be one")
	}
	var made *api.CreatedSignIn
	who, err := c.router.guard.check(c.r.Context(), c.router.addressOf(c.r), req.Token,
		func(ctx context.Context, token string) (who core.Principal, err error) {
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

// addressOf returns the address that a request comes from. What a proxy says counts if
// the operator has named it: the last address that is not a proxy's.
func (h *router) addressOf(r *http.Request) string {
	address, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	said := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	for i := len(said) - 1; i >= 0 && h.isProxy(address); i-- {
		from, err := netip.ParseAddr(strings.TrimSpace(said[i]))
		if err != nil {
			break
		}
		address = from.Unmap().String()
	}
	return address
}

func (h *router) isProxy(address string) bool {
	ip, err := netip.ParseAddr(address)
	return err == nil && slices.ContainsFunc(h.proxies, func(p netip.Prefix) bool { return p.Contains(ip.Unmap()) })
}

// browserName derives browser and system from a header, so that users can tell
// their sign-ins apart. The result consists only of our own words.
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
	system := first("Android", "Android", "iPhone", "iPhone", "iPad", "iPad", "Windows", "Windows", "Mac OS X", "macOS", "CrOS", "ChromeOS",
		"Linux", "Linux")
	if browser != "" && system != "" {
		return browser + " on " + system
	}
	return browser + system
}
