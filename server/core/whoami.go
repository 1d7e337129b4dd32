package core

import (
	"context"
	"encoding/json"

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

// Access identifies what a principal may read now: it changes with their grants
// and with the tables that are registered. It does not change with the tables'
// contents.
func (c *Core) Access(ctx context.Context, p Principal) (string, error) {
	v, err := c.As(p).readRights(ctx)
	if err != nil {
		return "", err
	}
	said := []any{p.Admin}
	for _, t := range v.mine() {
		if c.byID[t.ID] == nil || len(v.grants[t.ID]) > 0 {
			said = append(said, t.ID, t.Source, t.Relation, t.Public, v.grants[t.ID])
		}
	}
	text, err := json.Marshal(said)
	if err != nil {
		return "", internalError("write the grants", err)
	}
	return c.state.Hash("access", string(text)), nil
}
