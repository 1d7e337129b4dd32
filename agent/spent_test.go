package agent

import (
	"testing"
	"time"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
)

// TestSpentSince counts what was answered by its real cost, what broke off by its
// reservation, what was refused as nothing, and leaves out the day before.
func TestSpentSince(t *testing.T) {
	day := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	now := day.Add(-time.Minute)
	store := conversation.Store{Dir: t.TempDir(), Now: func() time.Time { return now }}
	if none, err := SpentSince(store, day); none != 0 || err != nil {
		t.Errorf("of no conversation: %d, %v", none, err)
	}
	log, err := store.Create(conversation.Record{})
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	add := func(records ...conversation.Record) {
		for _, r := range records {
			if err := log.Append(r); err != nil {
				t.Fatal(err)
			}
		}
	}
	call := conversation.Record{Type: conversation.ModelCall, Cost: 1000}
	reply := conversation.Record{Type: conversation.AssistantMessage, Cost: 30, Usage: &provider.Usage{}}
	add(call, reply, call) // the last one is open at midnight
	now = day.Add(time.Minute)
	add(reply, call, reply, call, call, reply, call, conversation.Record{Type: conversation.ModelFailed}, call)
	if sum, err := SpentSince(store, day); sum != 30+1000+30+1000 || err != nil {
		t.Errorf("%d, %v", sum, err)
	}
}
