package core

import (
	"sync"
	"time"

	"github.com/agnes-data/da/internal/duckdb"
)

// quietFor is how long the server must be idle before it returns memory to the
// system.
const quietFor = 2 * time.Second

// quiet returns memory to the system once the server is idle. During a series of
// requests the next one would need it.
type quiet struct {
	mu      sync.Mutex
	running int
	pause   *time.Timer
	trim    func()
}

// newQuiet also returns the memory that only start-up needed.
func newQuiet() *quiet {
	q := &quiet{trim: duckdb.Trim}
	q.begin()()
	return q
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
		q.pause = time.AfterFunc(quietFor, q.trim)
	}
}

// close cancels a pending trim.
func (q *quiet) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running++ // nothing is pending any more
	if q.pause != nil {
		q.pause.Stop()
	}
}
