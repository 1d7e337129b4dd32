package httpapi

import (
	"context"
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

// Where browsers sign in at a provider, and come back from it.
const (
	openIDPath   = "/api/page/oidc"
	callbackPath = openIDPath + "/callback"
)

// flowLife is how many seconds a person has to sign in at a provider.
const flowLife = 600

// Fragments of the page after a sign-in at a provider; web/src/session.tsx reads
// them.
const (
	afterSignIn  = "/#signed-in"
	afterRefusal = "/#refused="
)

// provider returns the provider at which browsers may sign in.
func (c *call) provider() (*openid.Provider, error) {
	if c.router.provider == nil {
		return nil, errNoRoute
	}
	return c.router.provider, nil
}

// beginOpenID sends a browser to the provider.
func (c *call) beginOpenID() error {
	if err := c.params(); err != nil {
		return err
	}
	p, err := c.provider()
	if err != nil {
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

// finishOpenID makes a sign-in for the browser that the provider has sent back.
// The page asks for the key: no secret is in an address.
func (c *call) finishOpenID() error {
	p, err := c.provider()
	if err != nil {
		return err
	}
	flow := c.flow()
	c.setFlow("", -1)
	from, browser := c.origin(), browserName(c.r.UserAgent())
	var made *api.CreatedSignIn
	// What came back counts as a token: whoever tries codes is slowed down.
	_, err = c.router.guard.check(c.r.Context(), addressOf(c.r), flow.State, func(ctx context.Context, _ string) (core.Principal, error) {
		name, err := p.Finish(ctx, c.callback(), flow, c.r.URL.Query())
		if err != nil {
			return core.Principal{}, c.router.backend.RefuseSignIn(ctx, from, err)
		}
		made, err = c.router.backend.SignInAs(ctx, from, name, browser)
		return core.Principal{}, err
	})
	if err != nil {
		return c.refuseOpenID(err)
	}
	c.w.user = made.User
	c.setCookie(made)
	return c.send(afterSignIn)
}

// claimSignIn gives the page the key of the sign-in that the provider made.
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

// refuseOpenID shows a person why there is no sign-in: the page has words for each
// kind, so that a link can put no text of its own there.
func (c *call) refuseOpenID(err error) error {
	var known *api.Error
	if !errors.As(err, &known) {
		return err
	}
	c.router.log.Warn("sign-in refused", "kind", known.Kind, "cause", api.Clip(fault.Cause(err), 500), "request_id", c.w.id)
	return c.send(afterRefusal + url.QueryEscape(known.Kind))
}

// send sends the browser elsewhere.
func (c *call) send(to string) error {
	secureHeaders(c.w.Header())
	c.w.Header().Set("Location", to)
	c.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// callback is the address that the provider sends browsers back to. The provider
// knows which ones are ours: a made-up Host leads nowhere.
func (c *call) callback() string {
	scheme := "http"
	if secure(c.r) {
		scheme = "https"
	}
	return scheme + "://" + c.r.Host + callbackPath
}

// flowCookie is the name of the cookie of a sign-in that is under way.
func (c *call) flowCookie() string { return cookieName(c.r) + "-oidc" }

// setFlow keeps a flow in the browser. It has to come along from the provider's
// page, so that the cookie is not strict; with its prefix, no other host can set it.
func (c *call) setFlow(value string, life int) {
	http.SetCookie(c.w, &http.Cookie{
		Name: c.flowCookie(), Value: value, Path: "/", MaxAge: life, HttpOnly: true, Secure: secure(c.r), SameSite: http.SameSiteLaxMode,
	})
}

// flow is that of the browser; an empty one if it has none.
func (c *call) flow() (f openid.Flow) {
	data, err := base64.RawURLEncoding.DecodeString(c.cookie(c.flowCookie()))
	if err != nil || json.Unmarshal(data, &f) != nil {
		return openid.Flow{}
	}
	return f
}

// cookie is the value of a cookie; empty if there is none or it is too long.
func (c *call) cookie(name string) string {
	v, err := c.r.Cookie(name)
	if err != nil || len(v.Value) > maxToken {
		return ""
	}
	return v.Value
}

// origin is what the audit keeps of a browser that is not signed in yet.
func (c *call) origin() core.Origin { return core.Origin{RequestID: c.w.id, Agent: pageAgent} }

// pageAgent is what the page calls itself in the audit; web/src/api.ts.
const pageAgent = "page"
