package filehttp

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/sse"
	"github.com/agnes-data/da/workspace"
)

// eventsAtOnce is how many events are read at a time.
const eventsAtOnce = 500

// events streams changes to a client, including changes made by other processes.
// A client that reconnects names the last event that it has received.
func (s *Server) events(v *visit) (reply, error) {
	done, err := s.spaces.take(&v.space.streams, maxStreams, api.KindTooManyStreams, "streams")
	if err != nil {
		return nil, err
	}
	v.atEnd(done)
	after, err := v.number("after")
	if err == nil && v.Header.Get("Last-Event-ID") != "" {
		if after, err = strconv.ParseInt(v.Header.Get("Last-Event-ID"), 10, 64); err != nil {
			err = bad(api.KindHeader, "the header Last-Event-ID must be the number of an event")
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
		out := stream{&sse.Writer{W: w}}
		out.Write(": the events of your files\n\n")
		if missed {
			out.missed(after)
		}
		return out.follow(ctx, v.files, after, s.Poll)
	}, nil
}

// stream is a stream of a workspace's events.
type stream struct{ *sse.Writer }

// follow sends the events after the one of a number until ctx is done.
func (o stream) follow(ctx context.Context, files *workspace.Workspace, after int64, poll time.Duration) error {
	ticker := time.NewTicker(poll)
	defer ticker.Stop()
	beat := time.Now()
	for o.Err == nil {
		err := files.Follow(ctx)
		var events []workspace.Event
		var missed bool
		if err == nil {
			events, missed, err = files.Events(ctx, after, eventsAtOnce)
		}
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
			o.Write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Event, e.Payload))
			after = e.Seq
		}
		if len(events) > 0 {
			beat = time.Now()
		} else if time.Since(beat) >= sse.Heartbeat {
			o.Write(": still here\n\n")
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

// missed reports that the events up to a number are no longer kept.
func (o stream) missed(upTo int64) {
	o.Write(fmt.Sprintf("id: %d\nevent: file:missed\ndata: {}\n\n", upTo))
}
