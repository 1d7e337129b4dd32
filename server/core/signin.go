package core

import (
	"context"

	"github.com/agnes-data/da/api"
)

// SignIn makes a sign-in for the bearer of a token.
func (c *Core) SignIn(ctx context.Context, token, browser string) (*api.CreatedSignIn, error) {
	made, _, err := c.state.SignIn(ctx, token, browser)
	return made, c.refused("sign in", err)
}

// SignedIn returns who has signed in, or a CodeUnauthorized error.
func (c *Core) SignedIn(ctx context.Context, cookie, key string) (Principal, error) {
	b, id, err := c.state.SignedIn(ctx, cookie, key)
	if err != nil {
		return Principal{}, c.refused("look up the sign-in", err)
	}
	return Principal{User: b.User, UserID: b.UserID, Admin: b.Admin, SignIn: id}, nil
}

// SignIns returns what p may do about sign-ins.
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
	return list, known(err)
}

// EndSignIn implements api.SignInKeeper.
func (s *Session) EndSignIn(ctx context.Context, id string) error {
	if !s.who.Admin || id == s.who.SignIn {
		return known(s.core.state.EndSignIn(ctx, s.who.User, id))
	}
	return s.administer(ctx, "sign_in_end", id, func(ctx context.Context) error { return s.core.state.EndSignIn(ctx, "", id) })
}
