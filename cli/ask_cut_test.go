package cli

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// heldModel shows a table and counts flights, and waits before its answer until
// the channel is closed.
func heldModel(held <-chan struct{}) func(providertest.Request) providertest.Reply {
	sql := "SELECT origin, count(*) AS n FROM flights GROUP BY origin ORDER BY n DESC, origin LIMIT 3"
	steps := [][]provider.Call{
		{providertest.Call("a", "send_data_to_ui_as_df", map[string]any{"logical_name": "busiest", "sql": sql})},
		{chartOf("b", sql, "column", "origin", "n", nil)},
		{providertest.Call("c", "query_remote", map[string]any{"sql": "SELECT count(*) AS n FROM flights"})},
	}
	next := modelSteps(func(last []provider.Result) string { return "There are " + firstCell(last) + " flights." }, steps...)
	return func(r providertest.Request) providertest.Reply {
		reply := next(r)
		if len(reply.Calls) == 0 {
			reply.Hold = held
		}
		return reply
	}
}

// events opens a stream of events; what it returns gives the next one, nil at its end.
func (p *place) events(ctx context.Context, method, path string, body any, last int) (next func() *agent.Event) {
	p.t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		p.t.Fatal(err)
	}
	r, err := http.NewRequestWithContext(ctx, method, p.get("DA_SERVER")+path, strings.NewReader(string(data)))
	if err != nil {
		p.t.Fatal(err)
	}
	if method == http.MethodGet {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Authorization", "Bearer "+p.get("DA_TOKEN"))
	r.Header.Set("Last-Event-ID", fmt.Sprint(last))
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { res.Body.Close() })
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, 1<<20)
	return func() *agent.Event {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				e := new(agent.Event)
				if err := json.Unmarshal([]byte(data), e); err != nil {
					p.t.Fatal(err)
				}
				return e
			}
		}
		return nil
	}
}

