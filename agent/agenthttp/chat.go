package agenthttp

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/agnes-data/da/agent"
)

// chat answers when the model is done.
func (s *Server) chat(v visit) error {
	in, err := s.request(v)
	if err != nil {
		return err
	}
	reply := ChatReply{DataFrames: []agent.DataFrame{}, Charts: []agent.Chart{}}
	reply.Answer, err = s.turn(v.r.Context(), v, in, func(e agent.Event) {
		switch {
		case e.Table != nil:
			reply.DataFrames = append(reply.DataFrames, *e.Table)
		case e.Chart != nil:
			reply.Charts = append(reply.Charts, *e.Chart)
		}
	})
	if err != nil {
		return err
	}
	reply.Reply, reply.Tokens = reply.Answer.Text, reply.Answer.Usage.Total()
	return v.answer(reply)
}

// heartbeat is how often a stream on which nothing happens says that it lives.
const heartbeat = 15 * time.Second

// events is a stream of server-sent events. It may be used concurrently.
type events struct {
	mu    sync.Mutex
	w     http.ResponseWriter
	begun bool
	gone  context.CancelFunc // ends the turn of a client that cannot be reached
}

// stream tells each step as it happens. A client that goes away ends the turn.
func (s *Server) stream(v visit) error {
	in, err := s.request(v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(v.r.Context())
	defer cancel()
	out := &events{w: v.w, gone: cancel}
	ticker := time.NewTicker(heartbeat)
	defer ticker.Stop()
	var beating sync.WaitGroup
	beating.Go(func() {
		for {
			select {
			case <-ctx.Done():
				return
			case <-ticker.C:
				out.beat()
			}
		}
	})
	_, err = s.turn(ctx, v, in, out.send)
	cancel()
	beating.Wait()
	switch {
	case err == nil:
		return nil
	case !out.begun:
		return err // with its status
	}
	out.send(agent.Event{Type: agent.EventError, Error: s.visible(v.w, err).Body()})
	return nil
}

// send writes one event.
func (o *events) send(e agent.Event) {
	data, err := json.Marshal(e)
	if err != nil {
		return // of our own types
	}
	o.write(fmt.Sprintf("id: %d\nevent: %s\ndata: %s\n\n", e.Seq, e.Type, data))
}

// beat writes a comment, once the stream has begun.
func (o *events) beat() {
	o.mu.Lock()
	begun := o.begun
	o.mu.Unlock()
	if begun {
		o.write(": still at it\n\n")
	}
}

func (o *events) write(text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.begun {
		o.begun = true
		h := o.w.Header()
		h.Set("Content-Type", "text/event-stream; charset=utf-8")
		h.Set("Cache-Control", "no-store")
		o.w.WriteHeader(http.StatusOK)
	}
	_, err := o.w.Write([]byte(text))
	if err == nil {
		err = http.NewResponseController(o.w).Flush()
	}
	if err != nil {
		o.gone()
	}
}
