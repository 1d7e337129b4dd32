package agent_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/secrets"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// TestNoSecretIsSent puts keys and tokens wherever a text comes from: the question,
// names of files, answers and errors of tools, and what is summed up. None is in
// what any of the protocols sends.
func TestNoSecretIsSent(t *testing.T) {
	known := "the-password-of-the-warehouse"
	all := []string{known, "sk-" + strings.Repeat("a", 24), "AKIA" + strings.Repeat("A", 16), "postgres://ann:" + "hunter22@db/x", "ghp_" + strings.Repeat("a1", 18)}
	text := strings.Join(all, " and ")
	k := newTalk(t, func(r providertest.Request) providertest.Reply {
		if len(r.Messages) > 6 || len(r.Messages)%3 == 0 {
			return providertest.Reply{Text: "Done."}
		}
		return providertest.Reply{Calls: []provider.Call{read("a", r.Number), providertest.Call("b", "nonsense", map[string]int{"n": r.Number})}}
	}, func(c *agent.Config) {
		c.There, c.Clean, c.Limits.Context = "Files: "+text+".csv", secrets.New(known).Clean, 100
	})
	k.tools.answer = func(name string, _ json.RawMessage) (string, bool) {
		return `{"` + name + `":"` + text + `"}`, name == "nonsense"
	}
	for range 6 {
		k.ask("Use " + text)
	}
	for _, r := range k.model.Requests() {
		for _, secret := range append(all, "hunter22") {
			if strings.Contains(string(r.Raw), secret) {
				t.Fatalf("request %d holds %s: %s", r.Number, secret, r.Raw)
			}
		}
	}
	if last := k.model.Requests()[0]; strings.Count(string(last.Raw), secrets.Removed) < 2*len(all) {
		t.Errorf("the first request: %s", last.Raw)
	}
}
