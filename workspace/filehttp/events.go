package filehttp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/agnes-data/da/workspace"
)

const (
	// heartbeat is how often a stream on which nothing happens says that it lives.
	heartbeat = 15 * time.Second
	// eventsAtOnce is how many events are read at a time.
	eventsAtOnce = 500
)

// events tells a client of changes, also of those that other processes make. A
// client that comes back names the last one that it knows.
func (s *Server) events(v *visit) (reply, error) {
	done, err := s.spaces.take(&v.space.streams, maxStreams, "streams")
	if err != nil {
		return nil, err
	}
	v.atEnd(done)
	after, err := v.number("after")
	if err == nil && v.Header.Get("Last-Event-ID") != "" {
		if after, err = strconv.ParseInt(v.Header.Get("Last-Event-ID"), 10, 64); err != nil {
			err = bad("header", "the header Last-Event-ID must be the number of an event")
		}
	}
	last, lastErr := v.files.LastEvent(v.Context())
	if err == nil {
		err = lastErr
	}
	if err != nil {
		return nil, err
	}
	missed := after > last // of a workspace that was another one
	if after == 0 && v.param("after") == "" || missed {
		after = last
	}
	return func(w http.ResponseWriter, r *http.Request) error {
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		defer context.AfterFunc(s.Closing, cancel)()
		out := &stream{w: w}
		out.begin()
		if missed {
			out.missed(after)
		}
		return out.follow(ctx, v.files, after, s.Poll)
	}, nil
}

// stream is a stream of server-sent events.
type stream struct {
	w   http.ResponseWriter
	err error // that ended it
}

func (o *stream) begin() {
	h := o.w.Header()
	h.Set("Content-Type", "text/event-stream; charset=utf-8")
	h.Set("Cache-Control", "no-store")
	o.write(": the events of your files\n\n")
}

// follow sends the events after the one of a number until ctx is done.
func (o *stream) follow(ctx context.Context, files *workspace.Workspace, after int64, poll time.Duration) error {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	beat := time.Now()
	for o.err == nil {
		events, missed, err := files.Events(ctx, after, eventsAtOnce)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return err
		}
		if missed {
			o.missed(events[0].Seq - 1)
		}
		for _, e := range events {
			o.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Event, e.Payload))
			after = e.Seq
		}
		if len(events) > 0 {
			beat = time.Now()
		} else if time.Since(beat) >= heartbeat {
			o.write(": still here\n\n")
			beat = time.Now()
		}
		if len(events) == eventsAtOnce {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
	}
	return nil // the client is gone
}

// missed says that events up to one of a number are not kept any more.
func (o *stream) missed(upTo int64) {
	o.write(fmt.Sprintf("id: %d\nevent: file:missed\ndata: {}\n\n", upTo))
}

func (o *stream) write(text string) {
	if o.err != nil {
		return
	}
	if _, o.err = o.w.Write([]byte(text)); o.err == nil {
		o.err = http.NewResponseController(o.w).Flush()
	}
}
