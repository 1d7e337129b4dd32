package api

import (
	"context"
	"time"
)

// SignIn is a browser that is signed in to a server's page. Its cookie and its
// key are known to the browser alone.
type SignIn struct {
	ID         string    `json:"id"`
	User       string    `json:"user"`
	Browser    string    `json:"browser"` // as far as the browser says; may be empty
	CreatedAt  time.Time `json:"created_at"`
	ExpiresAt  time.Time `json:"expires_at"`
	LastUsedAt time.Time `json:"last_used_at"`      // to the minute
	Current    bool      `json:"current,omitempty"` // it is the one that asks
}

// NewSignIn asks for a sign-in.
type NewSignIn struct {
	Token string `json:"token"` // or the code of a one-time link
}

// CreatedSignIn is a sign-in with its secrets, which are shown only now.
type CreatedSignIn struct {
	SignIn
	// Key goes along with each request of the page, in a header.
	Key string `json:"key"`
	// Cookie is for the browser to keep, out of reach of scripts.
	Cookie string `json:"-"`
}

// SignInKeeper lists and ends sign-ins: an admin all of them, others their own.
type SignInKeeper interface {
	// SignIns lists the caller's sign-ins that have not ended; all asks for
	// everybody's, which only admins may.
	SignIns(ctx context.Context, all bool) ([]SignIn, error)
	// EndSignIn acts at once; ending twice is not an error.
	EndSignIn(ctx context.Context, id string) error
}

// PageInfo is what a browser learns before it is signed in.
type PageInfo struct {
	SignIn string `json:"sign_in"` // what one signs in with: "token", or the "link" of a local page
	// Provider is the name of the OpenID provider at which one may sign in
	// instead, at /api/page/oidc; empty: none.
	Provider string `json:"provider,omitempty"`
	Desk     bool   `json:"desk,omitempty"` // it has the snapshots of the user's own machine
	Version  string `json:"version"`        // of the server
}
