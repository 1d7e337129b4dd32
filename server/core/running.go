package core

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/agnes-data/da/api"
)

// errStopped is the cause of a context that an admin cancelled.
var errStopped = errors.New("stopped by an admin")

// work lists the running requests of this process, by id.
type work struct {
	mu   sync.Mutex
	byID map[string]*running
}

type running struct {
	api.RunningRequest
	stop context.CancelCauseFunc
}

// begin lists a request until done is called. The context ends when an admin
// stops the request.
func (w *work) begin(ctx context.Context, r *record) (stoppable context.Context, done func()) {
	ctx, stop := context.WithCancelCause(ctx)
	e := r.event
	tables := e.Data.Tables
	if e.TableID != "" {
		tables = []string{e.TableID}
	}
	run := &running{stop: stop, RunningRequest: api.RunningRequest{
		RequestID: e.RequestID, EventType: e.EventType, User: e.User, Tables: nonNil(tables), StartedAt: r.start.UTC(),
		ClientAgent: e.Data.ClientAgent, Session: e.Data.Session, Statement: r.asked,
	}}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.byID == nil {
		w.byID = map[string]*running{}
	}
	w.byID[e.RequestID] = run
	return ctx, func() {
		stop(nil)
		w.mu.Lock()
		defer w.mu.Unlock()
		if w.byID[e.RequestID] == run { // a caller can use one id for two requests
			delete(w.byID, e.RequestID)
		}
	}
}

// Running implements api.RunAdmin.
func (s *Session) Running(context.Context) ([]api.RunningRequest, error) {
	return adminRead(s, func() ([]api.RunningRequest, error) {
		w := &s.core.work
		w.mu.Lock()
		defer w.mu.Unlock()
		list := []api.RunningRequest{}
		for _, r := range w.byID {
			list = append(list, r.RunningRequest)
		}
		slices.SortFunc(list, func(a, b api.RunningRequest) int { return a.StartedAt.Compare(b.StartedAt) })
		return list, nil
	})
}

// StopRequest implements api.RunAdmin.
func (s *Session) StopRequest(ctx context.Context, id string) error {
	return s.administer(ctx, "request_stop", id, func(context.Context) error {
		w := &s.core.work
		w.mu.Lock()
		defer w.mu.Unlock()
		if r := w.byID[id]; r != nil {
			r.stop(errStopped)
		}
		return nil
	})
}

// stopped returns the error for a request that an admin has stopped; nil if none
// has.
func stopped(ctx context.Context) error {
	if !errors.Is(context.Cause(ctx), errStopped) {
		return nil
	}
	return &api.Error{Code: api.CodeForbidden, Kind: api.KindStoppedByAdmin, Message: "an admin of the server has stopped this request",
		Hint: "Ask for less, or ask them why."}
}
