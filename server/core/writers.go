package core

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
)

// Limits on the memory for writing one file, in bytes. It holds the row groups
// being written; if these do not fit, the request fails.
const (
	fileMemory      = 512_000_000
	leastFileMemory = 64_000_000
)

// writers limits how many files are written at a time, each with its memory: as
// many as fit into the instance's memory for them.
type writers struct {
	memory int64         // of each, in bytes
	slots  chan struct{} // nil: no limit on their number
}

func newWriters(share config.Shares) writers {
	if share.Files == 0 {
		return writers{memory: fileMemory}
	}
	each := min(max(share.Files/4, leastFileMemory), fileMemory)
	return writers{memory: each, slots: make(chan struct{}, max(share.Files/each, 1))}
}

// engineMemory is a limit in the engine's notation.
func engineMemory(bytes int64) string { return fmt.Sprintf("%dB", bytes) }

// wait returns when a file may be written, and a function to call when it is
// done.
func (w writers) wait(ctx context.Context, most time.Duration) (free func(), err error) {
	if w.slots == nil {
		return func() {}, nil
	}
	select {
	case w.slots <- struct{}{}:
		return sync.OnceFunc(func() { <-w.slots }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(most):
		return nil, &api.Error{Code: api.CodeUnavailable, Kind: api.KindBusy, Hint: "Try again later.",
			Message: fmt.Sprintf("%d results are written already, and none of them has ended in time", cap(w.slots))}
	}
}
