package httpapi

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/core"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/server/openid"
)

// The paths for starting a sign-in at a provider, and for returning from it.
const (
	openIDPath   = "/api/page/oidc"
	callbackPath = openIDPath + "/callback"
)

// flowLife is how many seconds a person has for signing in at a provider.
const flowLife = 600

// Fragments of the page after a sign-in at a provider; web/src/session.tsx reads
// them.
const (
	afterSignIn  = "/#signed-in"
	afterRefusal = "/#refused="
)

// provider returns the provider at which browsers can sign in.
func (c *call) provider() (*openid.Provider, error) {
	if c.router.provider == nil {
		return nil, errNoRoute
	}
	return c.router.provider, nil
}

// beginOpenID redirects a browser to the provider.
func (c *call) beginOpenID() error {
	if err := c.params(); err != nil {
		return err
	}
	p, err := c.provider()
	if err != nil {
		return err
	}
	if err := navigated(c.r); err != nil {
		return err
	}
	to, flow, err := p.Begin(c.r.Context(), c.callback())
	if err != nil {
		return c.refuseOpenID(err)
	}
	data, err := json.Marshal(flow)
	if err != nil {
		return err
	}
	c.setFlow(base64.RawURLEncoding.EncodeToString(data), flowLife)
	return c.send(to)
}

// finishOpenID creates a sign-in for a browser that returns from the provider.
// The page then requests the key, so that no URL contains a secret.
func (c *call) finishOpenID() error {
	p, err := c.provider()
	if err != nil {
		return err
	}
	if err := navigated(c.r); err != nil {
		return err
	}
	flow := c.flow()
	c.setFlow("", -1)
	ctx, from := c.r.Context(), c.origin()
	name, err := p.Finish(ctx, c.callback(), flow, c.r.URL.Query())
	// Nothing can be guessed here, so failures do not count as wrong tokens do: anybody
	// could lock out others with them. They are only audited no more often than those.
	if err != nil && c.router.guard.spare("oidc "+c.router.addressOf(c.r)) {
		err = c.router.backend.RefuseSignIn(ctx, from, err)
	}
	if err != nil {
		return c.refuseOpenID(err)
	}
	made, err := c.router.backend.SignInAs(ctx, from, name, browserName(c.r.UserAgent()))
	if err != nil {
		return c.refuseOpenID(err)
	}
	c.w.user = made.User
	c.setCookie(made)
	return c.send(afterSignIn)
}

// navigated rejects requests that a browser does not make to show a page, such as for
// an image in another site's page.
func navigated(r *http.Request) error {
	if to := r.Header.Get("Sec-Fetch-Dest"); to != "" && to != "document" {
		return errCrossOrigin
	}
	return nil
}

// claimSignIn returns the key of the sign-in that the provider made.
func (c *call) claimSignIn() error {
	if err := c.params(); err != nil {
		return err
	}
	if err := sameOrigin(c.r); err != nil {
		return err
	}
	made, err := c.router.backend.ClaimSignIn(c.r.Context(), c.cookie(cookieName(c.r)))
	if err != nil {
		return err
	}
	c.w.user = made.User
	return c.w.json(http.StatusCreated, made)
}

// refuseOpenID tells the page why there is no sign-in. The page has its own words
// for each kind, so that a link cannot inject text.
func (c *call) refuseOpenID(err error) error {
	var known *api.Error
	if !errors.As(err, &known) {
		return err
	}
	c.router.log.Warn("sign-in refused", "kind", known.Kind, "cause", api.Clip(fault.Cause(err), 500), "request_id", c.w.id)
	return c.send(afterRefusal + url.QueryEscape(known.Kind))
}

// send redirects the browser.
func (c *call) send(to string) error {
	secureHeaders(c.w.Header())
	c.w.Header().Set("Location", to)
	c.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// callback is the address that the provider redirects browsers to. The provider
// knows the allowed addresses, so a forged Host header is useless.
func (c *call) callback() string {
	scheme := "http"
	if secure(c.r) {
		scheme = "https"
	}
	return scheme + "://" + c.r.Host + callbackPath
}

// flowCookie is the name of the cookie for a sign-in in progress.
func (c *call) flowCookie() string { return cookieName(c.r) + "-oidc" }

// setFlow stores a flow in a cookie. The cookie must be sent when the provider's
// page redirects back, so it cannot be strict. Its prefix keeps other hosts from
// setting it.
func (c *call) setFlow(value string, life int) {
	http.SetCookie(c.w, &http.Cookie{
		Name: c.flowCookie(), Value: value, Path: "/", MaxAge: life, HttpOnly: true, Secure: secure(c.r), SameSite: http.SameSiteLaxMode,
	})
}

// flow returns the browser's flow; empty if it has none.
func (c *call) flow() (f openid.Flow) {
	data, err := base64.RawURLEncoding.DecodeString(c.cookie(c.flowCookie()))
	if err != nil || json.Unmarshal(data, &f) != nil {
		return openid.Flow{}
	}
	return f
}

// cookie returns the value of a cookie; "" if it is missing or too long.
func (c *call) cookie(name string) string {
	v, err := c.r.Cookie(name)
	if err != nil || len(v.Value) > maxToken {
		return ""
	}
	return v.Value
}

// origin is what the audit records for a browser that is not signed in yet.
func (c *call) origin() core.Origin { return core.Origin{RequestID: c.w.id, Agent: pageAgent} }

// pageAgent is the page's name in the audit, as in web/src/api.ts.
const pageAgent = "page"
