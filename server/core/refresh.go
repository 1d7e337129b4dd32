package core

import (
	"context"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/fault"
)

// refreshRetry is the delay before a failed scheduled refresh is retried.
const refreshRetry = time.Minute

// RefreshTable implements api.TableAdmin. Files for users with row rules are
// checked when those users next ask.
func (s *Session) RefreshTable(ctx context.Context, id string) (out *api.RefreshedTable, err error) {
	err = s.administer(ctx, "table_refresh", id, func(ctx context.Context) error {
		v, err := s.readRights(ctx)
		if err != nil {
			return err
		}
		p, err := v.authorise(ctx, id)
		if err != nil {
			return err
		}
		if p.QueryMode != api.ModeLocal {
			return notForSync(id)
		}
		out, err = s.core.refresh(ctx, p.table)
		return err
	})
	return out, err
}

// refresh asks the source for a table again, and returns the result.
func (c *Core) refresh(ctx context.Context, t *table) (*api.RefreshedTable, error) {
	rel := t.unrestricted()
	before, there := c.files.Current(t.ID, cacheKey(t, rel, ""))
	if err := c.files.Invalidate(t.ID); err != nil {
		return nil, internalError("ask for "+t.ID+" anew", err)
	}
	m, err := c.fileOf(ctx, t, rel)
	if err != nil {
		return nil, err
	}
	c.forgetTable(t.ID)
	return &api.RefreshedTable{SyncTable: m.SyncTable, Changed: !there || before.XXH3 != m.XXH3, MadeAt: m.MadeAt}, nil
}

// KeepFresh refreshes the files of tables with a schedule, until ctx is done.
// Several processes can do so on one state: each finds fresh what another has
// refreshed.
func (c *Core) KeepFresh(ctx context.Context) {
	var wg sync.WaitGroup
	for _, t := range c.byID {
		if t.QueryMode == api.ModeLocal && t.RefreshEvery > 0 {
			wg.Go(func() { c.keepFresh(ctx, t) })
		}
	}
	wg.Wait()
}

// settleEvery and the time of a lease are at most a minute together.
const settleEvery = 10 * time.Second

// KeepSettled charges what servers on this state had delivered before they died,
// until ctx is done.
func (c *Core) KeepSettled(ctx context.Context) {
	tick := time.NewTicker(settleEvery)
	defer tick.Stop()
	for {
		if err := c.state.Bury(ctx); err != nil && ctx.Err() == nil {
			c.log.Error("what ended servers had delivered cannot be charged", "cause", fault.Cause(err))
		}
		c.shared.sweep(ctx)
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

func (c *Core) keepFresh(ctx context.Context, t *table) {
	rel := t.unrestricted()
	last := ""
	for ctx.Err() == nil {
		var wait time.Duration
		m, err := c.fileOf(ctx, t, rel) // asks the source only if the schedule says so
		switch {
		case ctx.Err() != nil:
			return
		case err != nil:
			c.log.Error("a scheduled refresh failed", "table", t.ID, "cause", fault.Cause(err))
			wait = min(t.RefreshEvery, refreshRetry)
		default:
			if last != "" && last != m.XXH3 {
				c.forgetTable(t.ID)
			}
			last = m.XXH3
			wait = m.CheckedAt.Add(t.RefreshEvery).Sub(c.now())
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}
