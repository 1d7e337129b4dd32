package agent_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// TestDamagedLogs goes on with conversations that somebody has changed by hand: it
// works or is an error, and what was spent is not given back.
func TestDamagedLogs(t *testing.T) {
	const budget = 2
	model := func(r providertest.Request) providertest.Reply {
		usage := provider.Usage{Input: 1000, Output: 10}
		if len(r.Results()) == 0 {
			return providertest.Reply{Calls: []provider.Call{read("x", r.Number), write("y", r.Number)}, Usage: usage}
		}
		return providertest.Reply{Text: "It is so.", Usage: usage}
	}
	k := newTalk(t, model, func(c *agent.Config) {
		c.Limits, c.Prices = agent.Limits{Context: 900, Budget: agent.MoneyOf(budget)}, agent.PerMillion(3, 0, 0, 15)
	})
	for i := range 6 {
		k.ask(fmt.Sprint("Question ", i))
	}
	k.log.Close()
	path := filepath.Join(k.store.Dir, k.log.ID, "log.jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	opened := 0
	for seed := range uint64(300) {
		rnd := rand.New(rand.NewPCG(seed, 3)) //nolint:gosec // to be repeated
		lines := strings.Split(strings.TrimSpace(string(whole)), "\n")
		for range 1 + rnd.IntN(3) {
			lines = damaged(rnd, lines)
		}
		if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		log, err := k.store.Open(k.log.ID)
		if err != nil {
			continue
		}
		opened++
		for turn := range 7 {
			_, _ = receipt.Of(log.Records, turn)
		}
		conversation.Describe(log.Records)
		cfg := k.cfg
		cfg.Log = log
		a, err := agent.New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := a.Ask(t.Context(), "And now?")
		if err == nil && (*answer.Cost < 0 || *answer.TotalCost < *answer.Cost || *answer.TotalCost > budget) {
			t.Errorf("seed %d: %+v costs %v of %v", seed, answer, *answer.Cost, *answer.TotalCost)
		}
		log.Close()
	}
	if opened < 100 {
		t.Errorf("%d logs of 300 were read", opened)
	}
}

// damaged changes one thing in a log.
func damaged(rnd *rand.Rand, lines []string) []string {
	i, j := 1+rnd.IntN(len(lines)-1), 1+rnd.IntN(len(lines)-1)
	switch rnd.IntN(5) {
	case 0:
		return slices.Delete(lines, i, i+1)
	case 1:
		return slices.Insert(lines, i, lines[j])
	case 2:
		lines[i], lines[j] = lines[j], lines[i]
		return lines
	}
	var record map[string]any
	if json.Unmarshal([]byte(lines[i]), &record) != nil {
		return lines
	}
	names := slices.Sorted(maps.Keys(record))
	name := names[rnd.IntN(len(names))]
	switch v := record[name].(type) {
	case float64:
		record[name] = []any{-1, -1 << 62, 1 << 62, 0}[rnd.IntN(4)]
	case map[string]any:
		for field := range v {
			v[field] = []any{-1 << 40, 1 << 62, 0, nil}[rnd.IntN(4)]
		}
	default:
		record[name] = []any{nil, "", []any{}, map[string]any{}, "tool_result"}[rnd.IntN(5)]
	}
	text, _ := json.Marshal(record) // was read as JSON
	lines[i] = string(text)
	return lines
}