// TestATurnGoesOnAfterACut cuts a client's line in the middle of a turn. The client
// gets each event once, nobody else gets any, and what was shown is kept.
func TestATurnGoesOnAfterACut(t *testing.T) {
	t.Parallel()
	held := make(chan struct{})
	admin := newPlace(t).withServerModel(providertest.NewServer(t, heldModel(held)), provider.Anthropic).served()
	ann, bob := admin.as("ann"), admin.as("bob")
	admin.ok("admin", "grant", "--user", "ann", "--table", "flights")
	ctx, cut := context.WithCancel(t.Context())
	next := ann.events(ctx, "POST", "/api/agent/chat/stream", agenthttp.ChatRequest{Message: "How many flights?"}, 0)
	id, seq, frames := "", 0, 0
	take := func(e *agent.Event) {
		t.Helper()
		if seq++; e.Seq != seq {
			t.Fatalf("event %d comes in place of %d", e.Seq, seq)
		}
		if e.Table != nil || e.Chart != nil {
			frames++
		}
	}
	for e := next(); ; e = next() {
		take(e)
		if e.Type == agent.EventBegin {
			id = e.Conversation
		}
		if e.Type == agent.EventToolResult && e.Tool == "query_remote" {
			break
		}
	}
	cut()
	at := "/api/agent/conversations/" + id
	if _, text := bob.request("GET", at+"/events", nil); !strings.Contains(text, "no_turn") {
		t.Errorf("bob follows ann's turn: %s", text)
	}
	if _, text := bob.request("POST", "/api/agent/stop", agenthttp.ConversationRequest{Conversation: id}); text != `{"stopped":false}`+"\n" {
		t.Errorf("bob stops ann's turn: %s", text)
	}
	if found, _ := filepath.Glob(filepath.Join(admin.dir, "*/agent/*", id)); len(found) == 1 {
		path := "../" + filepath.Base(filepath.Dir(found[0])) + "/" + id
		if _, text := bob.request("POST", "/api/agent/stop", agenthttp.ConversationRequest{Conversation: path}); text != `{"stopped":false}`+"\n" {
			t.Errorf("bob stops ann's turn by its path: %s", text)
		}
		if _, text := bob.request("GET", "/api/agent/conversations/"+url.PathEscape(path)+"/events", nil); !strings.Contains(text, "no_turn") {
			t.Errorf("bob follows ann's turn by its path: %s", text)
		}
	} else {
		t.Errorf("the conversation is at %q", found)
	}
	if status, text := ann.request("POST", "/api/agent/rename", agenthttp.ConversationTitle{Conversation: id, Title: "x"}); status != 503 || !strings.Contains(text, "conversation_busy") {
		t.Errorf("rename while a turn runs: %d %s", status, text)
	}
	next = ann.events(t.Context(), "GET", at+"/events", nil, seq)
	close(held)
	var last *agent.Event
	for e := next(); e != nil; e = next() {
		take(e)
		last = e
	}
	if last == nil || last.Answer == nil || last.Answer.Text != "There are 600 flights." || frames != 2 {
		t.Fatalf("the turn ended with %+v, %d tables and charts", last, frames)
	}

	if status, text := ann.request("POST", "/api/agent/rename", agenthttp.ConversationTitle{Conversation: id, Title: " Flights "}); status != 200 {
		t.Errorf("rename: %d %s", status, text)
	}
	for _, title := range []string{"", " ", strings.Repeat("x", 201)} {
		if status, _ := ann.request("POST", "/api/agent/rename", agenthttp.ConversationTitle{Conversation: id, Title: title}); status != 400 {
			t.Errorf("rename to %q: %d", title, status)
		}
	}
	var kept agenthttp.ConversationRecords
	if _, text := ann.request("GET", at, nil); json.Unmarshal([]byte(text), &kept) != nil || kept.Info.Title != "Flights" || kept.Info.Open {
		t.Errorf("the conversation: %s", text)
	}
	shown := 0
	for _, r := range kept.Records {
		if !r.Shown {
			continue
		}
		shown++
		var e agent.Event
		_, text := ann.request("GET", at+"/shown/"+r.MessageID, nil)
		if json.Unmarshal([]byte(text), &e) != nil || e.Table == nil && e.Chart == nil {
			t.Errorf("%s was shown as %s", r.MessageID, text)
		}
		if _, text := bob.request("GET", at+"/shown/"+r.MessageID, nil); !strings.Contains(text, "not_kept") {
			t.Errorf("bob sees what ann was shown: %s", text)
		}
	}
	if shown != 2 {
		t.Errorf("%d tables and charts are kept", shown)
	}
	if _, text := ann.request("GET", at+"/shown/..%2Flog", nil); !strings.Contains(text, "not_kept") {
		t.Errorf("a path: %s", text)
	}
	if _, text := ann.request("GET", "/api/agent/receipts/"+last.Answer.Receipt, nil); !strings.Contains(text, "SELECT count(*) AS n FROM flights") {
		t.Errorf("the receipt: %s", text)
	}
	if status, text := bob.request("GET", "/api/agent/receipts/"+last.Answer.Receipt, nil); status != 400 {
		t.Errorf("bob reads ann's receipt: %d %s", status, text)
	}
}

// TestATurnIsStopped ends a turn that waits for its model.
func TestATurnIsStopped(t *testing.T) {
	t.Parallel()
	ann := newPlace(t).withServerModel(providertest.NewServer(t, heldModel(t.Context().Done())), provider.Compatible).served()
	next := ann.events(t.Context(), "POST", "/api/agent/chat/stream", agenthttp.ChatRequest{Message: "How many?"}, 0)
	var last *agent.Event
	id := ""
	for e := next(); e != nil; e = next() {
		if e.Type == agent.EventBegin {
			id = e.Conversation
		}
		if last = e; e.Type == agent.EventToolResult && e.Tool == "query_remote" {
			if _, text := ann.request("POST", "/api/agent/stop", agenthttp.ConversationRequest{Conversation: id}); text != `{"stopped":true}`+"\n" {
				t.Fatalf("stop: %s", text)
			}
		}
	}
	if last == nil || last.Answer == nil || last.Answer.Reason != agent.ReasonCancelled {
		t.Errorf("the turn ended with %+v", last)
	}
}
