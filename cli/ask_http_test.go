package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/agenthttp"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/purse"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// withServerModel writes a model into the place's instance file.
func (p *place) withServerModel(s *providertest.Server, kind provider.Kind, sections ...string) *place {
	p.t.Helper()
	file := filepath.Join(p.dir, "instance.yaml")
	text := fmt.Sprintf("agent: { provider: %s, model: test-model, base_url: %q, api_key_env: TEST_MODEL_KEY, input_price: 3, output_price: 15 }\n%s\n%s", kind, s.Base(kind), strings.Join(sections, "\n"), fixtureInstance)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return p.with("TEST_MODEL_KEY=" + providertest.Key)
}

// agentKeys adds keys to the section agent of the place's instance file.
func (p *place) agentKeys(keys string) *place {
	p.t.Helper()
	file := filepath.Join(p.dir, "instance.yaml")
	text, err := os.ReadFile(file)
	if err == nil {
		err = os.WriteFile(file, []byte(strings.Replace(string(text), "output_price: 15", "output_price: 15, "+keys, 1)), 0o600)
	}
	if err != nil {
		p.t.Fatal(err)
	}
	return p
}

// request sends JSON to the place's server.
func (p *place) request(method, path string, body any) (status int, text string) {
	p.t.Helper()
	status, text, err := p.tryRequest(method, path, body)
	if err != nil {
		p.t.Fatal(err)
	}
	return status, text
}

// tryRequest is request for a server that may be gone.
func (p *place) tryRequest(method, path string, body any) (status int, text string, err error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, "", err
	}
	r, err := http.NewRequestWithContext(p.t.Context(), method, p.get("DA_SERVER")+path, strings.NewReader(string(data)))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+p.get("DA_TOKEN"))
	if method == http.MethodGet {
		r.Body, r.ContentLength = http.NoBody, 0
	} else {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, "", err
	}
	return res.StatusCode, string(answer), nil
}

// remoteCount asks the source for a count.
func remoteCount(table string) func(providertest.Request) providertest.Reply {
	return modelSteps(func(last []provider.Result) string { return "There are " + firstCell(last) + "." },
		[]provider.Call{providertest.Call("a", "catalog_search", map[string]any{}), providertest.Call("b", "fetch", map[string]any{"table_id": table})},
		[]provider.Call{providertest.Call("c", "query_remote", map[string]any{"sql": "SELECT count(*) AS n FROM " + table})})
}

