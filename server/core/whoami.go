package core

import (
	"context"

	"github.com/agnes-data/da/api"
)

// Whoami implements api.Identifier.
func (s *Session) Whoami(context.Context) (*api.Identity, error) {
	return &api.Identity{User: s.who.User, Admin: s.who.Admin}, nil
}
