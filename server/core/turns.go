package core

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
)

// computeSlots lets few results be computed at a time, each for a moment, in the order in
// which they came. Otherwise each of 200 requests has threads of its own, which share
// the processors evenly, and a request that takes a millisecond waits for all of them.
type computeSlots struct{ free chan struct{} }

// longestTurn is after how long the next one's turn comes in any case: a computation
// that takes longer goes on beside the others.
const longestTurn = 100 * time.Millisecond

// newTurns leaves one processor for everything else, if there are several. It is not
// idle meanwhile: the engine's own threads work on all of them.
func newTurns() computeSlots {
	return computeSlots{make(chan struct{}, max(1, runtime.GOMAXPROCS(0)-1))}
}

// take waits for a turn, or for the end of the context. The caller ends it.
func (t computeSlots) take(ctx context.Context) (end func()) {
	select {
	case t.free <- struct{}{}:
	case <-ctx.Done():
		return func() {}
	}
	give := sync.OnceFunc(func() { <-t.free })
	timer := time.AfterFunc(longestTurn, give)
	return func() {
		timer.Stop()
		give()
	}
}

// inTurn is a reader whose batches are each computed in a turn.
type inTurn struct {
	array.RecordReader
	ctx   context.Context // of the request
	turns computeSlots
}

// Next implements array.RecordReader.
func (r *inTurn) Next() bool {
	defer r.turns.take(r.ctx)()
	return r.RecordReader.Next()
}

// Limits on the memory for writing one file, in bytes. It holds the row groups
// being written; if these do not fit, the request fails.
const (
	fileMemory      = 512_000_000
	leastFileMemory = 64_000_000
)

// writers limits how many files are written at a time, each with its memory: as
// many as fit into the instance's memory for them.
type writers struct {
	memory int64         // of each, in bytes
	slots  chan struct{} // nil: no limit on their number
}

func newWriters(share config.Shares) writers {
	if share.Files == 0 {
		return writers{memory: fileMemory}
	}
	each := min(max(share.Files/4, leastFileMemory), fileMemory)
	return writers{memory: each, slots: make(chan struct{}, max(share.Files/each, 1))}
}

// engineMemory is a limit in the engine's notation.
func engineMemory(bytes int64) string { return fmt.Sprintf("%dB", bytes) }

// wait returns when a file may be written, and a function to call when it is
// done.
func (w writers) wait(ctx context.Context, most time.Duration) (free func(), err error) {
	if w.slots == nil {
		return func() {}, nil
	}
	select {
	case w.slots <- struct{}{}:
		return sync.OnceFunc(func() { <-w.slots }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(most):
		return nil, &api.Error{Code: api.CodeUnavailable, Kind: api.KindBusy, Hint: "Try again later.",
			Message: fmt.Sprintf("%d results are written already, and none of them has ended in time", cap(w.slots))}
	}
}