// TestAskOverHTTP talks to the model of a server as two users: each has their own
// rights and conversations.
func TestAskOverHTTP(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, remoteCount("airports"))
	admin := newPlace(t).withServerModel(model, provider.Anthropic).served()
	ann, bob := admin.as("ann"), admin.as("bob")
	admin.ok("admin", "grant", "--user", "ann", "--table", "airports", "--columns", "iata", "--rows", "latitude > 40")
	if status, text := ann.request("GET", "/api/agent/health", nil); status != 200 || !strings.Contains(text, `"status":"ok","model":"test-model"`) {
		t.Errorf("health: %d %s", status, text)
	}
	var reply agenthttp.ChatReply
	status, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many airports?"})
	if err := json.Unmarshal([]byte(text), &reply); err != nil || status != 200 || reply.Reply != "There are 2." || reply.Answer.Cost == nil || reply.Tokens != 3620 {
		t.Fatalf("chat: %d %s", status, text)
	}
	if _, text := bob.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many airports?"}); !strings.Contains(text, "forbidden") {
		t.Errorf("bob, who may not see them: %s", text)
	}
	id := reply.Answer.Conversation
	for name, r := range map[string]struct {
		method, path string
		body         any
	}{
		"show":   {"GET", "/api/agent/conversations/" + id, nil},
		"go on":  {"POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "x", Conversation: id}},
		"branch": {"POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "x", Conversation: id, After: new(int)}},
		"reset":  {"POST", "/api/agent/reset", agenthttp.ConversationRequest{Conversation: id}},
	} {
		if status, text := bob.request(r.method, r.path, r.body); status != 400 || !strings.Contains(text, "there is no conversation") {
			t.Errorf("bob can %s ann's conversation: %d %s", name, status, text)
		}
	}
	if status, text := ann.request("GET", "/api/agent/conversations/"+id, nil); status != 200 || !strings.Contains(text, "How many airports?") || strings.Contains(text, providertest.Key) {
		t.Errorf("show: %d %s", status, text)
	}
	ann.branches(id)
	if status, text := ann.request("POST", "/api/agent/reset", agenthttp.ConversationRequest{Conversation: id}); status != 200 || !strings.Contains(text, id) {
		t.Errorf("reset: %d %s", status, text)
	}
	if _, text := ann.request("GET", "/api/agent/conversations", nil); !strings.Contains(text, `"conversations":[]`) {
		t.Errorf("after the reset: %s", text)
	}
	ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many airports?"})
	kept := func() []string {
		found, _ := filepath.Glob(filepath.Join(admin.dir, "*", "agent", "*", "*", "log.jsonl"))
		return found
	}
	if len(kept()) != 2 {
		t.Fatalf("conversations of ann and bob: %v", kept())
	}
	admin.ok("admin", "user", "delete", "bob")
	if len(kept()) != 1 {
		t.Errorf("after bob was deleted: %v", kept())
	}
	var audit []api.AuditEvent
	if err := json.Unmarshal([]byte(admin.ok("admin", "audit", "--user", "ann", "--json")), &audit); err != nil {
		t.Fatal(err)
	}
	seen := false
	for _, e := range audit {
		seen = seen || e.EventType == "remote_query"
	}
	if !seen {
		t.Errorf("the audit has no query of ann's: %+v", audit)
	}
}

// branches asks something else in a conversation of one turn: behind it, and in its
// place. The new ones have receipts of their own, and are deleted again.
func (p *place) branches(id string) {
	p.t.Helper()
	for after, question := range []string{"And airports now?", "Or airports?"} {
		var reply agenthttp.ChatReply
		status, text := p.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: question, Conversation: id, After: &after})
		if err := json.Unmarshal([]byte(text), &reply); err != nil || status != 200 || reply.Reply != "There are 2." {
			p.t.Fatalf("branch after %d: %d %s", after, status, text)
		}
		c := reply.Answer.Conversation
		if c == id || reply.Answer.Receipt != fmt.Sprintf("%s-%d", c, after+1) {
			p.t.Errorf("branch after %d: %+v", after, reply.Answer)
		}
		if _, text := p.request("GET", "/api/agent/receipts/"+reply.Answer.Receipt, nil); !strings.Contains(text, question) {
			p.t.Errorf("its receipt: %s", text)
		}
		_, text = p.request("GET", "/api/agent/conversations/"+c, nil)
		if !strings.Contains(text, fmt.Sprintf(`"from":{"conversation":%q,"turns":%d`, id, after)) || strings.Contains(text, "How many airports?") != (after == 1) {
			p.t.Errorf("branch after %d: %s", after, text)
		}
		p.request("POST", "/api/agent/reset", agenthttp.ConversationRequest{Conversation: c})
	}
	after := 2
	if status, text := p.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "x", Conversation: id, After: &after}); status != 400 || !strings.Contains(text, "after turn 2") {
		p.t.Errorf("branch after a turn that is not there: %d %s", status, text)
	}
	if _, text := p.request("GET", "/api/agent/conversations/"+id, nil); strings.Contains(text, "Or airports?") {
		p.t.Errorf("the other conversation has changed: %s", text)
	}
}

