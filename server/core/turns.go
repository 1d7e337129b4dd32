package core

import (
	"context"
	"fmt"
	"runtime"
	"slices"
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
	memory int64  // of each, in bytes
	queue  *queue // nil: no limit on their number
}

func newWriters(share config.Shares) writers {
	if share.Files == 0 {
		return writers{memory: fileMemory}
	}
	each := min(max(share.Files/4, leastFileMemory), fileMemory)
	slots := int(max(share.Files/each, 1))
	return writers{memory: each, queue: &queue{slots: slots, free: slots, waiting: map[string][]*waiter{}}}
}

// engineMemory is a limit in the engine's notation.
func engineMemory(bytes int64) string { return fmt.Sprintf("%dB", bytes) }

// wait returns when a user's file may be written, and a function to call when it is
// done. Meanwhile it tells the context's caller the place in the queue.
func (w writers) wait(ctx context.Context, user string, most time.Duration) (free func(), err error) {
	q := w.queue
	if q == nil {
		return func() {}, nil
	}
	me := q.join(ctx, user)
	select {
	case <-me.turn:
		return sync.OnceFunc(q.next), nil
	case <-ctx.Done():
		err = ctx.Err()
	case <-time.After(most):
		err = &api.Error{Code: api.CodeUnavailable, Kind: api.KindBusy, Hint: "Try again later.",
			Message: fmt.Sprintf("%d results are written already, and none of them has ended in time", q.slots)}
	}
	q.leave(me)
	return nil, err
}

// queue gives slots to users in turn, so that one with many requests keeps nobody else
// waiting, and to the requests of each as they came.
type queue struct {
	mu      sync.Mutex
	slots   int
	free    int
	users   []string // who wait, the next one first
	waiting map[string][]*waiter
}

type waiter struct {
	user string
	turn chan struct{} // closed when it has a slot
	tell func(position int)
}

func (q *queue) join(ctx context.Context, user string) *waiter {
	q.mu.Lock()
	defer q.mu.Unlock()
	tell, _ := ctx.Value(queueKey{}).(func(int))
	w := &waiter{user, make(chan struct{}), tell}
	if q.free > 0 {
		q.free--
		close(w.turn)
		return w
	}
	if len(q.waiting[user]) == 0 {
		q.users = append(q.users, user)
	}
	q.waiting[user] = append(q.waiting[user], w)
	q.tell()
	return w
}

// next gives a slot that is not used any more to who is next.
func (q *queue) next() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.users) == 0 {
		q.free++
		return
	}
	user := q.users[0]
	first := q.waiting[user][0]
	q.users = q.users[1:]
	if q.waiting[user] = q.waiting[user][1:]; len(q.waiting[user]) > 0 {
		q.users = append(q.users, user)
	} else {
		delete(q.waiting, user)
	}
	close(first.turn)
	q.tell()
}

// leave removes a waiter who gives up.
func (q *queue) leave(w *waiter) {
	q.mu.Lock()
	i := slices.Index(q.waiting[w.user], w)
	if i >= 0 {
		q.waiting[w.user] = slices.Delete(q.waiting[w.user], i, i+1)
		if len(q.waiting[w.user]) == 0 {
			delete(q.waiting, w.user)
			q.users = slices.DeleteFunc(q.users, func(u string) bool { return u == w.user })
		}
		q.tell()
	}
	q.mu.Unlock()
	if i < 0 {
		q.next() // it got a slot just now
	}
}

// tell tells all who wait which they are, if nobody else comes.
func (q *queue) tell() {
	position := 0
	for round, more := 0, true; more; round++ {
		more = false
		for _, user := range q.users {
			if all := q.waiting[user]; round < len(all) {
				position++
				more = true
				if all[round].tell != nil {
					all[round].tell(position)
				}
			}
		}
	}
}

type queueKey struct{}

// TellingQueue returns a context whose caller is told, by a function that does not wait,
// which place a request has among those that wait; 1 is the next one.
func TellingQueue(ctx context.Context, tell func(position int)) context.Context {
	return context.WithValue(ctx, queueKey{}, tell)
}
