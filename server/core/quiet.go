package core

import (
	"sync"
	"time"

	"github.com/agnes-data/da/internal/duckdb"
)

// quietFor is how long nothing must run until memory is given back.
const quietFor = 2 * time.Second

// quiet gives memory back to the system once nothing has run for a while. While
// requests follow each other the memory is of use to the next one.
type quiet struct {
	mu      sync.Mutex
	running int
	pause   *time.Timer
	trim    func()
}

// newQuiet gives back what only the start has needed, too.
func newQuiet() *quiet {
	q := &quiet{trim: duckdb.Trim}
	q.begin()()
	return q
}

// begin notes that something runs until the returned function is called, which
// may happen more than once.
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

// close drops what is due.
func (q *quiet) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.running++ // nothing is due any more
	if q.pause != nil {
		q.pause.Stop()
	}
}
