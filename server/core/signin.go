package core

import (
	"context"

	"github.com/agnes-data/da/api"
)

// SignIn creates a sign-in for the bearer of a token.
func (c *Core) SignIn(ctx context.Context, from Origin, token, browser string) (*api.CreatedSignIn, error) {
	return c.signIn(ctx, from, "token", "", func() (*api.CreatedSignIn, error) {
		made, _, err := c.state.SignIn(ctx, token, browser)
		return made, err
	})
}

// SignInAs creates a sign-in for the user that an OpenID provider identified by
// name. It has no key until its browser claims one.
func (c *Core) SignInAs(ctx context.Context, from Origin, name, browser string) (*api.CreatedSignIn, error) {
	return c.signIn(ctx, from, "oidc", name, func() (*api.CreatedSignIn, error) { return c.state.SignInAs(ctx, name, browser) })
}

// RefuseSignIn audits that a sign-in at a provider failed, and returns err.
func (c *Core) RefuseSignIn(ctx context.Context, from Origin, err error) error {
	_, err = c.signIn(ctx, from, "oidc", "", func() (*api.CreatedSignIn, error) { return nil, err })
	return err
}

// ClaimSignIn returns the key of a sign-in to the browser that has its cookie,
// once.
func (c *Core) ClaimSignIn(ctx context.Context, cookie string) (*api.CreatedSignIn, error) {
	made, err := c.state.ClaimSignIn(ctx, cookie)
	return made, c.refused("claim the sign-in", err)
}

// signIn creates a sign-in and audits it, even if it was refused. name is the
// name that a provider vouched for, if there is one.
func (c *Core) signIn(ctx context.Context, from Origin, with, name string,
	create func() (*api.CreatedSignIn, error)) (*api.CreatedSignIn, error) {
	r := c.As(Principal{Origin: from}).begin(api.EventSignIn, "")
	r.event.Data.Action, r.event.Data.Subject = with, api.Clip(name, 200)
	made, err := create()
	if err == nil {
		r.event.User, r.event.Data.Subject = made.User, made.ID
	}
	if err := r.end(ctx, c.refused("sign in", err)); err != nil {
		return nil, err
	}
	return made, nil
}

// SignedIn returns the signed-in user, or a CodeUnauthorized error.
func (c *Core) SignedIn(ctx context.Context, cookie, key string) (Principal, error) {
	b, id, err := c.state.SignedIn(ctx, cookie, key)
	if err != nil {
		return Principal{}, c.refused("look up the sign-in", err)
	}
	p := principal(b)
	p.SignIn = id
	return p, nil
}

// SignIns returns the service with which p manages sign-ins.
func (c *Core) SignIns(p Principal) api.SignInKeeper { return c.As(p) }

// Entry says that browsers sign in with tokens.
func (c *Core) Entry() string { return "token" }

// SignIns implements api.SignInKeeper.
func (s *Session) SignIns(ctx context.Context, all bool) ([]api.SignIn, error) {
	user := s.who.User
	if all {
		if err := s.onlyAdmins(); err != nil {
			return nil, err
		}
		user = ""
	}
	list, err := s.core.state.SignIns(ctx, user)
	for i := range list {
		list[i].Current = list[i].ID == s.who.SignIn
	}
	return list, stateError(err)
}

// EndSignIn implements api.SignInKeeper.
func (s *Session) EndSignIn(ctx context.Context, id string) error {
	if !s.who.Admin || id == s.who.SignIn {
		return stateError(s.core.state.EndSignIn(ctx, s.who.User, id))
	}
	return s.administer(ctx, "sign_in_end", id, func(ctx context.Context) error { return s.core.state.EndSignIn(ctx, "", id) })
}
