package agent_test

import (
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// TestABranchGoesAnotherWay asks twice, and then something else after the first
// answer: the model knows the first turn and not the second, the other conversation
// stays as it was, and what was paid there is not paid again.
func TestABranchGoesAnotherWay(t *testing.T) {
	paid := provider.Usage{Input: 100, Output: 10}
	k := newTalk(t, script(
		providertest.Reply{Text: "I write.", Calls: []provider.Call{write("a", 1)}, Usage: paid},
		providertest.Reply{Text: "First answer.", Usage: paid}, providertest.Reply{Text: "Second answer.", Usage: paid},
		providertest.Reply{Text: "Another answer.", Usage: paid}), func(c *agent.Config) { c.Prices = &agent.Prices{Input: 1000, Output: 1000} })
	k.ask("First question?")
	k.ask("Second question?")
	before, err := agent.SpentSince(k.store, time.Time{})
	if err != nil || before == 0 {
		t.Fatal(before, err)
	}
	first := k.log
	if k.log, err = k.store.Branch(first.ID, 1, false); err != nil {
		t.Fatal(err)
	}
	if k.log.Marks() != first.Marks() || k.log.ID == first.ID {
		t.Errorf("the branch is %s with marks %s", k.log.ID, k.log.Marks())
	}
	k.start()
	k.ask("Another question?")
	sent := string(k.model.Requests()[3].Raw)
	for text, want := range map[string]bool{"First question?": true, "First answer.": true, "goes another way": true, "Another question?": true,
		"Second question?": false, "Second answer.": false} {
		if strings.Contains(sent, text) != want {
			t.Errorf("the model is sent %q: %t", text, !want)
		}
	}
	after, err := agent.SpentSince(k.store, time.Time{})
	if one := before / 3; err != nil || after != before+one {
		t.Errorf("spent %d, then %d: %v", before, after, err)
	}
	all, err := k.store.List()
	if err != nil || len(all) != 2 {
		t.Fatal(all, err)
	}
	for _, c := range all {
		if from := c.From; c.Turns != 2 || c.Question != "First question?" || (c.ID == k.log.ID) != (from != nil && from.Conversation == first.ID && from.Turns == 1) {
			t.Errorf("%+v", c)
		}
	}
	if r, err := receipt.Of(k.log.Records, 2); err != nil || r.ID != receipt.ID(k.log.ID, 2) || r.Answer != "Another answer." {
		t.Errorf("receipt %+v, %v", r, err)
	}
}

// TestWhatCannotBeBranched names turns that are not there, and values that were sent.
func TestWhatCannotBeBranched(t *testing.T) {
	k := newTalk(t, script(providertest.Reply{Text: "Yes."}))
	k.ask("Is it?")
	for _, turns := range []int{-1, 2} {
		if _, err := k.store.Branch(k.log.ID, turns, false); !api.CodeUsage.Is(err) {
			t.Errorf("after turn %d: %v", turns, err)
		}
	}
	if _, err := k.store.Branch(k.log.ID, 1, true); !api.CodeUsage.Is(err) {
		t.Errorf("with hidden values: %v", err)
	}
	if _, err := k.store.Branch("../"+k.log.ID, 1, false); !api.CodeUsage.Is(err) {
		t.Errorf("of a path: %v", err)
	}
	log, err := k.store.Branch(k.log.ID, 0, false)
	if err != nil || len(log.Records) != 1 || log.Records[0].Type != conversation.Begin {
		t.Fatal(log, err)
	}
	log.Close()
	if all, err := k.store.List(); err != nil || len(all) != 2 {
		t.Errorf("%+v, %v", all, err)
	}
}
