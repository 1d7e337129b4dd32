package core

import (
	"context"
	"errors"
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
	err := source.Try(ctx, c.tryTime, p)
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

// silentLakes tries the lakes of tables at once, and returns those that do not answer.
func (c *Core) silentLakes(ctx context.Context, tables []*table) map[source.Source]bool {
	var (
		wg     sync.WaitGroup
		mu     sync.Mutex
		tried  = map[source.Source]bool{}
		silent = map[source.Source]bool{}
	)
	for _, t := range tables {
		p, ok := t.source.(source.Prober)
		if !ok || t.sourceType != api.SourceLake || tried[t.source] {
			continue
		}
		tried[t.source] = true
		wg.Go(func() {
			var e *api.Error
			if errors.As(source.Try(ctx, c.tryTime, p), &e) && e.Kind == api.KindUnreachable {
				mu.Lock()
				silent[p] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return silent
}

// troubled logs a failure of a source, with the cause.
func (c *Core) troubled(err error, what string, where ...any) {
	body := fault.Visible(err).Body()
	c.log.Warn(what, append(where, "code", body.Code, "kind", body.Kind, "cause", fault.Cause(err), "hint", body.Hint)...)
}
