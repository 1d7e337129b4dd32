// Package sse sends server-sent events, also to clients that come back after their
// line was cut and name the last event that they know. It knows nothing of what the
// events tell, and keeps no more of them than a bound allows.
package sse

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

const (
	// MaxFollowers bounds the streams that follow one feed.
	MaxFollowers = 8
	// maxKept bounds the events of a feed that are kept, in bytes. The oldest go
	// first; the last one stays.
	maxKept = 8 << 20
)

var (
	// ErrTooMany says that a feed has MaxFollowers.
	ErrTooMany = errors.New("the feed has as many followers as it may have")
	// ErrGone says that events are not kept from the number on that was asked for.
	ErrGone = errors.New("the events are not kept")
)

// Feed is the events of something that runs, for all who follow it. It may be used
// concurrently.
type Feed struct {
	idle func() // called when nobody has followed for the grace

	mu        sync.Mutex
	grace     time.Duration
	kept      []event
	bytes     int
	last      int           // number of the last event
	changed   chan struct{} // closed at the next change
	over      bool
	followers int
	abandoned *time.Timer // calls idle
}

// event is one as it is sent.
type event struct {
	seq  int
	text string
}

// NewFeed returns a feed that calls idle when its last follower has been gone for
// grace and events may still come.
func NewFeed(grace time.Duration, idle func()) *Feed {
	return &Feed{idle: idle, grace: grace, changed: make(chan struct{})}
}

// Say adds the event that follows the last one. data returns its text, which has no
// line breaks, for its number, counted from 1.
func (f *Feed) Say(name string, data func(seq int) []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	text := fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", f.last, name, data(f.last))
	f.kept, f.bytes = append(f.kept, event{f.last, text}), f.bytes+len(text)
	for len(f.kept) > 1 && f.bytes > maxKept {
		f.bytes -= len(f.kept[0].text)
		f.kept = f.kept[1:]
	}
	f.wake()
}

// wake tells all followers of a change; the caller holds the lock.
func (f *Feed) wake() {
	close(f.changed)
	f.changed = make(chan struct{})
}

// End says that no event comes any more.
func (f *Feed) End() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.over = true
	f.wake()
}

// after returns the events after the one of a number, and what tells of more.
func (f *Feed) after(seq int) (events []event, changed <-chan struct{}, over bool, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if seq < 0 || seq > f.last || len(f.kept) > 0 && seq < f.kept[0].seq-1 {
		return nil, nil, false, ErrGone
	}
	events = append(events, f.kept[len(f.kept)-(f.last-seq):]...)
	return events, f.changed, f.over, nil
}

// Enter counts a follower before it follows; an error is ErrTooMany. The caller
// calls leave when it is gone.
func (f *Feed) Enter() (leave func(), err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.followers >= MaxFollowers {
		return nil, ErrTooMany
	}
	f.followers++
	if f.abandoned != nil {
		f.abandoned.Stop()
	}
	return sync.OnceFunc(f.leave), nil
}

func (f *Feed) leave() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.followers--
	if f.followers == 0 && !f.over {
		f.abandoned = time.AfterFunc(f.grace, f.abandon)
	}
}

// abandon calls idle, unless a follower has come meanwhile.
func (f *Feed) abandon() {
	f.mu.Lock()
	alone := f.followers == 0
	f.mu.Unlock()
	if alone {
		f.idle()
	}
}

// Hurry takes the grace away: the server is about to end.
func (f *Feed) Hurry() {
	f.mu.Lock()
	f.grace = 0
	f.mu.Unlock()
	f.abandon()
}

// Follow sends the events after the one of a number, until the feed is over or ctx
// or the client gone. begun says that something was sent. An error is ErrGone, also
// later for a client that is too slow.
func (f *Feed) Follow(ctx context.Context, w http.ResponseWriter, seq int) (begun bool, err error) {
	ticker := time.NewTicker(Heartbeat)
	defer ticker.Stop()
	out := &Writer{W: w}
	for out.Err == nil {
		events, changed, over, err := f.after(seq)
		if err != nil {
			return out.begun, err
		}
		if seq > 0 && !out.begun { // a client that comes back learns at once that it is followed
			out.Write(": the events of what runs\n\n")
		}
		for _, e := range events {
			out.Write(e.text)
			seq = e.seq
		}
		if len(events) > 0 {
			continue
		}
		if over {
			break
		}
		select {
		case <-ctx.Done():
			return out.begun, nil
		case <-changed:
		case <-ticker.C:
			if out.begun { // an answer may still become an error with its status
				out.Write(": still here\n\n")
			}
		}
	}
	return out.begun, nil
}
