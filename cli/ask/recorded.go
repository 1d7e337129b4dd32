package ask

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
)

// recording has the replies of a model to the questions of a file, in order.
type recording struct {
	Questions map[string][]recorded `json:"questions"` // by name
}

// recorded is a reply, and the hash of the request that it answered.
type recorded struct {
	Request string         `json:"request"`
	Reply   provider.Reply `json:"reply"`
}

// recorder passes requests on to a model and keeps its replies.
type recorder struct {
	provider.Provider
	mu   sync.Mutex
	kept []recorded
}

// Send implements provider.Provider.
func (r *recorder) Send(ctx context.Context, req provider.Request, say func(provider.Delta)) (provider.Reply, error) {
	reply, err := r.Provider.Send(ctx, req, say)
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.kept = append(r.kept, recorded{hashOfRequest(req), reply})
	}
	return reply, err
}

// replayer answers requests with the replies of a recording, one after the other.
type replayer struct {
	mu      sync.Mutex
	replies []recorded
	next    int
	changed bool // a request was another than the recorded one
}

// Send implements provider.Provider.
func (r *replayer) Send(ctx context.Context, req provider.Request, say func(provider.Delta)) (provider.Reply, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return provider.Reply{}, err
	}
	if r.next >= len(r.replies) {
		return provider.Reply{}, &api.Error{Code: api.CodeUsage, Kind: api.KindBadQuestions,
			Message: fmt.Sprintf("the recording has only %d replies to this question", len(r.replies)),
			Hint:    "The tools answer otherwise than when it was made. Record anew with --record."}
	}
	one := r.replies[r.next]
	r.next++
	r.changed = r.changed || one.Request != hashOfRequest(req)
	if text := one.Reply.Text(); say != nil && text != "" {
		say(provider.Delta{Text: text, Begun: true})
	}
	return one.Reply, nil
}

// Count implements provider.Provider.
func (*replayer) Count(context.Context, provider.Request) int64 { return 0 }

// hashOfRequest is equal for requests with the same instructions and tools: what is said
// in a conversation has times, and marks of its own.
func hashOfRequest(req provider.Request) string {
	h := sha256.New()
	h.Write([]byte(strings.TrimSpace(req.System)))
	_ = json.NewEncoder(h).Encode(req.Tools) // a hash takes everything
	return hex.EncodeToString(h.Sum(nil)[:8])
}
