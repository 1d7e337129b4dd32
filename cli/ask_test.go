package cli

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/cli/ask"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// withModel configures a model at the place.
func (p *place) withModel(s *providertest.Server, kind provider.Kind, more ...string) *place {
	p.t.Helper()
	config := filepath.Join(p.t.TempDir(), "config")
	text := fmt.Sprintf("agent:\n  provider: %s\n  model: test-model\n  base_url: %s\n  api_key_env: TEST_MODEL_KEY\n", kind, s.Base(kind))
	for _, line := range more {
		text += "  " + line + "\n"
	}
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return p.with("DA_CONFIG="+config, "TEST_MODEL_KEY="+providertest.Key)
}

// steps is a model that makes the calls of each step, and then answers.
func modelSteps(answer func(last []provider.Result) string, steps ...[]provider.Call) func(providertest.Request) providertest.Reply {
	return func(r providertest.Request) providertest.Reply {
		done := 0
		for _, m := range r.Messages[lastQuestion(r.Messages):] {
			if m.Role == provider.Assistant {
				done++
			}
		}
		if done < len(steps) {
			return providertest.Reply{Text: fmt.Sprintf("Step %d.", done+1), Calls: steps[done], Usage: provider.Usage{Input: 1000, Output: 50}}
		}
		if done > len(steps) { // it is asked to correct its answer, and says it again
			said := r.Messages[len(r.Messages)-2].Blocks
			return providertest.Reply{Text: said[len(said)-1].Text, Usage: provider.Usage{Input: 1500, Output: 20}}
		}
		return providertest.Reply{Text: answer(r.Results()), Usage: provider.Usage{Input: 1500, Output: 20}}
	}
}

// lastQuestion is the index of the message with the last question.
func lastQuestion(messages []provider.Message) int {
	for i := len(messages) - 1; i >= 0; i-- {
		if messages[i].Role == provider.User && !slices.ContainsFunc(messages[i].Blocks, func(b provider.Block) bool { return b.Result != nil || strings.Contains(b.Text, " in no result: ") }) {
			return i
		}
	}
	return 0
}

// firstCell is the first value of the rows that a tool has answered.
func firstCell(results []provider.Result) string {
	var answer struct {
		Rows     string                     `json:"rows"`
		Constant map[string]json.RawMessage `json:"constant"`
	}
	if len(results) == 0 || json.Unmarshal([]byte(results[len(results)-1].Text), &answer) != nil {
		return fmt.Sprint("no rows in ", results)
	}
	for _, v := range answer.Constant {
		return string(v)
	}
	rows, err := csv.NewReader(strings.NewReader(answer.Rows)).ReadAll()
	if err != nil || len(rows) < 2 {
		return fmt.Sprint("no rows in ", results)
	}
	return rows[1][0]
}

// lateFlights finds, prices, fetches and counts.
func lateFlights() func(providertest.Request) providertest.Reply {
	call := providertest.Call
	return modelSteps(func(last []provider.Result) string { return "There were " + firstCell(last) + " late departures." },
		[]provider.Call{call("a", "catalog_search", map[string]any{"query": "flights"})},
		[]provider.Call{call("b", "catalog_schema", map[string]any{"table_id": "flights"}), call("c", "snapshot_list", map[string]any{}),
			call("d", "fetch_estimate", map[string]any{"table_id": "flights", "where": "delay > 60"})},
		[]provider.Call{call("e", "fetch", map[string]any{"table_id": "flights", "where": "delay > 60", "as": "late"})},
		[]provider.Call{call("f", "query", map[string]any{"sql": "SELECT count(*) AS n FROM late"})})
}

// TestAsk answers a question end to end with each protocol, over an embedded and a
// served instance.
func TestAsk(t *testing.T) {
	t.Parallel()
	embedded := newPlace(t)
	served := newPlace(t).served()
	want := "There were 54 late departures.\n"
	for kind, p := range map[provider.Kind]*place{provider.Anthropic: embedded, provider.OpenAI: served, provider.Compatible: newPlace(t)} {
		t.Run(string(kind), func(t *testing.T) {
			model := providertest.NewServer(t, lateFlights())
			p := p.withModel(model, kind, "input_price: 3", "output_price: 15")
			o := p.run("ask", "How many departures were late?")
			if o.code != 0 || o.stdout != want {
				t.Fatalf("exit %d: %s\n%s", o.code, o.stdout, o.stderr)
			}
			for _, line := range []string{"  catalog_search flights: ", "  fetch flights, as late, where delay > 60: ", "6 tool calls, 5 720 tokens, cost 0.0"} {
				if !strings.Contains(o.stderr, line) {
					t.Errorf("stderr lacks %q:\n%s", line, o.stderr)
				}
			}
			for _, r := range model.Requests() {
				if strings.Contains(string(r.Raw), providertest.Key) {
					t.Error("the key was sent in the body")
				}
			}
			if first := model.Requests()[0]; !strings.Contains(string(first.Raw), "no snapshots and no files") {
				t.Errorf("the model was told %s", first.Raw)
			}
		})
	}
}

