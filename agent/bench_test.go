package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
)

// instant is a model that takes no time: nine calls, then an answer.
type instant struct{}

func (instant) Count(context.Context, provider.Request) int64 { return 0 }

func (instant) Send(_ context.Context, r provider.Request, _ func(provider.Delta)) (provider.Reply, error) {
	usage := provider.Usage{Input: 1000, Output: 50}
	calls := 0
	for _, b := range r.Messages[len(r.Messages)-1].Blocks {
		if b.Result != nil {
			_, _ = fmt.Sscanf(b.Result.CallID, "c%d", &calls)
		}
	}
	if calls == 9 {
		return provider.Reply{Blocks: []provider.Block{{Text: "Done."}}, Stop: provider.StopEnd, Usage: usage}, nil
	}
	c := read(fmt.Sprintf("c%d", calls+1), calls)
	return provider.Reply{Blocks: []provider.Block{{Call: &c}}, Stop: provider.StopCalls, Usage: usage}, nil
}

// BenchmarkLoop measures what a request to a model with the call that follows it
// takes beside the model and the tool: a turn of ten requests, on disk step by step.
func BenchmarkLoop(b *testing.B) {
	store := conversation.Store{Dir: b.TempDir(), Now: time.Now}
	for b.Loop() {
		log, err := store.Create(conversation.Record{})
		if err != nil {
			b.Fatal(err)
		}
		tools := &bench{answer: func(string, json.RawMessage) (string, bool) { return `{"rows":[[1,2,3]]}`, false }}
		a, err := agent.New(agent.Config{Provider: instant{}, Tools: tools, Log: log, System: "You are a test."})
		if err != nil {
			b.Fatal(err)
		}
		if answer, err := a.Ask(b.Context(), "How many?"); err != nil || answer.Text != "Done." {
			b.Fatal(answer, err)
		}
		log.Close()
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/1000/float64(b.N)/10, "ms/request")
}
