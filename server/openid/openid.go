// Package openid signs people in at an OpenID Connect provider: authorization
// code with PKCE. It gets a name from the provider, and knows nothing of our
// users, their rights or their browsers.
package openid

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
)

const (
	// patience is the time limit of each request to the provider.
	patience = 10 * time.Second
	// retryAfter is how long a provider that could not be reached is not
	// contacted again. Otherwise everybody who opens the page would make the
	// server try.
	retryAfter = 3 * time.Second
)

// Provider is an OpenID Connect provider. Its addresses and keys are requested
// when first needed, so that a server can start without it.
type Provider struct {
	cfg    config.OpenID
	secret string // empty for a public client
	client *http.Client

	mu       sync.Mutex
	found    *oidc.Provider
	failedAt time.Time
}

// New returns the provider in cfg; nil if cfg has none.
func New(cfg config.OpenID, secret string) *Provider {
	if cfg.Issuer == "" {
		return nil
	}
	return &Provider{cfg: cfg, secret: secret, client: &http.Client{Timeout: patience}}
}

// Name is the provider's name for people.
func (p *Provider) Name() string {
	if p.cfg.Name != "" {
		return p.cfg.Name
	}
	u, err := url.Parse(p.cfg.Issuer)
	if err != nil {
		return "OpenID"
	}
	return u.Hostname()
}

// Flow is what a browser stores during a sign-in. It proves that start and end
// come from the same browser.
type Flow struct {
	State, Nonce, Verifier string
}

// Begin returns the address to redirect the browser to, and the flow for it to
// store. callback is the address that the provider redirects it back to.
func (p *Provider) Begin(ctx context.Context, callback string) (string, Flow, error) {
	found, err := p.discover(ctx)
	if err != nil {
		return "", Flow{}, err
	}
	f := Flow{State: rand.Text(), Nonce: rand.Text(), Verifier: oauth2.GenerateVerifier()}
	to := p.oauth(found, callback).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier))
	return to, f, nil
}

// Finish verifies the query with which the provider redirected the browser back,
// and returns the name of the user.
func (p *Provider) Finish(ctx context.Context, callback string, f Flow, query url.Values) (string, error) {
	if f.State == "" || subtle.ConstantTimeCompare([]byte(query.Get("state")), []byte(f.State)) != 1 {
		return "", refused(api.KindSignInMismatch, "this sign-in was begun in another browser, or too long ago", nil)
	}
	if query.Get("error") != "" || query.Get("code") == "" {
		return "", refused(api.KindProviderRefused, "the provider did not sign you in", nil)
	}
	found, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	// The answer must come from our provider (RFC 9207).
	if iss := query.Get("iss"); iss != "" && iss != p.cfg.Issuer {
		return "", refused(api.KindProviderRefused, "another provider has answered", nil)
	}
	ctx = oidc.ClientContext(ctx, p.client)
	token, err := p.oauth(found, callback).Exchange(ctx, query.Get("code"), oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return "", failed("the provider does not take the code", err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := found.Verifier(&oidc.Config{ClientID: p.cfg.ClientID}).Verify(ctx, raw)
	if err != nil {
		return "", failed("the provider's answer is not valid", err)
	}
	var parties struct {
		Authorized string `json:"azp"`
	}
	if err := id.Claims(&parties); err != nil {
		return "", failed("the provider's answer cannot be read", err)
	}
	if parties.Authorized != p.cfg.ClientID && (parties.Authorized != "" || len(id.Audience) > 1) {
		return "", refused(api.KindProviderRefused, "the provider's answer was made for another program", nil)
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(f.Nonce)) != 1 {
		return "", refused(api.KindSignInMismatch, "the provider's answer belongs to another sign-in", nil)
	}
	return p.name(ctx, found, id, token)
}

// name reads the claim with the user's name from the ID token, or otherwise from
// the provider's user info.
func (p *Provider) name(ctx context.Context, found *oidc.Provider, id *oidc.IDToken, token *oauth2.Token) (string, error) {
	var claims map[string]any
	if err := id.Claims(&claims); err != nil {
		return "", failed("the provider's answer cannot be read", err)
	}
	if _, ok := claims[p.cfg.Claim]; !ok && found.UserInfoEndpoint() != "" {
		info, err := found.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil {
			return "", failed("the provider does not say who you are", err)
		}
		if info.Subject != id.Subject {
			return "", refused(api.KindProviderRefused, "the provider's answers are about two people", nil)
		}
		claims = map[string]any{}
		if err := info.Claims(&claims); err != nil {
			return "", failed("the provider's answer cannot be read", err)
		}
	}
	name, _ := claims[p.cfg.Claim].(string)
	// Many providers accept any e-mail address: trust only verified ones.
	if p.cfg.Claim == "email" && claims["email_verified"] != true && claims["email_verified"] != "true" {
		return "", refused(api.KindClaimMissing, "the provider does not say that it has verified your e-mail address", nil)
	}
	if name == "" {
		return "", refused(api.KindClaimMissing, "the provider does not tell the claim '"+p.cfg.Claim+"'", nil)
	}
	if p.cfg.Claim == "email" {
		name = strings.ToLower(name) // addresses that differ in case are one
	}
	return name, nil
}

// discover returns the provider's addresses and keys.
func (p *Provider) discover(ctx context.Context) (*oidc.Provider, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.found != nil {
		return p.found, nil
	}
	if time.Since(p.failedAt) < retryAfter {
		return nil, unreachable(errors.New("it could not be reached a moment ago"))
	}
	// The provider outlives the request that needs it first.
	found, err := oidc.NewProvider(oidc.ClientContext(context.WithoutCancel(ctx), p.client), p.cfg.Issuer)
	if err != nil {
		p.failedAt = time.Now()
		return nil, unreachable(err)
	}
	p.found = found
	return found, nil
}

func (p *Provider) oauth(found *oidc.Provider, callback string) *oauth2.Config {
	scopes := strings.Fields(p.cfg.Scopes)
	if !slices.Contains(scopes, oidc.ScopeOpenID) {
		scopes = append([]string{oidc.ScopeOpenID}, scopes...)
	}
	return &oauth2.Config{ClientID: p.cfg.ClientID, ClientSecret: p.secret, Endpoint: found.Endpoint(), RedirectURL: callback, Scopes: scopes}
}

func refused(kind, message string, err error) error {
	return &api.Error{Code: api.CodeUnauthorized, Kind: kind, Message: message, Hint: "Begin again from the page.", Err: err}
}

func unreachable(err error) error {
	return &api.Error{Code: api.CodeUnavailable, Kind: api.KindProviderUnreachable, Message: "the sign-in provider cannot be reached",
		Hint: "Try again later.", Err: err}
}

// failed is refused, unless the network failed.
func failed(message string, err error) error {
	var network *url.Error
	if errors.As(err, &network) {
		return unreachable(err)
	}
	return refused(api.KindProviderRefused, message, err)
}
