package core

import (
	"context"
	"errors"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/state"
)

// Authenticate returns the owner of token, or a CodeUnauthorized error.
func (c *Core) Authenticate(ctx context.Context, token string) (Principal, error) {
	b, err := c.state.Authenticate(ctx, token)
	if err != nil {
		return Principal{}, c.refused("look up the token", err)
	}
	return principal(b), nil
}

// principal is the caller who has proved to be b.
func principal(b state.Bearer) Principal {
	return Principal{User: b.User, UserID: b.UserID, Admin: b.Admin, Folder: b.Folder}
}

// refused counts a refused log-in, and turns any other error into an internal
// one.
func (c *Core) refused(doing string, err error) error {
	var refused *api.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &refused):
		c.metrics.failedLogin(refused.Kind)
		return err
	}
	return internalError(doing, err)
}

// Ready returns an error if the state cannot be read, without which nobody is let in.
func (c *Core) Ready(ctx context.Context) error {
	err := c.state.Ready(ctx)
	var known *api.Error
	if err == nil || errors.As(err, &known) {
		return err
	}
	return internalError("read the state", err)
}

// Bootstrap creates the first admin on a state without tokens, and returns the
// token to be shown once; otherwise it returns "".
func (c *Core) Bootstrap(ctx context.Context) (token string, err error) {
	return c.state.Bootstrap(ctx)
}

// Left returns the caller's remaining quota and budget, for response headers.
func (c *Core) Left(ctx context.Context, p Principal) api.Remaining {
	s := &Session{core: c, who: p}
	if !s.bounded() {
		return api.Remaining{}
	}
	q, err := s.Quota(ctx)
	if err != nil {
		return api.Remaining{} // the answer itself matters more
	}
	return q.Remaining
}

// Answered counts an HTTP response. Routes and methods must come from short
// lists.
func (c *Core) Answered(route, method string, status int, took time.Duration) {
	c.metrics.answered(route, method, status, took)
}

// Metrics returns all figures in Prometheus' text format.
func (c *Core) Metrics() []byte { return c.metrics.Text() }
