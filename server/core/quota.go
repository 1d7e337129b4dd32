package core

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/purse"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source"
)

// bounds returns the limits that apply to the caller.
func (s *Session) bounds() state.Limits {
	var l state.Limits
	if !s.who.Local {
		l = s.core.userLimits()
	}
	if l.Session = s.who.Session; l.Session != "" {
		l.SessionBudget = s.core.limits.Scan.MaxSessionBytes
		if s.who.SessionBudget != nil {
			l.SessionBudget = max(1, *s.who.SessionBudget) // to the state, 0 would mean no limit; 1 byte is too little for any answer
		}
	}
	return l
}

// userLimits returns the limits for every user of a server. In the instance file,
// a daily quota of 0 forbids everything.
func (c *Core) userLimits() state.Limits {
	return state.Limits{Daily: max(1, c.limits.Scan.MaxDailyBytesPerUser), Running: c.limits.Scan.MaxConcurrentPerUser}
}

// bounded reports whether a limit applies to the caller, so that the cost of a
// request must be known before it runs.
func (s *Session) bounded() bool {
	return !s.who.Local || s.who.MaxScanBytes != nil || s.who.Session != ""
}

// admit reserves what a request may use while it runs, or refuses it. Unknown
// figures in est count as the maximum possible.
func (s *Session) admit(ctx context.Context, r *record, est *api.Estimate) error {
	r.event.Data.EstimatedBytes, r.ceiling = est.ScanBytes, est.BilledBytes
	if err := s.affordable(est); err != nil {
		return err
	}
	if !s.counted() {
		return nil
	}
	demand := s.demand(r, s.core.limits.Scan.MaxResultBytes)
	demand.Grows = est.ResultBytes == nil
	if est.ResultBytes != nil {
		demand.ResultBytes = min(demand.ResultBytes, max(0, *est.ResultBytes))
	}
	if est.BilledBytes != nil {
		demand.ScanBytes, r.bills = *est.BilledBytes, *est.BilledBytes
	}
	demand.SessionBytes, demand.SessionByResult = demand.ResultBytes, true
	if est.ScanBytes != nil {
		demand.SessionBytes, demand.SessionByResult = *est.ScanBytes, false
	}
	lease, err := s.core.state.Reserve(ctx, demand)
	if err != nil {
		return err
	}
	r.lease, r.runs = lease, true
	s.core.metrics.running(s.who, 1)
	return nil
}

// admitPart reserves n bytes of a file while they are sent. Parts take no slot,
// because clients fetch several at once.
func (s *Session) admitPart(ctx context.Context, r *record, n int64) error {
	if !s.counted() {
		return nil
	}
	demand := s.demand(r, n)
	demand.Slotless, demand.SessionBytes, demand.SessionByResult = true, n, true
	lease, err := s.core.state.Reserve(ctx, demand)
	var refused *api.Error
	if errors.As(err, &refused) && refused.Code == api.CodeQuota {
		refused.Hint = "Sync again when the day is over."
		refused.Next = []api.Step{state.SeeQuota, api.Do(api.ActionSync, "go on where it stopped")}
	}
	r.lease = lease
	return err
}

// counted reports whether the caller's usage is limited.
func (s *Session) counted() bool { return !s.who.Local || s.who.Session != "" }

// demand is the maximum that each request of the caller may use.
func (s *Session) demand(r *record, resultBytes int64) state.Demand {
	limits := s.bounds()
	return state.Demand{
		Subject: s.who.User, ResultBytes: resultBytes, MaxRunning: limits.Running, MaxDaily: limits.Daily,
		Session: limits.Session, SessionBudget: limits.SessionBudget, Event: r.event,
	}
}

// account says on whose behalf a source works. It may bill at most what was
// reserved, so that a wrong estimate costs nothing.
func (s *Session) account(r *record) source.Account {
	return source.Account{MaxBilledBytes: r.ceiling, User: s.who.User, Agent: s.who.Agent, Session: s.who.Session,
		RequestID: r.event.RequestID}
}

