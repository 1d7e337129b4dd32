package api

import "context"

// Identity is the caller as the server sees it: the answer of GET /api/v2/whoami.
type Identity struct {
	User  string `json:"user"`
	Admin bool   `json:"admin"`
}

// Identifier tells callers who they are.
type Identifier interface {
	// Whoami returns the caller, or a CodeUnauthorized error.
	Whoami(ctx context.Context) (*Identity, error)
}
