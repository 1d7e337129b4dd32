package core

import (
	"context"
	"errors"
	"fmt"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/server/state"
	"github.com/agnes-data/da/source"
)

// bounds are the limits that bind the caller.
func (s *Session) bounds() state.Limits {
	var l state.Limits
	if !s.who.Local {
		l = s.core.userLimits()
	}
	if l.Session = s.who.Session; l.Session != "" {
		l.SessionBudget = s.core.limits.Scan.MaxSessionBytes
		if s.who.SessionBudget != nil {
			l.SessionBudget = max(1, *s.who.SessionBudget) // 0 bytes are one too few for anything
		}
	}
	return l
}

// userLimits are those that bind every user of a server. In the instance file, a
// daily quota of 0 means that nothing may be had.
func (c *Core) userLimits() state.Limits {
	return state.Limits{Daily: max(1, c.limits.Scan.MaxDailyBytesPerUser), Running: c.limits.Scan.MaxConcurrentPerUser}
}

// bounded says that something binds the caller, so that the cost of a request
// must be known before it runs.
func (s *Session) bounded() bool {
	return !s.who.Local || s.who.MaxScanBytes != nil || s.who.Session != ""
}

// admit holds what a request may use while it runs, or refuses it. est tells
// the cost; its unknown figures are taken for the most that there can be.
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

// admitPart holds n bytes of a file while they are sent. Parts take no slot:
// clients fetch several at a time.
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

// counted says that there is somebody whose use is bounded.
func (s *Session) counted() bool { return !s.who.Local || s.who.Session != "" }

// demand is what every request of the caller may use at most.
func (s *Session) demand(r *record, resultBytes int64) state.Demand {
	limits := s.bounds()
	return state.Demand{
		Subject: s.who.User, ResultBytes: resultBytes, MaxRunning: limits.Running, MaxDaily: limits.Daily,
		Session: limits.Session, SessionBudget: limits.SessionBudget, Event: r.event,
	}
}

// account is on whose behalf a source works. What was reserved is the most that
// it may bill, so that an estimate which was wrong costs nobody anything.
func (s *Session) account(r *record) source.Account {
	return source.Account{MaxBilledBytes: r.ceiling, User: s.who.User, Agent: s.who.Agent, Session: s.who.Session, RequestID: r.event.RequestID}
}

// affordable compares the cost with what the caller is ready to spend on one
// request. What is not known may be more.
func (s *Session) affordable(est *api.Estimate) error {
	most := s.who.MaxScanBytes
	switch {
	case most == nil || est.ScanBytes != nil && *est.ScanBytes <= *most:
		return nil
	case est.ScanBytes == nil:
		return &api.Error{Code: api.CodeBudget, Kind: "request_bytes", Message: "the size of this scan is unknown, and at most " + fmt.Sprint(*most) + " bytes are allowed",
			Next:    []api.Step{api.Set(api.OptionMaxScanBytes, "allow more"), api.Unset(api.OptionMaxScanBytes, "run it at any cost"), state.SeeQuota},
			Details: map[string]any{"current": nil, "limit": *most, "retry_after_seconds": 0}}
	}
	return &api.Error{Code: api.CodeBudget, Kind: "request_bytes",
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
	return q, nil
}