// TestADeletedUsersTurnIsNobodyElses deletes a user whose turn runs, and makes
// another one of the same name, who has rights that the first one had not.
func TestADeletedUsersTurnIsNobodyElses(t *testing.T) {
	t.Parallel()
	var admin *place
	steps := remoteCount("airports")
	asked := 0
	model := providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		if asked++; asked == 2 {
			for _, args := range [][]string{{"user", "delete", "ann"}, {"user", "create", "ann"}, {"grant", "--user", "ann", "--table", "airports"}} {
				if o := admin.run(append([]string{"admin"}, args...)...); o.code != 0 {
					t.Errorf("%v: %s", args, o.stderr)
				}
			}
		}
		return steps(r)
	})
	admin = newPlace(t).withServerModel(model, provider.Anthropic).served()
	ann := admin.as("ann")
	if status, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many airports?"}); status != 400 || !strings.Contains(text, "there is no conversation") {
		t.Errorf("the turn of a deleted user: %d %s", status, text)
	}
	if asked != 2 {
		t.Errorf("the model was asked %d times", asked)
	}
	if left, _ := filepath.Glob(filepath.Join(admin.dir, "*", "agent", "*")); len(left) != 0 {
		t.Errorf("a deleted user left %v", left)
	}
	var made api.CreatedToken
	mustJSON(t, admin.ok("admin", "token", "create", "--user", "ann", "--json"), &made)
	later := ann.with("DA_TOKEN=" + made.Secret)
	if _, text := later.request("GET", "/api/agent/conversations", nil); !strings.Contains(text, `"conversations":[]`) {
		t.Errorf("the later user sees %s", text)
	}
	if _, text := later.request("GET", "/api/agent/health", nil); !strings.Contains(text, `"spent_today":0`) {
		t.Errorf("the later user has spent: %s", text)
	}
}

