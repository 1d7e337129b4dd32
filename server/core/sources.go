package core

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/fault"
	"github.com/agnes-data/da/source"
)

// tryTime is how long a source is tried: a little longer than the sources'
// connection timeouts.
const tryTime = 12 * time.Second

// Sources implements api.SourceAdmin.
func (s *Session) Sources(ctx context.Context) ([]api.SourceState, error) {
	return adminRead(s, func() ([]api.SourceState, error) { return s.core.TrySources(ctx), ctx.Err() })
}

// TrySources tries all sources at once, by name, and logs failures with their
// cause, which is never sent to another machine. It stores nothing, because a
// source that fails now may work later.
func (c *Core) TrySources(ctx context.Context) []api.SourceState {
	names := slices.Sorted(maps.Keys(c.sources))
	states := make([]api.SourceState, len(names))
	var wg sync.WaitGroup
	for i, name := range names {
		wg.Go(func() { states[i] = c.trySource(ctx, name) })
	}
	wg.Wait()
	return states
}

func (c *Core) trySource(ctx context.Context, name string) api.SourceState {
	state := api.SourceState{Name: name, Type: c.types[name], Status: api.SourceUntried}
	p, ok := c.sources[name].(source.Prober)
	if !ok {
		return state
	}
	err := tried(ctx, c.tryTime, p.Probe)
	if err == nil {
		state.Status = api.SourceReachable
		return state
	}
	if ctx.Err() != nil { // the caller has given up
		return state
	}
	seen := fault.Visible(err)
	body := seen.Body()
	state.Status, state.Failure, state.Err = api.SourceFailed, &body, seen
	c.troubled(err, "a source cannot be reached", "source", name, "type", state.Type)
	return state
}

// troubled logs a failure of a source, with the cause.
func (c *Core) troubled(err error, what string, where ...any) {
	body := fault.Visible(err).Body()
	c.log.Warn(what, append(where, "code", body.Code, "kind", body.Kind, "cause", fault.Cause(err), "hint", body.Hint)...)
}

// tried runs f with a time limit, even if f ignores its context.
func tried(ctx context.Context, most time.Duration, f func(context.Context) error) error {
	tooLong := &api.Error{Code: api.CodeSource, Kind: api.KindUnreachable, Message: fmt.Sprintf("the source did not answer within %s", most),
		Hint: "Check the address of the source, and that nothing between drops what is sent there."}
	ctx, cancel := context.WithTimeoutCause(ctx, most, tooLong)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f(ctx) }()
	var err error
	select {
	case err = <-done:
	case <-ctx.Done():
		err = ctx.Err()
	}
	if err != nil && errors.Is(context.Cause(ctx), tooLong) {
		return tooLong
	}
	return err
}