// TestAskGoesOn continues a conversation, as JSON and as events.
func TestAskGoesOn(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, lateFlights())
	p := newPlace(t).withModel(model, provider.Anthropic)
	p.ok("ask", "How many?")
	var answer agent.Answer
	if err := json.Unmarshal([]byte(p.ok("ask", "And again?", "--continue", "-o", "json")), &answer); err != nil {
		t.Fatal(err)
	}
	if answer.Text != "There were 54 late departures." || !answer.Whole() || answer.Calls != 6 || answer.Cost != nil {
		t.Errorf("answer %+v", answer)
	}
	last := model.Requests()[len(model.Requests())-1]
	if n := len(last.Messages); n != 19 {
		t.Errorf("the model saw %d messages", n)
	}
	var types []string
	for _, line := range strings.Split(strings.TrimSpace(p.ok("ask", "Once more?", "--continue", "-o", "ndjson")), "\n") {
		var e agent.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		types = append(types, string(e.Type))
	}
	asked := model.Requests()
	before, after := asked[len(asked)-8], asked[len(asked)-1]
	if before.System != after.System || !reflect.DeepEqual(before.Messages, after.Messages[:len(before.Messages)]) {
		t.Errorf("another prefix, which no provider can have kept:\n%s\n%s", before.System, after.System)
	}
	for _, name := range []string{"catalog_sync", "snapshot_drop"} {
		if strings.Contains(after.System, name) {
			t.Errorf("advice for %s, which the model does not have", name)
		}
	}
	if types[len(types)-1] != "reply" || !slices.Contains(types, "tool_result") || !slices.Contains(types, "partial") {
		t.Errorf("events %v", types)
	}
	var list ask.ConversationList
	if err := json.Unmarshal([]byte(p.ok("conversations", "list", "--json")), &list); err != nil || len(list.Conversations) != 1 || list.Conversations[0].Turns != 3 {
		t.Fatalf("conversations %+v, %v", list, err)
	}
	id := list.Conversations[0].ID
	if text := p.ok("conversations", "show", id); !strings.Contains(text, "> Once more?") || !strings.Contains(text, "  query SELECT ") {
		t.Errorf("shown:\n%s", text)
	}
	lines := strings.Split(strings.TrimSpace(p.ok("conversations", "export", id)), "\n")
	var first conversation.Record
	if err := json.Unmarshal([]byte(lines[0]), &first); err != nil || first.Format != conversation.Format || first.ID != id {
		t.Errorf("exported %s, %v", lines[0], err)
	}
	p.ok("conversations", "delete", id)
	if o := p.run("ask", "x", "--conversation", id); o.code != 2 || !strings.Contains(o.stderr, "da conversations list") {
		t.Errorf("a deleted one: exit %d: %s", o.code, o.stderr)
	}
}

