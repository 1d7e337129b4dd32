package embedded

import (
	"fmt"
	"os"
	"sync"

	"github.com/agnes-data/da/api"
)

// Openable limits how many files all sources of this process can have open for
// their engines. An engine opens each file a second time, and the process needs
// descriptors for other purposes; without any left, the engine crashes the
// process.
var Openable = &Budget{total: maxOpenFiles() / 3}

// Budget is a number of units that can be in use at a time.
type Budget struct {
	mu    sync.Mutex
	total int
	used  int
}

// Take takes n units, or returns an error. It does not wait: requests that wait
// while holding files could block each other for ever.
func (b *Budget) Take(n int) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n <= b.total {
		b.used += n
		return nil
	}
	e := &api.Error{Code: api.CodeSource, Kind: api.KindTooManyFiles,
		Message: fmt.Sprintf("the request needs %d files at a time, and %d of %d are free", n, b.total-b.used, b.total)}
	e.Hint = "Ask again later, or for fewer partitions."
	if n > b.total {
		e.Hint = "The operator must raise the limit of open files (ulimit -n, LimitNOFILE), or put the rows into fewer files. " + api.InServerLog
	}
	return e
}

// Used is how many units are taken.
func (b *Budget) Used() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.used
}

// Give returns n units.
func (b *Budget) Give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}

// MaxFiles bounds the files of a relation; more is a mistake in its name.
const MaxFiles = 100_000

// Path is a path by which the engine opens the same file that is open here.
// On systems without such paths, it is the file's own path.
func Path(f *os.File, own string) string {
	path := fmt.Sprintf("/proc/self/fd/%d", f.Fd())
	if _, err := os.Lstat(path); err != nil {
		return own
	}
	return path
}
