package lake

import (
	"fmt"
	"sync"

	"github.com/agnes-data/da/api"
)

// openable limits how many files all lakes of this process can have open for
// their engines. An engine opens each file a second time, and the process needs
// descriptors for other purposes; without any left, the engine crashes the
// process.
var openable = &budget{total: maxOpenFiles() / 3}

// budget is a number of units that can be in use at a time.
type budget struct {
	mu    sync.Mutex
	total int
	used  int
}

// take takes n units, or returns an error. It does not wait: requests that wait
// while holding files could block each other for ever.
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

// give returns n units.
func (b *budget) give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}
