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

// inRoom is the part of a room that one workspace may take: all but one, so that others
// get their turn.
type inRoom struct {
	*Room
	own chan struct{}
}

// NewRoom returns a room in which n contents are decoded at the same time. Others
// wait, and those that have waited for most are refused.
func NewRoom(n int, most time.Duration) *Room {
	return &Room{slots: make(chan struct{}, n), most: most}
}

// Within returns the same workspace, whose contents are decoded within a room.
func (w *Workspace) Within(r *Room) *Workspace {
	view := *w
	view.room = &inRoom{r, make(chan struct{}, max(1, cap(r.slots)-1))}
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
	take := func(slots chan struct{}, whose string) error {
		select {
		case slots <- struct{}{}:
			return nil
		case <-ctx.Done():
			return w.failed("wait for room in memory", ctx.Err())
		case <-late.C:
			return &api.Error{
				Code: api.CodeUnavailable, Kind: api.KindBusy,
				Message: fmt.Sprintf("%d documents or pictures%s are being read or changed already, as many as memory allows", cap(slots), whose),
				Hint:    "Make the same call again in some seconds.", Details: map[string]any{"most": cap(slots), "retry_after_seconds": 5},
			}
		}
	}
	if err := take(r.own, " of yours"); err != nil {
		return nil, err
	}
	if err := take(r.slots, ""); err != nil {
		<-r.own
		return nil, err
	}
	return func() { <-r.slots; <-r.own }, nil
}
