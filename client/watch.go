package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
)

// errStalled is why a request was cancelled that heard nothing for too long.
var errStalled = errors.New("stalled")

// watch ends a request that hears nothing for too long.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration

	mu    sync.Mutex
	timer *time.Timer // nil until first armed
	over  bool
}

func newWatch(parent context.Context, limit time.Duration) *watch {
	w := &watch{limit: limit}
	w.ctx, w.cancel = context.WithCancelCause(parent)
	return w
}

// arm starts the time anew.
func (w *watch) arm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.over:
	case w.timer == nil:
		w.timer = time.AfterFunc(w.limit, func() { w.cancel(errStalled) })
	default:
		w.timer.Reset(w.limit)
	}
}

// rest stops the time: it is not the server who is waited for.
func (w *watch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.timer != nil {
		w.timer.Stop()
	}
}

// end frees everything, and cancels the request if it still runs.
func (w *watch) end() {
	w.mu.Lock()
	w.over = true
	if w.timer != nil {
		w.timer.Stop()
	}
	w.mu.Unlock()
	w.cancel(nil)
}

func (w *watch) stalled() bool { return errors.Is(context.Cause(w.ctx), errStalled) }

// watchedBody is a response's body under a watch. Time counts only while a
// Read waits, however long the reader takes in between.
type watchedBody struct {
	body   io.ReadCloser
	watch  *watch
	parent context.Context
	after  func() // runs after Close; may be nil
	closed bool
}

// Read implements io.Reader. A stall and an interruption are *api.Error; other
// errors are the connection's own.
func (b *watchedBody) Read(p []byte) (int, error) {
	b.watch.arm()
	n, err := b.body.Read(p)
	b.watch.rest()
	if err == nil || errors.Is(err, io.EOF) {
		return n, err
	}
	switch {
	case b.parent.Err() != nil:
		err = interrupted(b.parent)
	case b.watch.stalled():
		err = stalled(b.watch.limit)
	}
	return n, err
}

// Close implements io.Closer. It ends the request, wherever it is.
func (b *watchedBody) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	// What an error page or a JSON value has behind it is not worth waiting for.
	b.watch.end()
	err := b.body.Close()
	if b.after != nil {
		b.after()
	}
	return err
}

// interrupted is the error of a request whose caller no longer waits.
func interrupted(ctx context.Context) *api.Error {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &api.Error{Code: api.CodeTimeout, Message: "the time for the request is over", Err: ctx.Err()}
	}
	return &api.Error{Code: api.CodeInterrupted, Message: "interrupted", Err: ctx.Err()}
}

func stalled(limit time.Duration) *api.Error {
	return &api.Error{
		Code: api.CodeStalled, Message: fmt.Sprintf("the server has sent nothing for %g s", limit.Seconds()),
		Hint:    "Try again; check the network, and the load of the server.",
		Details: map[string]any{"stall_seconds": limit.Seconds()},
	}
}
