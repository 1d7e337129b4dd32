package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// TestASharedConversationIsForWhoReadsAllTogether: each column unmasked is not all of them
// together; and what its owner may not read any more is not shared.
func TestASharedConversationIsForWhoReadsAllTogether(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "See above." },
		[]provider.Call{providertest.Call("a", "catalog_sample", map[string]any{"table_id": "airports", "rows": 3})}))
	admin := newPlace(t).withServerModel(model, provider.Anthropic).served()
	ann, bob := admin.as("ann"), admin.as("bob")
	grant := func(args ...string) string {
		t.Helper()
		var g struct{ ID json.Number }
		if err := json.Unmarshal([]byte(admin.ok(append([]string{"admin", "grant", "--table", "airports", "--json"}, args...)...)), &g); err != nil {
			t.Fatal(err)
		}
		return g.ID.String()
	}
	whole := grant("--user", "ann")
	var reply agenthttp.ChatReply
	if status, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "Show me some"}); status != 200 || json.Unmarshal([]byte(text), &reply) != nil {
		t.Fatalf("%d %s", status, text)
	}
	id := reply.Answer.Conversation
	share := func() (int, string, string) {
		t.Helper()
		status, text := ann.request("POST", "/api/agent/share", agenthttp.ShareConversation{Conversation: id, Shared: true})
		var out agenthttp.SharedConversation
		_ = json.Unmarshal([]byte(text), &out) // the status tells
		return status, text, "/api/agent/shared/" + out.Owner + "/" + id
	}
	status, text, path := share()
	if status != 200 || !strings.Contains(text, "airports") {
		t.Fatalf("%d %s", status, text)
	}
	grant("--user", "bob", "--mask", "city=hash")
	grant("--user", "bob", "--columns", "iata,city")
	if status, text := bob.request("GET", path, nil); status != 403 || strings.Contains(text, "Show me") {
		t.Errorf("bob, who reads the city only beside the code: %d %s", status, text)
	}
	grant("--user", "bob")
	if status, text := bob.request("GET", path, nil); status != 200 || !strings.Contains(text, "Show me") {
		t.Errorf("bob, who reads all: %d %s", status, text)
	}
	admin.ok("admin", "grant", "revoke", whole)
	if status, text, _ := share(); status != 403 || !strings.Contains(text, "not_shared") {
		t.Errorf("of a table that is ann's no longer: %d %s", status, text)
	}
}