// TestTheModelsCostOfADayIsBounded asks until the day's money of a user is spent,
// which deleting conversations does not bring back; others go on.
func TestTheModelsCostOfADayIsBounded(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, remoteCount("airports"))
	admin := newPlace(t).withServerModel(model, provider.Anthropic).agentKeys("daily_budget: 0.2").served()
	ann, bob := admin.as("ann"), admin.as("bob")
	total := 0.0
	for n := 1; ; n++ {
		var reply agenthttp.ChatReply
		_, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many airports?"})
		mustJSON(t, text, &reply)
		if reply.Answer.Conversation == "" || n > 20 {
			t.Fatalf("after %d turns: %s", n, text)
		}
		total += *reply.Answer.Cost
		ann.request("POST", "/api/agent/reset", agenthttp.ConversationRequest{Conversation: reply.Answer.Conversation})
		if reply.Answer.Reason == agent.ReasonBudget {
			if !strings.Contains(reply.Reply+reply.Answer.Detail, " is left") {
				t.Errorf("the turn that was not ended: %s", text)
			}
			break
		}
	}
	var h agenthttp.AgentHealth
	_, answer := ann.request("GET", "/api/agent/health", nil)
	mustJSON(t, answer, &h)
	if total == 0 || h.SpentToday == nil || fmt.Sprintf("%.6f", *h.SpentToday) != fmt.Sprintf("%.6f", total) || total > *h.DailyBudget {
		t.Errorf("the turns cost %v, and the server says %s", total, answer)
	}
	if _, text := bob.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "How many airports?"}); !strings.Contains(text, `"reason":"end"`) {
		t.Errorf("bob: %s", text)
	}
	for from, text := range map[string]string{"quota": "[" + ann.ok("quota", "--json") + "]", "admin quota": admin.ok("admin", "quota", "--json")} {
		var quotas []api.QuotaStatus
		mustJSON(t, text, &quotas)
		at := slices.IndexFunc(quotas, func(q api.QuotaStatus) bool { return q.User == "ann" })
		if at < 0 || *quotas[at].ModelCost != *h.SpentToday || *quotas[at].ModelCostLimit != 0.2 || fmt.Sprintf("%.6f", *quotas[at].ModelCostLeft) != fmt.Sprintf("%.6f", 0.2-total) {
			t.Errorf("da %s says %s", from, text)
		}
	}
	if text := ann.ok("quota", "-o", "table"); !strings.Contains(text, "model left") {
		t.Errorf("da quota says %s", text)
	}
	var audit []api.AuditEvent
	mustJSON(t, admin.ok("admin", "audit", "--user", "ann", "--json"), &audit)
	recorded := 0.0
	for _, e := range audit {
		if e.EventType == api.EventModel {
			recorded += *e.Data.Cost
		}
		if noted := e.EventType == api.EventModel || e.EventType == api.EventFile; noted != (e.Data.LatencyMS == nil) {
			t.Errorf("the time that a call took: %+v", e)
		}
	}
	if fmt.Sprintf("%.6f", recorded) != fmt.Sprintf("%.6f", total) {
		t.Errorf("the record says %v, and the turns cost %v", recorded, total)
	}
	spent := fmt.Sprintf(`{"day":%q,"cost_nano":780000000}`, time.Now().UTC().Format(time.DateOnly)) // under another budget
	err := filepath.WalkDir(admin.dir, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || filepath.Base(path) != filepath.Base(purse.File("")) {
			return err
		}
		return os.WriteFile(path, []byte(spent), 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	if status, text := ann.request("POST", "/api/agent/chat/stream", agenthttp.ChatRequest{Message: "How many airports?"}); status != 429 || !strings.Contains(text, "0.78 today, of 0.20 for a day") {
		t.Errorf("nothing is left, and the server says %d %s", status, text)
	}
}

// TestAskStreams follows a turn step by step.
func TestAskStreams(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, remoteCount("flights"))
	ann := newPlace(t).withServerModel(model, provider.OpenAI).served().as("ann")
	_, text := ann.request("POST", "/api/agent/chat/stream", agenthttp.ChatRequest{Message: "How many flights?"})
	var types []string
	last := agent.Event{}
	lines := bufio.NewScanner(strings.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		if name, ok := strings.CutPrefix(lines.Text(), "event: "); ok {
			types = append(types, name)
		}
		if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
			last = agent.Event{}
			if err := json.Unmarshal([]byte(data), &last); err != nil || string(last.Type) != types[len(types)-1] || last.Seq != len(types) {
				t.Fatalf("event %d: %v: %s", len(types), err, data)
			}
		}
	}
	if last.Type != agent.EventReply || last.Answer == nil || last.Answer.Text != "There are 600." {
		t.Errorf("the stream:\n%s", text)
	}
	for _, want := range []string{"partial", "tool_call", "tool_result"} {
		if !strings.Contains(strings.Join(types, " "), want) {
			t.Errorf("no event %s in %v", want, types)
		}
	}
	if status, text := ann.request("POST", "/api/agent/chat/stream", agenthttp.ChatRequest{Message: "x", Budget: -1}); status != 400 || !strings.Contains(text, "below 0") {
		t.Errorf("a budget below 0: %d %s", status, text)
	}
	if status, text := ann.request("POST", "/api/agent/chat/stream", map[string]any{"mesage": "x"}); status != 400 || !strings.Contains(text, "mesage") {
		t.Errorf("a wrong body: %d %s", status, text)
	}
}

// TestAServerWithoutAModelSaysSo has routes that answer nothing.
func TestAServerWithoutAModelSaysSo(t *testing.T) {
	t.Parallel()
	ann := newPlace(t).served().as("ann")
	if status, text := ann.request("GET", "/api/agent/health", nil); status != 200 || !strings.Contains(text, `"status":"off"`) {
		t.Errorf("health: %d %s", status, text)
	}
	if status, text := ann.request("POST", "/api/agent/chat", agenthttp.ChatRequest{Message: "x"}); status != 503 || !strings.Contains(text, "agent_off") {
		t.Errorf("chat: %d %s", status, text)
	}
	nobody := ann.with("DA_TOKEN=da_wrong")
	if status, _ := nobody.request("GET", "/api/agent/conversations", nil); status != 401 {
		t.Errorf("without a token: %d", status)
	}
}
