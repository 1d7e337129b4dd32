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

// ports is a metric whose name says nothing of its table.
const ports = `{"semantic_models": [{"name": "places", "node_relation": {"alias": "airports", "relation_name": "\"x\".\"main\".\"airports\""},
	"primary_entity": "one", "entities": [], "dimensions": [], "measures": [{"name": "n", "agg": "count", "expr": "1"}]}],
	"metrics": [{"name": "n", "type": "simple", "type_params": {"measure": {"name": "n"}}}]}`

// TestASharedConversationNamesWhatItsToolsRead: the rights to a table are asked for whatever
// tool has read it, under whatever name, and also when its owner has lost them.
func TestASharedConversationNamesWhatItsToolsRead(t *testing.T) {
	t.Parallel()
	for _, call := range []provider.Call{
		providertest.Call("a", "metric", map[string]any{"metrics": []string{"n"}}),
		providertest.Call("a", "query_remote", map[string]any{"sql": `SELECT count(*) FROM AIRPORTS; SELECT 1 FROM airports LIMIT 1`}),
		providertest.Call("a", "values", map[string]any{"table": "airports", "column": "city"}),
	} {
		t.Run(call.Name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			p.write(t, "model/semantic_manifest.json", ports)
			admin := p.withServerModel(providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "So many." }, []provider.Call{call})),
				provider.Anthropic).served()
			ann, bob := admin.as("ann"), admin.as("bob")
			var grant struct{ ID json.Number }
			if err := json.Unmarshal([]byte(admin.ok("admin", "grant", "--table", "airports", "--json", "--user", "ann")), &grant); err != nil {
				t.Fatal(err)
			}
			var reply agenthttp.ChatReply
			if status, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many?"}); status != 200 || json.Unmarshal([]byte(text), &reply) != nil {
				t.Fatalf("%d %s", status, text)
			}
			it := agenthttp.ShareConversation{Conversation: reply.Answer.Conversation, Shared: true}
			status, text := ann.request("POST", "/api/agent/share", it)
			var out agenthttp.SharedConversation
			if err := json.Unmarshal([]byte(text), &out); status != 200 || err != nil || len(out.Tables) != 1 {
				t.Errorf("%d %s", status, text)
			}
			if status, text := bob.request("GET", "/api/agent/shared/"+out.Owner+"/"+it.Conversation, nil); status != 403 {
				t.Errorf("bob, who reads nothing: %d %s", status, text)
			}
			admin.ok("admin", "grant", "revoke", grant.ID.String())
			if status, text := ann.request("POST", "/api/agent/share", it); status != 403 {
				t.Errorf("of what is ann's no longer: %d %s", status, text)
			}
		})
	}
}

// TestASharedConversationHidesWhatASearchOnlyNamed: whoever may not read the tables that a
// search only names may see the conversation, and not their names; a search that shows rows
// is another thing.
func TestASharedConversationHidesWhatASearchOnlyNamed(t *testing.T) {
	t.Parallel()
	for query, open := range map[string]bool{"": true, "code": false} { // all tables, or airports with its rows
		t.Run("search "+query, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return "None of these." },
				[]provider.Call{providertest.Call("a", "catalog_search", map[string]any{"query": query})}))
			admin := p.withServerModel(model, provider.Anthropic).served()
			bob := admin.as("bob")
			var reply agenthttp.ChatReply
			if status, text := admin.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "What is there?"}); status != 200 || json.Unmarshal([]byte(text), &reply) != nil {
				t.Fatalf("%d %s", status, text)
			}
			id := reply.Answer.Conversation
			if _, text := admin.request("GET", "/api/agent/conversations/"+id, nil); !strings.Contains(text, "airports") {
				t.Fatalf("the search found nothing: %s", text)
			}
			status, text := admin.request("POST", "/api/agent/share", agenthttp.ShareConversation{Conversation: id, Shared: true})
			var out agenthttp.SharedConversation
			if err := json.Unmarshal([]byte(text), &out); status != 200 || err != nil || len(out.Tables) == 0 != open {
				t.Fatalf("%d %s", status, text)
			}
			status, text = bob.request("GET", "/api/agent/shared/"+out.Owner+"/"+id, nil)
			if open && (status != 200 || !strings.Contains(text, "None of these.") || strings.Contains(text, "airports")) || !open && status != 403 {
				t.Errorf("bob, who reads nothing: %d %s", status, text)
			}
			if _, text := admin.request("GET", "/api/agent/conversations", nil); !strings.Contains(text, out.Owner) {
				t.Errorf("the list does not say the owner: %s", text)
			}
		})
	}
}
