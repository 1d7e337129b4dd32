package core

import (
	"context"
	"encoding/json"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/internal/words/lazyregexp"
)

// Principal is the caller of a request.
type Principal struct {
	// User is the name in logs and audit. UserID is the state's id of a served
	// user.
	User   string
	UserID int64
	// Folder is the name of the folder of a served user's conversations.
	Folder string
	// Admin can see every table and change the server's own state.
	Admin bool
	// Local is the user of an embedded server: budgets apply, quotas do not.
	Local bool
	// SignIn is the id of the browser's sign-in; empty for requests with a token.
	SignIn string
	Origin
}

// Origin is what a request says about its caller.
type Origin struct {
	// RequestID identifies the request in log and audit; one is generated if it
	// is empty.
	RequestID string
	// Agent is the calling program, if it says so.
	Agent string
	// MaxScanBytes, if not nil, limits what the request may read.
	MaxScanBytes *int64
	// Session is the name of the conversation; may be empty. SessionBudget limits
	// what it may read in total; nil means the server's default.
	Session       string
	SessionBudget *int64
}

// LocalAdmin is the user of an embedded server, who can read the instance file
// and therefore also its sources.
var LocalAdmin = Principal{User: "local", Admin: true, Local: true}

var (
	sessionPattern = lazyregexp.New(`^[A-Za-z0-9._:-]{1,128}$`)
	agentPattern   = lazyregexp.New(`^[A-Za-z0-9 ._:/()-]{1,64}$`)
)

// Check rejects an origin that the audit cannot store.
func (o Origin) Check() error {
	switch {
	case o.Session != "" && !sessionPattern().MatchString(o.Session):
		return &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadSession, Message: "the name of the session is not valid",
			Hint: "DA_SESSION is 1 to 128 letters, digits and . _ : -"}
	case o.Agent != "" && !agentPattern().MatchString(o.Agent):
		return &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadClient, Message: "the name of the calling program is not valid"}
	case o.MaxScanBytes != nil && *o.MaxScanBytes < 0, o.SessionBudget != nil && *o.SessionBudget < 0:
		return &api.Error{Code: api.CodeBadRequest, Kind: api.KindBadBudget, Message: "a budget cannot be negative"}
	}
	return nil
}

// owned returns a context in which the processes that the request needs belong to its
// caller. Served users share them.
func (s *Session) owned(ctx context.Context) context.Context {
	if s.who.Local {
		return ctx
	}
	return worker.For(ctx, s.who.User)
}

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