// affordable compares the cost with the caller's limit for one request. An
// unknown cost counts as too much.
func (s *Session) affordable(est *api.Estimate) error {
	most := s.who.MaxScanBytes
	switch {
	case most == nil || est.ScanBytes != nil && *est.ScanBytes <= *most:
		return nil
	case est.ScanBytes == nil:
		return &api.Error{Code: api.CodeBudget, Kind: api.KindRequestBytes,
			Message: "the size of this scan is unknown, and at most " + fmt.Sprint(*most) + " bytes are allowed",
			Next: []api.Step{api.Set(api.OptionMaxScanBytes, "allow more"), api.Unset(api.OptionMaxScanBytes, "run it at any cost"),
				state.SeeQuota},
			Details: map[string]any{"current": nil, "limit": *most, "retry_after_seconds": 0}}
	}
	return &api.Error{Code: api.CodeBudget, Kind: api.KindRequestBytes,
		Message: fmt.Sprintf("this would read %d bytes, and at most %d are allowed", *est.ScanBytes, *most),
		Hint:    "Ask for fewer columns or rows.",
		Next:    []api.Step{api.Set(api.OptionMaxScanBytes, "allow more"), state.SeeQuota},
		Details: map[string]any{"current": *est.ScanBytes, "limit": *most, "retry_after_seconds": 0}}
}

// Quota implements api.Meter.
func (s *Session) Quota(ctx context.Context) (*api.QuotaStatus, error) {
	q, err := s.core.state.Quota(ctx, s.who.User, s.bounds())
	if err != nil {
		return nil, internalError("read the quota", err)
	}
	if !s.who.Local { // whose model is not the instance's
		s.core.addModel(ctx, q, s.Folder())
	}
	return q, nil
}

// addModel says what the server's model has cost a user today, whose folder of
// conversations has this name. A record that cannot be read leaves nothing to spend.
// That of a deleted user, who has no folder, is gone.
func (c *Core) addModel(ctx context.Context, q *api.QuotaStatus, folder string) {
	if folder == "" || c.model.Provider == "" || c.model.InputPrice+c.model.OutputPrice == 0 {
		return
	}
	spent, err := purse.Read(state.UserFolder(c.stateDir, folder), c.now())
	var shared int64 // of servers that have their conversations in common
	if err == nil {
		_, shared, err = c.state.ModelCost(ctx, folder)
	}
	cost := float64(spent.Cost+shared) / 1e9
	if err != nil {
		c.log.Error("cannot read what the model has cost a user", "user", q.User, "cause", err)
		cost = c.model.DayBudget
	}
	q.ModelCost = &cost
	if most := c.model.DayBudget; most > 0 {
		left := max(0, most-cost)
		q.ModelCostLimit, q.ModelCostLeft = &most, &left
	}
}

// withModels adds to a list of quotas, which it orders by user, those of users
// whom only the model has cost something today.
func (c *Core) withModels(ctx context.Context, list []api.QuotaStatus) ([]api.QuotaStatus, error) {
	users, err := c.state.Users(ctx)
	if err != nil {
		return nil, err
	}
	for i := range list {
		folder, err := c.state.Folder(ctx, list[i].User)
		if err != nil {
			return nil, err
		}
		c.addModel(ctx, &list[i], folder)
	}
	for _, u := range users {
		if slices.ContainsFunc(list, func(q api.QuotaStatus) bool { return q.User == u.Name }) {
			continue
		}
		folder, err := c.state.Folder(ctx, u.Name)
		if err != nil {
			return nil, err
		}
		q, err := c.state.Quota(ctx, u.Name, c.userLimits())
		if err != nil {
			return nil, err
		}
		if c.addModel(ctx, q, folder); q.ModelCost != nil && *q.ModelCost > 0 {
			list = append(list, *q)
		}
	}
	slices.SortFunc(list, func(a, b api.QuotaStatus) int { return strings.Compare(a.User, b.User) })
	return list, nil
}
