package core

import (
	"context"
	"sync"
	"time"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/source"
)

// How long a server must be idle before it returns free memory to the system, and
// before its sources rest. The first request after a rest takes some 50 ms longer,
// because it starts an engine.
const (
	quietFor = 2 * time.Second
	restFor  = 30 * time.Second
)

// quiet returns memory to the system once no request uses a source. During a series
// of requests the next one would need it.
type quiet struct {
	mu         sync.Mutex
	running    int
	pause      []*time.Timer
	trim, rest func()
}

// newQuiet also returns the memory that only start-up needed.
func newQuiet(rest func()) *quiet {
	q := &quiet{trim: duckdb.Trim, rest: rest}
	q.begin()()
	return q
}

// Wake prepares the sources for a first request. A server that gets none rests.
func (c *Core) Wake() {
	for _, s := range c.sources {
		if r, ok := s.(source.Idler); ok {
			r.Wake()
		}
	}
}

// rest frees what sources keep for their next requests, and returns all memory that
// is free.
func (c *Core) rest() {
	for _, s := range c.sources {
		if r, ok := s.(source.Idler); ok {
			r.Idle()
		}
	}
	duckdb.Trim()
}

// begin marks the server as busy until the returned function is called, which can
// be called more than once.
func (q *quiet) begin() (end func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running++
	q.stop()
	return sync.OnceFunc(q.end)
}

func (q *quiet) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running--; q.running == 0 {
		q.pause = []*time.Timer{time.AfterFunc(quietFor, q.trim), time.AfterFunc(restFor, q.rest)}
	}
}

// wait returns once no request uses a source, and after five seconds at the latest:
// a server that is never idle still gets on with other work.
func (q *quiet) wait(ctx context.Context) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for range 100 {
		q.mu.Lock()
		running := q.running
		q.mu.Unlock()
		if running == 0 || ctx.Err() != nil {
			return
		}
		<-tick.C
	}
}

// stop cancels what is pending.
func (q *quiet) stop() {
	for _, t := range q.pause {
		t.Stop()
	}
	q.pause = nil
}

// close ends all returning of memory.
func (q *quiet) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running++ // nothing is pending any more
	q.stop()
}
