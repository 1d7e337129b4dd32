package core

import (
	"context"

	"github.com/agnes-data/da/api"
)

// requireUser returns a CodeUnauthorized error if the caller was deleted after they had
// proved who they are: another user may have their name by now.
func (s *Session) requireUser(ctx context.Context) error {
	if s.who.Local {
		return nil
	}
	return stateError(s.core.state.RequireUser(ctx, s.who.UserID))
}

// Whoami implements api.Identifier.
func (s *Session) Whoami(ctx context.Context) (*api.Identity, error) {
	if err := s.requireUser(ctx); err != nil {
		return nil, err
	}
	return &api.Identity{User: s.who.User, Admin: s.who.Admin}, nil
}
