package agenthttp

import (
	"cmp"
	"context"
	"strconv"
	"sync"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/rows/wire"
	"github.com/agnes-data/da/internal/sse"
)

// chat answers when the model is done.
func (s *Server) chat(v visit) error {
	in, err := s.request(v)
	if err != nil {
		return err
	}
	reply := ChatReply{DataFrames: []agent.DataFrame{}, Charts: []agent.Chart{}}
	reply.Answer, err = s.ask(v.r.Context(), v, in, nil, func(e agent.Event) {
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
	reply.Reply, reply.Tokens = cmp.Or(reply.Answer.Text, reply.Answer.Detail), reply.Answer.Usage.Total()
	return v.answer(reply)
}

// stream sends each step as it happens. If the client disconnects, the turn
// continues for a while, so that the client can reconnect for the rest.
func (s *Server) stream(v visit) error {
	in, err := s.request(v)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.WithoutCancel(v.r.Context()))
	defer cancel()
	t := turn{sse.NewFeed(s.Grace, cancel), cancel}
	defer context.AfterFunc(s.Closing, t.Hurry)()
	leave, err := t.Enter()
	if err != nil {
		return feedError(err)
	}
	begun := false
	var following sync.WaitGroup
	following.Go(func() {
		defer leave()
		begun, _ = t.Follow(v.r.Context(), v.w, 0) // a client that is too slow comes back
	})
	err = s.turn(ctx, v, in, t)
	t.End()
	following.Wait()
	if begun {
		return nil // the error was sent as an event
	}
	return err // with its status
}

// follow sends the steps of a running or recently ended turn to a client that has
// reconnected, starting after the last step that it has received.
func (s *Server) follow(v visit) error {
	t, ok := s.turns.find(v.key(v.r.PathValue("id")))
	if !ok {
		return errNoEvents
	}
	seq, err := strconv.Atoi(cmp.Or(v.r.Header.Get("Last-Event-ID"), "0"))
	if err != nil || seq < 0 {
		return &api.Error{Code: api.CodeBadRequest, Kind: api.KindHeader, Message: "the header Last-Event-ID must be the number of an event"}
	}
	leave, err := t.Enter()
	if err != nil {
		return feedError(err)
	}
	defer leave()
	begun, err := t.Follow(v.r.Context(), v.w, seq)
	if begun {
		return nil
	}
	return feedError(err)
}

// stop ends the turn of a conversation that runs.
func (s *Server) stop(v visit) error {
	var in ConversationRequest
	if err := wire.DecodeBody(v.r.Body, &in); err != nil {
		return err
	}
	t, ok := s.turns.find(v.key(in.Conversation))
	if ok {
		t.cancel()
	}
	return v.answer(TurnStopped{ok})
}
