package core

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/config"
)

// Bounds of the engine that writes one file, in bytes. It holds the row group
// that is being written; what does not fit ends the request.
const (
	fileMemory      = 512_000_000
	leastFileMemory = 64_000_000
)

// writers are the engines that write files, each with its memory. As many may run
// as fit into what the instance gives them.
type writers struct {
	memory string        // of each, as engines write it
	slots  chan struct{} // nil: as many as there are requests
}

func newWriters(share config.Shares) writers {
	if share.Files == 0 {
		return writers{memory: fmt.Sprintf("%dB", fileMemory)}
	}
	each := min(max(share.Files/4, leastFileMemory), fileMemory)
	return writers{memory: fmt.Sprintf("%dB", each), slots: make(chan struct{}, max(share.Files/each, 1))}
}

// wait returns when a file may be written, and what is to be called once it is.
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
		return nil, &api.Error{Code: api.CodeUnavailable, Kind: "busy", Hint: "Try again later.",
			Message: fmt.Sprintf("%d results are written already, and none of them has ended in time", cap(w.slots))}
	}
}
