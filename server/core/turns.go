package core

import (
	"context"
	"runtime"
	"sync"
	"time"

	"github.com/apache/arrow-go/v18/arrow/array"
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
