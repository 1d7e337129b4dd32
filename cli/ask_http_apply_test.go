package cli

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// TestAServerAppliesByItsPolicy lets the models of two users change files: those of
// the policy's folder at once, in the files of the caller only, and no others. It
// also bounds what the model writes.
func TestAServerAppliesByItsPolicy(t *testing.T) {
	t.Parallel()
	write := func(id, path string) provider.Call {
		return providertest.Call(id, "write_text_file", map[string]any{"path": path, "content": "# Sum\n"})
	}
	export := func(id, format string) provider.Call {
		return providertest.Call(id, "table_export", map[string]any{"path": "may.csv", "query": "SELECT hash(i) AS a FROM range(1000000) t(i)", "target_path": "large." + format})
	}
	steps := map[string][]provider.Call{
		"report": {write("a", "reports/a.md")},
		"both":   {write("a", "reports/a.md"), write("b", "notes.md")},
		"other":  {write("a", "../ann/reports/b.md"), write("b", "/etc/b.md"), write("c", "reports/../../b.md")},
		"large":  {export("a", "csv"), export("b", "parquet"), export("c", "xlsx"), export("d", "jsonl")},
	}
	model := providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		asked := r.Messages[lastQuestion(r.Messages)]
		return modelSteps(func([]provider.Result) string { return "Done." }, steps[asked.Blocks[len(asked.Blocks)-1].Text])(r)
	})
	admin := newPlace(t).withServerModel(model, provider.Anthropic, "files: { max_file_mb: 1 }").agentKeys("apply: 'reports/**', tool_timeout_seconds: 600").served()
	ann, bob := admin.as("ann"), admin.as("bob")
	ask := func(p *place, in agenthttp.ChatRequest) (reply agenthttp.ChatReply) {
		t.Helper()
		status, text := p.request("POST", "/api/agent/chat", in)
		if mustJSON(t, text, &reply); status != 200 {
			t.Fatalf("chat: %d %s", status, text)
		}
		return reply
	}
	files := func(p *place) string { _, text := p.request("GET", "/api/files", nil); return text }
	if d := ask(ann, agenthttp.ChatRequest{Message: "report"}).Answer.Draft; d == nil || !d.Applied || !strings.Contains(files(ann), "reports/a.md") {
		t.Errorf("the report of ann: %+v, %s", d, files(ann))
	}
	both := ask(bob, agenthttp.ChatRequest{Message: "both"}).Answer
	if both.Draft == nil || both.Draft.Applied || strings.Contains(files(bob), ".md") {
		t.Errorf("what bob's model changed: %+v, %s", both.Draft, files(bob))
	}
	for _, path := range []string{"/apply", "/discard"} {
		if status, text := ann.request("POST", "/api/drafts/"+both.Draft.Name+path, nil); status != 404 {
			t.Errorf("ann: %s of bob's draft: %d %s", path, status, text)
		}
	}
	if status, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "report", Conversation: both.Conversation, Apply: true}); status == 200 {
		t.Errorf("ann goes on with bob's conversation: %s", text)
	}
	if strings.Contains(files(bob), ".md") || strings.Contains(files(ann), "notes.md") {
		t.Errorf("after ann's tries: bob has %s, ann %s", files(bob), files(ann))
	}
	other := ask(bob, agenthttp.ChatRequest{Message: "other", Apply: true}).Answer
	if other.Draft != nil || strings.Contains(files(ann)+files(bob), "b.md") {
		t.Errorf("paths elsewhere: %+v, ann has %s", other.Draft, files(ann))
	}
	ann.uploadTo("/api/files/upload", "may.csv", "n\n1\n")
	large := ask(ann, agenthttp.ChatRequest{Message: "large", Apply: true}).Answer
	_, records := ann.request("GET", "/api/agent/conversations/"+large.Conversation, nil)
	if large.Draft != nil || strings.Count(records, "the most that it may have") != 4 {
		t.Errorf("files of more than 1 MB: %+v %s", large.Draft, records)
	}
	if left, _ := filepath.Glob(filepath.Join(admin.dir, "*", "agent", "*", large.Conversation, "files", "large*")); len(left) != 0 {
		t.Errorf("left: %v", left)
	}
}
