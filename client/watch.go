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

// Why a watch has cancelled its request.
var (
	errStalled = errors.New("stalled")
	errSlow    = errors.New("slow")
)

// pieces is in how many pieces a silence is counted. Each has a timer of its
// own, so that a process that was stopped meanwhile, or a machine that slept,
// has lost one piece and does not blame the server for the rest.
const pieces = 20

// maxSilences bounds the time of an answer that is JSON, in silences: however
// often a byte of it comes, it has an end.
const maxSilences = 10

// watch ends a request that hears nothing for too long.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration // of a silence

	mu      sync.Mutex
	timer   *time.Timer // nil until first armed
	waiting bool
	silent  int // pieces since something was heard
	passed  int // pieces in all
	last    int // number of the last piece seen; 0: none yet
	over    bool
}

func newWatch(parent context.Context, limit time.Duration) *watch {
	w := &watch{limit: limit}
	w.ctx, w.cancel = context.WithCancelCause(parent)
	return w
}

// arm restarts the clock.
func (w *watch) arm() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting, w.silent = true, 0
	if w.timer == nil && !w.over {
		w.timer = time.AfterFunc(w.limit/pieces, w.tick)
	}
}

// tick counts a piece of time in which this process ran.
func (w *watch) tick() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.over {
		return
	}
	w.passed++
	if w.waiting {
		w.silent++
	}
	switch {
	case w.silent > pieces:
		w.cancel(errStalled)
	case w.last > 0 && w.passed > w.last:
		w.cancel(errSlow)
	default:
		w.timer.Reset(w.limit / pieces)
	}
}

// bound gives what is still to come maxSilences of time.
func (w *watch) bound() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = w.passed + maxSilences*pieces
}

// rest stops the clock: the client is not waiting for the server.
func (w *watch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting, w.silent = false, 0
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

// fault says why the watch has cancelled the request; nil if it has not.
func (w *watch) fault() *api.Error {
	switch cause := context.Cause(w.ctx); {
	case errors.Is(cause, errStalled):
		return stalled(w.limit)
	case errors.Is(cause, errSlow):
		return slow(w.limit * maxSilences)
	}
	return nil
}

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
	if b.parent.Err() != nil {
		return n, interrupted(b.parent)
	}
	if fault := b.watch.fault(); fault != nil {
		return n, fault
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

// slow is the error of an answer that comes, but has no end in time.
func slow(limit time.Duration) *api.Error {
	return &api.Error{
		Code: api.CodeStalled, Kind: "slow", Message: fmt.Sprintf("the server's answer was not complete after %g s", limit.Seconds()),
		Hint:    "Try again; check the network, and the load of the server.",
		Details: map[string]any{"limit_seconds": limit.Seconds()},
	}
}
