package api

import (
	"context"
	"time"
)

// SignIn is a browser session on a server's page. Only the browser has its cookie
// and its key.
type SignIn struct {
	ID         string    `json:"id"`
	User       string    `json:"user"`
	Browser    string    `json:"browser"` // as the browser reports it; may be empty
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
	LastUsedAt time.Time `json:"last_used_at"`      // to the minute
	Current    bool      `json:"current,omitempty"` // this is the sign-in of the request itself
}

// NewSignIn asks for a sign-in.
type NewSignIn struct {
	Token string `json:"token"` // or the code of a one-time link
}

// CreatedSignIn is a new sign-in with its secrets, which are shown only once.
type CreatedSignIn struct {
	SignIn
	// Key is sent in a header with each request of the page.
	Key string `json:"key"`
	// Cookie is stored by the browser, where scripts cannot read it.
	Cookie string `json:"-"`
}

// SignInKeeper lists and ends sign-ins. Admins manage all of them, other users
// their own.
type SignInKeeper interface {
	// SignIns lists the caller's active sign-ins. all lists those of every user;
	// only admins can ask for that.
	SignIns(ctx context.Context, all bool) ([]SignIn, error)
	// EndSignIn takes effect at once; ending a sign-in twice is not an error.
	EndSignIn(ctx context.Context, id string) error
}

// PageInfo is what a browser can read before it signs in.
type PageInfo struct {
	SignIn string `json:"sign_in"` // what one signs in with: "token", or the "link" of a local page
	// Provider is the name of the OpenID provider for signing in at
	// /api/page/oidc; empty if there is no provider.
	Provider string `json:"provider,omitempty"`
	Desk     bool   `json:"desk,omitempty"` // the page has the snapshots of the user's own machine
	Version  string `json:"version"`        // of the server
	Page     string `json:"page"`           // the version of the page, as in the paths of its files
}
