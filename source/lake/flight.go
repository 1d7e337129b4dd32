package lake

import (
	"context"
	"sync"
)

// flights merges concurrent requests for the same thing into one. The work
// continues as long as somebody waits for it.
type flights[V any] struct {
	mu    sync.Mutex
	byKey map[string]*flight[V]
}

type flight[V any] struct {
	done    chan struct{} // closed when value and err are there
	value   V
	err     error
	waiting int // guarded by flights.mu
	cancel  context.CancelFunc
}

// do returns the result of work, which runs at most once at a time per key. The
// context of work ends when nobody waits any more.
func (f *flights[V]) do(ctx context.Context, key string, work func(context.Context) (V, error)) (V, error) {
	f.mu.Lock()
	fl, ok := f.byKey[key]
	if !ok {
		own, cancel := context.WithCancel(context.WithoutCancel(ctx))
		fl = &flight[V]{done: make(chan struct{}), cancel: cancel}
		if f.byKey == nil {
			f.byKey = map[string]*flight[V]{}
		}
		f.byKey[key] = fl
		go func() {
			fl.value, fl.err = work(own)
			f.mu.Lock()
			f.forget(key, fl)
			f.mu.Unlock()
			cancel()
			close(fl.done)
		}()
	}
	fl.waiting++
	f.mu.Unlock()
	select {
	case <-fl.done:
		return fl.value, fl.err
	case <-ctx.Done():
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if fl.waiting--; fl.waiting == 0 {
		// A new caller must start again instead of joining work that is being
		// cancelled.
		f.forget(key, fl)
		fl.cancel()
	}
	var none V
	return none, stoppedListing(ctx.Err())
}

func (f *flights[V]) forget(key string, fl *flight[V]) {
	if f.byKey[key] == fl {
		delete(f.byKey, key)
	}
}
