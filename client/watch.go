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

// Reasons why a watch cancelled its request.
var (
	errStalled = errors.New("stalled")
	errSlow    = errors.New("slow")
)

// pieces is the number of intervals that a stall is measured in. Each has a timer
// of its own: if this process or the machine was suspended, that counts as one
// interval at most, and the server is not blamed for the rest.
const pieces = 20

// maxSilences limits the total time of a JSON answer, in multiples of the stall
// timeout, so that a server that sends a byte now and then cannot prolong it for
// ever.
const maxSilences = 10

// watch cancels a request that receives nothing for too long.
type watch struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	limit  time.Duration // the stall timeout

	mu      sync.Mutex
	timer   *time.Timer // nil until arm is called first
	waiting bool
	silent  int // consecutive intervals without data
	passed  int // intervals in total
	last    int // the last interval before the total time limit; 0: no limit
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

// tick counts an interval during which this process was running.
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

// bound limits the rest of the answer to maxSilences times the stall timeout.
func (w *watch) bound() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = w.passed + maxSilences*pieces
}

// rest stops the clock while the client is not waiting for the server.
func (w *watch) rest() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waiting, w.silent = false, 0
}

// end releases everything, and cancels the request if it is still running.
func (w *watch) end() {
	w.mu.Lock()
	w.over = true
	if w.timer != nil {
		w.timer.Stop()
	}
	w.mu.Unlock()
	w.cancel(nil)
}

// fault returns why the watch has cancelled the request; nil if it has not.
func (w *watch) fault() *api.Error {
	switch cause := context.Cause(w.ctx); {
	case errors.Is(cause, errStalled):
		return stalled(w.limit)
	case errors.Is(cause, errSlow):
		return slow(w.limit * maxSilences)
	}
	return nil
}

// watchedBody is a response's body under a watch. Only the time inside Read
// counts, not the time that the reader takes between reads.
type watchedBody struct {
	body   io.ReadCloser
	watch  *watch
	parent context.Context
	after  func() // called after Close; may be nil
	closed bool
}

// Read implements io.Reader. A stall or an interruption is an *api.Error; other
// errors are those of the connection.
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

// Close implements io.Closer. It ends the request at any point.
func (b *watchedBody) Close() error {
	if b.closed {
		return nil
	}
	b.closed = true
	// Do not wait for data after an error page or a JSON value.
	b.watch.end()
	err := b.body.Close()
	if b.after != nil {
		b.after()
	}
	return err
}

// interrupted is the error of a request whose caller has given up.
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

// slow is the error of an answer that still sends data but exceeds the total time
// limit.
func slow(limit time.Duration) *api.Error {
	return &api.Error{
		Code: api.CodeStalled, Kind: api.KindSlow, Message: fmt.Sprintf("the server's answer was not complete after %g s", limit.Seconds()),
		Hint:    "Try again; check the network, and the load of the server.",
		Details: map[string]any{"limit_seconds": limit.Seconds()},
	}
}
