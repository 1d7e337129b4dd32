package workspace

import (
	"context"
	"fmt"
	"time"

	"github.com/agnes-data/da/api"
)

// Room limits how many contents are decoded at the same time, in all workspaces
// within it. A small file can need much memory to be decoded, so the number is
// limited and not the size. A nil Room has no limit.
type Room struct {
	slots chan struct{}
	most  time.Duration
}

// NewRoom returns a room in which n contents are decoded at the same time. Others
// wait, and those that have waited for most are refused.
func NewRoom(n int, most time.Duration) *Room {
	return &Room{slots: make(chan struct{}, n), most: most}
}

// Within returns the same workspace, whose contents are decoded within a room.
func (w *Workspace) Within(r *Room) *Workspace {
	view := *w
	view.room = r
	return &view
}

// Enter waits until a content may be decoded. The caller calls leave when that is
// done; it must not enter again before. A caller that has waited too long gets
// CodeUnavailable, kind busy.
func (w *Workspace) Enter(ctx context.Context) (leave func(), err error) {
	r := w.room
	if r == nil {
		return func() {}, nil
	}
	late := time.NewTimer(r.most)
	defer late.Stop()
	select {
	case r.slots <- struct{}{}:
		return func() { <-r.slots }, nil
	case <-ctx.Done():
		return nil, w.failed("wait for room in memory", ctx.Err())
	case <-late.C:
		return nil, &api.Error{
			Code: api.CodeUnavailable, Kind: "busy", Message: fmt.Sprintf("%d documents or pictures are being read or changed already, as many as memory allows", cap(r.slots)),
			Hint: "Make the same call again in some seconds.", Details: map[string]any{"most": cap(r.slots), "retry_after_seconds": 5},
		}
	}
}
