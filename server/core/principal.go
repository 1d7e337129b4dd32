package core

import (
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/lazyregexp"
)

// Principal is who is asking, and how.
type Principal struct {
	// User names the caller in logs and audit; UserID is the state's number of
	// a served user.
	User   string
	UserID int64
	// Admin may see every table and change the server's own state.
	Admin bool
	// Local is the user of an embedded server: quotas do not bind, budgets do.
	Local bool
	// SignIn is the id of the browser's sign-in; empty: it asks with a token.
	SignIn string
	Origin
}

// Origin is what a request says about where it comes from.
type Origin struct {
	// RequestID names the request in log and audit; empty: one is made.
	RequestID string
	// Agent is the program that called, as far as it says so.
	Agent string
	// MaxScanBytes, if not nil, refuses what reads more.
	MaxScanBytes *int64
	// Session names the conversation; empty: none. SessionBudget is what it may
	// read in all; nil: the server's default.
	Session       string
	SessionBudget *int64
}

// LocalAdmin is the user of an embedded server: anyone who can read the instance
// file can read its sources too.
var LocalAdmin = Principal{User: "local", Admin: true, Local: true}

var (
	sessionPattern = lazyregexp.New(`^[A-Za-z0-9._:-]{1,128}$`)
	agentPattern   = lazyregexp.New(`^[A-Za-z0-9 ._:/()-]{1,64}$`)
)

// Check refuses an origin that the audit cannot hold.
func (o Origin) Check() error {
	switch {
	case o.Session != "" && !sessionPattern().MatchString(o.Session):
		return &api.Error{Code: api.CodeBadRequest, Kind: "bad_session", Message: "the name of the session is not valid",
			Hint: "DA_SESSION is 1 to 128 letters, digits and . _ : -"}
	case o.Agent != "" && !agentPattern().MatchString(o.Agent):
		return &api.Error{Code: api.CodeBadRequest, Kind: "bad_client", Message: "the name of the calling program is not valid"}
	case o.MaxScanBytes != nil && *o.MaxScanBytes < 0, o.SessionBudget != nil && *o.SessionBudget < 0:
		return &api.Error{Code: api.CodeBadRequest, Kind: "bad_budget", Message: "a budget cannot be negative"}
	}
	return nil
}
