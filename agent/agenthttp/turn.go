package agenthttp

import (
	"encoding/json"
	"errors"
	"sync"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/sse"
)

// grace is how long a turn continues when nobody follows it, so that a
// disconnected client can reconnect; and how long its events are kept after its
// end.
const grace = 2 * time.Minute

// turn is a turn that clients can follow.
type turn struct {
	*sse.Feed
	cancel func()
}

// say sends an event to the clients that follow.
func (t turn) say(e agent.Event) {
	t.Say(string(e.Type), func(seq int) []byte {
		e.Seq = seq
		data, _ := json.Marshal(e) // cannot fail for our own types
		return data
	})
}

// feedError is an error of a feed as a client sees it.
func feedError(err error) error {
	switch {
	case errors.Is(err, sse.ErrGone):
		return errNoEvents
	case errors.Is(err, sse.ErrTooMany):
		return &api.Error{Code: api.CodeUnavailable, Kind: api.KindTooManyStreams, Message: "this turn is followed as often as it may be",
			Hint: "Close another window that shows it.", Details: map[string]any{"most": sse.MaxFollowers, "retry_after_seconds": 5}}
	}
	return err
}

// errNoEvents is the error for events that are not, or no longer, kept.
var errNoEvents = &api.Error{Code: api.CodeBadRequest, Kind: api.KindNoTurn,
	Message: "no turn of this conversation runs whose events are kept from there on",
	Hint:    "Read the conversation: it has all that was said and done. If its last turn is open, an empty message goes on with it."}

// turns maps conversations to their running or recently ended turns.
type turns struct {
	mu   sync.Mutex
	byID map[string]turn
}

// put registers a turn until forget is called; forget keeps it for a while.
func (s *turns) put(key string, t turn, keep time.Duration) (forget func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID == nil {
		s.byID = map[string]turn{}
	}
	s.byID[key] = t
	return func() {
		time.AfterFunc(keep, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			if s.byID[key].Feed == t.Feed { // the conversation may have a later turn
				delete(s.byID, key)
			}
		})
	}
}

func (s *turns) find(key string) (t turn, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, ok = s.byID[key]
	return t, ok
}
