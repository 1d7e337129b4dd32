package lake

import (
	"fmt"
	"sync"

	"github.com/agnes-data/da/api"
)

// openable is how many files all lakes of this process may hold open for their
// engines. An engine opens each file once more, and the process needs
// descriptors for other things: without any left the engine ends the process.
var openable = &budget{total: maxOpenFiles() / 3}

// budget is a number of things that may be in use at a time.
type budget struct {
	mu    sync.Mutex
	total int
	used  int
}

// take takes n, or says why that cannot be. It does not wait: a request that
// waits while it holds files could wait for ever.
func (b *budget) take(n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n <= b.total {
		b.used += n
		return nil
	}
	e := sourceError(api.SourceTooManyFiles, fmt.Sprintf("the request needs %d files at a time, and %d of %d are free", n, b.total-b.used, b.total), nil)
	e.Hint = "Ask again later, or for fewer partitions."
	if n > b.total {
		e.Hint = "The operator must raise the limit of open files (ulimit -n, LimitNOFILE), or put the rows into fewer files. " + api.InServerLog
	}
	return e
}

// give gives n back.
func (b *budget) give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}
