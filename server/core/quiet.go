package core

import (
	"sync"
	"time"

	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/source"
)

// quietFor is how long the server must be idle before it returns memory to the
// system.
const quietFor = 2 * time.Second

// quiet returns memory to the system once no request uses a source. During a series
// of requests the next one would need it.
type quiet struct {
	mu      sync.Mutex
	running int
	pause   *time.Timer
	rest    func()
}

// newQuiet also returns the memory that only start-up needed.
func newQuiet(rest func()) *quiet {
	q := &quiet{rest: rest}
	q.begin()()
	return q
}

// rest frees what sources keep for their next requests, and returns all memory that
// is free.
func (c *Core) rest() {
	for _, s := range c.sources {
		if r, ok := s.(source.Rester); ok {
			r.Rest()
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
	if q.pause != nil {
		q.pause.Stop()
		q.pause = nil
	}
	return sync.OnceFunc(q.end)
}

func (q *quiet) end() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.running--; q.running == 0 {
		q.pause = time.AfterFunc(quietFor, q.rest)
	}
}

// close cancels a pending rest.
func (q *quiet) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running++ // nothing is pending any more
	if q.pause != nil {
		q.pause.Stop()
	}
}