// TestAskReadsFiles gives the model a file, and no other.
func TestAskReadsFiles(t *testing.T) {
	t.Parallel()
	call := providertest.Call
	p := newPlace(t)
	for name, text := range map[string]string{"sales.csv": "product,price\ntea,3\ncoffee,4\n", "secret.csv": "a\n1\n"} {
		if err := os.WriteFile(filepath.Join(p.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	model := providertest.NewServer(t, modelSteps(func(last []provider.Result) string { return last[0].Text + last[1].Text + last[2].Text },
		[]provider.Call{call("a", "table_query", map[string]any{"path": "sales.csv", "query": "SELECT sum(price) FROM data"}),
			call("b", "table_get_map", map[string]any{"path": filepath.Join(p.dir, "secret.csv")}),
			call("c", "table_export", map[string]any{"path": "sales.csv", "target_path": "out.csv"})}))
	p = p.withModel(model, provider.Compatible)
	text := p.ok("ask", "How much?", "--file", "sales.csv")
	if !strings.Contains(text, `sum(price):integer\n7\n`) || !strings.Contains(text, "SANDBOX_VIOLATION") || !strings.Contains(string(model.Requests()[0].Raw), `\"sales.csv\"`) {
		t.Errorf("answer:\n%s\nrequest:\n%s", text, model.Requests()[0].Raw)
	}
	if _, err := os.Stat(filepath.Join(p.dir, "out.csv")); err == nil {
		t.Error("the model has written beside the user's files")
	}
}

// TestAskSaysWhatIsMissing ends with exit code 2 and what to set, and reaches
// nobody.
func TestAskSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	model := providertest.NewServer(t, providertest.Script(providertest.Reply{Text: "x"}))
	base := []string{"ask", "x", "--provider", "compatible", "--base-url", model.Base(provider.Compatible)}
	for says, o := range map[string]outcome{
		"no model is configured":                p.run("ask", "x"),
		"no model is named":                     p.run("ask", "x", "--provider", "openai"),
		"OPENAI_API_KEY is not set":             p.run("ask", "x", "--provider", "openai", "--model", "m"),
		"base URL":                              p.run("ask", "x", "--provider", "compatible", "--model", "m"),
		"a budget needs the prices":             p.run(append(base, "--model", "m", "--budget", "1")...),
		"is not an amount":                      p.run("ask", "x", "--budget", "much"),
		"no question is given":                  p.run("ask"),
		"there is no conversation to continue":  p.withModel(model, provider.Anthropic).run("ask", "--continue"),
		"is more than the 0.50 of agent.budget": p.withModel(model, provider.Anthropic, "budget: 0.5", "input_price: 1").run("ask", "x", "--budget", "2"),
		"cannot be written as csv":              p.run("ask", "x", "-o", "csv"),
		"there is no conversation 'nonsense'":   p.withModel(model, provider.Anthropic).run("ask", "x", "--conversation", "nonsense"),
		"cannot read 'nonsense.csv'":            p.withModel(model, provider.Anthropic).run("ask", "x", "--file", "nonsense.csv"),
	} {
		if o.code != 2 || !strings.Contains(o.stderr, says) {
			t.Errorf("%s: exit %d: %s", says, o.code, o.stderr)
		}
	}
	if n := len(model.Requests()); n != 0 {
		t.Errorf("the model was asked %d times", n)
	}
}

// TestAskEndsByItsLimits prints what the model has said and ends with exit code 3.
func TestAskEndsByItsLimits(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		return providertest.Reply{Text: "I am not done.", Calls: []provider.Call{providertest.Call("a", "query", map[string]any{"sql": fmt.Sprint("SELECT ", r.Number)})}, Usage: provider.Usage{Input: 10, Output: 5}}
	})
	p := newPlace(t).withModel(model, provider.OpenAI, "max_tool_calls: 2")
	o := p.run("ask", "x")
	if o.code != 3 || o.stdout != "I am not done.\n" || !strings.Contains(o.stderr, "all its tool calls") {
		t.Errorf("exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
}

// TestChatOnATerminal edits a question, completes a command and takes a question
// from the history.
func TestChatOnATerminal(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, func(r providertest.Request) providertest.Reply {
		said := r.Messages[len(r.Messages)-1].Blocks
		return providertest.Reply{Text: "You said " + said[len(said)-1].Text, Usage: provider.Usage{Input: 10, Output: 1}}
	})
	p := newPlace(t).withModel(model, provider.OpenAI)
	s := newScreen(t, p, 80, "trap : INT; da chat; echo left with $?; read wait")
	s.shows("you>")
	s.keys("how manyx")
	s.press("BSpace")
	s.keys("?")
	s.press("Enter")
	s.shows("You said how many?")
	s.keys("/co")
	s.press("Tab")
	s.shows("you> /cost")
	s.press("Enter")
	s.shows("11 tokens so far")
	s.press("Up", "Up")
	s.shows("tokens so far\nyou> how many?")
	s.pressUntil("C-c", "you> how many?\nyou>")
	s.keys("x")
	s.shows("you> x")
	s.press("BSpace", "C-d")
	s.shows("left with 0")
}

// TestChat asks two questions on standard input, and what it took.
func TestChat(t *testing.T) {
	t.Parallel()
	model := providertest.NewServer(t, providertest.Script(providertest.Reply{Text: "One.", Usage: provider.Usage{Input: 10, Output: 1}}, providertest.Reply{Text: "Two.", Usage: provider.Usage{Input: 20, Output: 1}}))
	p := newPlace(t).withModel(model, provider.OpenAI)
	cmd := p.command("chat")
	cmd.Stdin = strings.NewReader("first?\n\nsecond?\n/cost\n/files\n/nope\n/quit\nthird?\n")
	o := finish(t, cmd)
	if o.code != 0 || !strings.HasPrefix(o.stdout, "One.\nTwo.\n32 tokens so far\nThe workspace has no files") || !strings.Contains(o.stdout, "There is no command '/nope'") || len(model.Requests()) != 2 {
		t.Errorf("exit %d: %s\n%s", o.code, o.stdout, o.stderr)
	}
}
