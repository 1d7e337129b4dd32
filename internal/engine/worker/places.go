package worker

import (
	"context"
	"sync"
)

// ownerKey is the key of the owner in a context.
type ownerKey struct{}

// For returns a context whose jobs belong to an owner, such as the name of a user. In
// each Pool the owners take turns, and none has all workers, so that nobody keeps
// the others out. Jobs without an owner have no such limit.
func For(ctx context.Context, owner string) context.Context {
	return context.WithValue(ctx, ownerKey{}, owner)
}

func ownerOf(ctx context.Context) string {
	owner, _ := ctx.Value(ownerKey{}).(string)
	return owner
}

// admission hands out the places of a pool.
type admission struct {
	size int

	mu      sync.Mutex
	taken   int
	served  uint64            // places handed out so far
	owners  map[string]*owner // those who have asked since the pool was last idle
	waiting []*waiter         // the one who came first is first
}

// owner is what one owner has of a pool.
type owner struct {
	taken int
	last  uint64 // number of the place that was handed out last
}

type waiter struct {
	owner string
	ready chan struct{} // closed once there is a place
}

func newPlaces(size int) *admission { return &admission{size: size, owners: map[string]*owner{}} }

// take waits for a place, or for the end of ctx. The caller gives the place back
// once.
func (l *admission) take(ctx context.Context) (give func(), err error) {
	w := &waiter{ownerOf(ctx), make(chan struct{})}
	l.mu.Lock()
	if l.owners[w.owner] == nil {
		l.owners[w.owner] = &owner{}
	}
	l.waiting = append(l.waiting, w)
	l.serve()
	l.mu.Unlock()
	select {
	case <-w.ready:
	case <-ctx.Done():
		if l.leave(w) {
			return nil, ctx.Err()
		}
	}
	return func() { l.give(w.owner) }, nil
}

// serve hands out free places. It is called under the lock.
func (l *admission) serve() {
	for l.taken < l.size {
		next := l.next()
		if next < 0 {
			return
		}
		w := l.waiting[next]
		l.remove(next)
		l.taken++
		l.served++
		o := l.owners[w.owner]
		o.taken++
		o.last = l.served
		close(w.ready)
	}
}

// next is the index of the waiter whose turn it is: of the owner who has the fewest
// places, and among equals the one whose last place is the longest ago. It is -1 if
// nobody who waits may have another one.
func (l *admission) next() int {
	found := -1
	var least *owner
	for i, w := range l.waiting {
		o := l.owners[w.owner]
		if w.owner != "" && o.taken >= max(1, l.size-1) {
			continue
		}
		if least == nil || o.taken < least.taken || o.taken == least.taken && o.last < least.last {
			found, least = i, o
		}
	}
	return found
}

// remove takes a waiter out of the line.
func (l *admission) remove(i int) {
	l.waiting = append(l.waiting[:i], l.waiting[i+1:]...)
}

// leave takes a waiter out of the line who does not wait any more. It reports false
// if the waiter has got a place meanwhile.
func (l *admission) leave(w *waiter) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i := range l.waiting {
		if l.waiting[i] == w {
			l.remove(i)
			l.forget()
			return true
		}
	}
	return false
}

// give frees a place of an owner.
func (l *admission) give(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	l.owners[name].taken--
	l.serve()
	l.forget()
}

// forget drops the owners once nobody has or wants anything. Until then it is known who
// had a place: otherwise those who ask one thing after the other would come first.
func (l *admission) forget() {
	if l.taken == 0 && len(l.waiting) == 0 {
		clear(l.owners)
	}
}
