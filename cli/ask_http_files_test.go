package cli

import (
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// TestAskOverHTTPWorksOnFiles lets the model of a server read, count and change
// the files of one of two users: in a draft, which the user applies.
func TestAskOverHTTPWorksOnFiles(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return "They are " + firstCell(last) + "." },
		[]provider.Call{call("a", "list_files", map[string]any{}), call("b", "table_query", map[string]any{"path": "/etc/passwd", "query": "SELECT * FROM data"}), call("p", "table_describe", map[string]any{"path": "../log.jsonl"})},
		[]provider.Call{call("c", "write_text_file", map[string]any{"path": "sums/notes.md", "content": "# Sum\n"}),
			call("d", "table_export", map[string]any{"path": "may.csv", "query": "SELECT * FROM data WHERE n > 1", "target_path": "large.csv"})},
		[]provider.Call{call("s", "send_data_to_ui_as_df", map[string]any{"logical_name": "all", "path": "may.csv", "sql": "SELECT * FROM data"})},
		[]provider.Call{call("e", "table_query", map[string]any{"path": "may.csv", "query": "SELECT sum(n) AS n FROM data"})}))
	admin := newPlace(t).withServerModel(model, provider.Anthropic, "files: { max_file_mb: 1 }").agentKeys("tool_timeout_seconds: 600").served()
	ann, bob := admin.as("ann"), admin.as("bob")
	if status, text := ann.uploadTo("/api/agent/upload", "may.csv", "name,n\na,1\nb,20\nc,21\n"); status != 201 {
		t.Fatalf("upload: %d %s", status, text)
	}
	ask := func(p *place, in agenthttp.ChatRequest) (reply agenthttp.ChatReply, text string) {
		t.Helper()
		status, text := p.request("POST", "/api/agent/chat", in)
		if err := json.Unmarshal([]byte(text), &reply); err != nil || status != 200 {
			t.Fatalf("chat: %d %s", status, text)
		}
		return reply, text
	}
	reply, text := ask(ann, agenthttp.ChatRequest{Message: "How many?", Files: []string{"may.csv"}})
	id := reply.Answer.Conversation
	if d := reply.Answer.Draft; reply.Reply != "They are 42." || d == nil || d.Applied || len(d.Changes) != 2 || len(reply.DataFrames) != 1 || len(reply.DataFrames[0].Rows) != 3 {
		t.Fatalf("the answer: %s", text)
	}
	if _, text := ann.request("GET", "/api/agent/receipts/"+id+"-1", nil); !strings.Contains(text, `"file":"may.csv"`) || strings.Contains(text, `"inputs":[{"file":"may.csv","rows"`) || strings.Contains(text, `"0001-`) || strings.Contains(text, `"model":""`) {
		t.Errorf("the receipt: %s", text)
	}
	_, records := ann.request("GET", "/api/agent/conversations/"+id, nil)
	if strings.Contains(records, "root:") || strings.Count(records, `"failed":true`) != 2 || strings.Contains(records, admin.dir) {
		t.Errorf("the paths elsewhere were not refused: %s", records)
	}
	if !strings.Contains(records, `"files":[{"id":"`) || !strings.Contains(records, `"name":"may.csv","version":1`) {
		t.Errorf("the message has no file: %s", records)
	}
	var told bool
	for _, r := range model.Requests() {
		told = told || strings.Contains(r.Messages[0].Blocks[len(r.Messages[0].Blocks)-1].Text, `attached these files`)
	}
	if !told {
		t.Error("the model was not told of the file")
	}
	for want, in := range map[string]agenthttp.ChatRequest{
		"unknown_file":           {Message: "x", Files: []string{"none.csv"}},
		"files can only be sent": {Files: []string{"may.csv"}},
		"a message has 21 files": {Message: "x", Files: make([]string, 21)},
	} {
		if status, text := ann.request("POST", "/api/agent/chat", in); status < 400 || !strings.Contains(text, want) {
			t.Errorf("%s: %d %s", want, status, text)
		}
	}
	if status, text := bob.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "x", Files: []string{"may.csv"}}); status < 400 {
		t.Errorf("bob attaches ann's file: %d %s", status, text)
	}
	if _, text := ask(bob, agenthttp.ChatRequest{Message: "How many?"}); strings.Contains(text, "They are 42") || !strings.Contains(text, "may.csv: no such file") {
		t.Errorf("bob's answer: %s", text)
	}
	if _, text := ann.request("GET", "/api/files", nil); strings.Contains(text, "notes.md") || !strings.Contains(text, "may.csv") {
		t.Errorf("before the draft is applied: %s", text)
	}
	draft := "/api/drafts/ask_" + id
	if status, text := bob.request("GET", draft, nil); status != 404 {
		t.Errorf("bob sees ann's draft: %d %s", status, text)
	}
	if _, text := ann.request("GET", draft, nil); strings.Count(text, `"created"`) < 2 {
		t.Errorf("the draft: %s", text)
	}
	if _, text := ann.request("GET", draft+"/diff", nil); !strings.Contains(text, `{"place":"line 1","before":"","after":"# Sum"}`) {
		t.Errorf("the draft compared: %s", text)
	}
	if status, text := ann.request("POST", draft+"/apply", nil); status != 200 {
		t.Errorf("apply: %d %s", status, text)
	}
	_, text = ann.request("GET", "/api/files/"+url.PathEscape("sums/notes.md"), nil)
	if !strings.Contains(text, `"source_session_id":"`+id+`"`) {
		t.Errorf("the file does not name its conversation: %s", text)
	}
	reply, text = ask(ann, agenthttp.ChatRequest{Message: "Again", Apply: true})
	if d := reply.Answer.Draft; d == nil || !d.Applied {
		t.Errorf("applied at once: %s", text)
	}
	reply, _ = ask(ann, agenthttp.ChatRequest{Message: "Once more"})
	ann.request("POST", "/api/agent/reset", agenthttp.ConversationRequest{Conversation: reply.Answer.Conversation})
	if status, text := ann.request("GET", "/api/drafts/"+reply.Answer.Draft.Name, nil); status != 404 {
		t.Errorf("the draft of a conversation that was deleted: %d %s", status, text)
	}
	ann.checkRecord(admin)
	if left, _ := filepath.Glob(filepath.Join(admin.dir, "*", "agent", "*", id, "files", "large.csv")); len(left) != 0 {
		t.Errorf("what was written on the way is still there: %v", left)
	}
}

// checkRecord holds that what the model did with files is in the record of its user.
func (p *place) checkRecord(admin *place) {
	p.t.Helper()
	var audit []api.AuditEvent
	if err := json.Unmarshal([]byte(admin.ok("admin", "audit", "--user", "ann", "--json")), &audit); err != nil {
		p.t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range audit {
		if e.EventType == api.EventFile {
			seen[e.Data.Action] = true
		}
	}
	for _, want := range []string{"upload", "list_files", "write_text_file", "table_query", "table_export", "apply", "discard"} {
		if !seen[want] {
			p.t.Errorf("the record has no %s: %v", want, seen)
		}
	}
}
