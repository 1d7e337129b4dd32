package agent_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// bench are tools for tests: read, write and hang.
type bench struct {
	mu     sync.Mutex
	ran    []string
	answer func(name string, arguments json.RawMessage) (string, bool)
	hung   func()
	hangs  time.Duration // how long a call that hangs may take
	both   chan struct{} // if set, a read waits until another one runs
}

func (b *bench) List() []agent.Tool {
	var list []agent.Tool
	for _, name := range []string{"read", "write", "hang"} {
		list = append(list, agent.Tool{Tool: provider.Tool{Name: name, About: "A tool.", Schema: json.RawMessage(`{"type":"object"}`)}, Reads: name == "read"})
	}
	list[2].Time = b.hangs
	return list
}

func (b *bench) Call(ctx context.Context, name string, arguments json.RawMessage) (string, bool) {
	b.mu.Lock()
	b.ran = append(b.ran, name+string(arguments))
	b.mu.Unlock()
	if name == "hang" {
		if b.hung != nil {
			b.hung()
		}
		<-ctx.Done()
		return `{"error":{"code":"interrupted"}}`, true
	}
	if name == "read" && b.both != nil {
		select {
		case b.both <- struct{}{}:
		case <-b.both:
		}
	}
	if b.answer != nil {
		return b.answer(name, arguments)
	}
	return `{"ok":` + string(arguments) + `}`, false
}

// talk is an agent with all that is around it.
type talk struct {
	*agent.Agent
	t      *testing.T
	model  *providertest.Server
	tools  *bench
	store  conversation.Store
	log    *conversation.Log
	cfg    agent.Config
	events []agent.Event
}

func newTalk(t *testing.T, model func(providertest.Request) providertest.Reply, change ...func(*agent.Config)) *talk {
	t.Helper()
	k := &talk{t: t, model: providertest.NewServer(t, model), tools: &bench{}, store: conversation.Store{Dir: t.TempDir(), Now: time.Now}}
	o := k.model.Options(provider.Anthropic)
	o.Wait = func(ctx context.Context, _ time.Duration) error { return ctx.Err() }
	p, err := provider.New(o)
	if err != nil {
		t.Fatal(err)
	}
	k.cfg = agent.Config{Provider: p, Tools: k.tools, System: "You are a test.", Say: func(e agent.Event) { k.events = append(k.events, e) }}
	for _, c := range change {
		c(&k.cfg)
	}
	if k.log, err = k.store.Create(conversation.Record{}); err != nil {
		t.Fatal(err)
	}
	k.start()
	return k
}

// start makes an agent of the log as it is.
func (k *talk) start() {
	k.t.Helper()
	k.cfg.Log = k.log
	a, err := agent.New(k.cfg)
	if err != nil {
		k.t.Fatal(err)
	}
	k.Agent = a
	k.t.Cleanup(k.log.Close)
}

// again opens the conversation as another process would.
func (k *talk) again() {
	k.t.Helper()
	k.log.Close()
	log, err := k.store.Open(k.log.ID)
	if err != nil {
		k.t.Fatal(err)
	}
	k.log = log
	k.start()
}

func (k *talk) ask(question string) agent.Answer {
	k.t.Helper()
	answer, err := k.Ask(k.t.Context(), question)
	if err != nil {
		k.t.Fatal(err)
	}
	return answer
}

func read(id string, n int) provider.Call {
	return providertest.Call(id, "read", map[string]int{"n": n})
}

func write(id string, n int) provider.Call {
	return providertest.Call(id, "write", map[string]int{"n": n})
}

type replies = []providertest.Reply

func script(list ...providertest.Reply) func(providertest.Request) providertest.Reply {
	return providertest.Script(list...)
}

// TestATurn asks, lets the model call, and answers.
func TestATurn(t *testing.T) {
	k := newTalk(t, script(
		providertest.Reply{Text: "I look.", Calls: []provider.Call{read("a", 1), write("b", 2)}, Usage: provider.Usage{Input: 100, Output: 10}},
		providertest.Reply{Text: "It is so.", Usage: provider.Usage{Input: 200, Output: 5}}))
	answer := k.ask("How much?")
	if answer.Text != "It is so." || !answer.Whole() || answer.Calls != 2 || answer.Usage.Total() != 315 || answer.Cost != nil {
		t.Errorf("answer %+v", answer)
	}
	results := k.model.Requests()[1].Results()
	if len(results) != 2 || results[0].Text != `{"ok":{"n":1}}` || results[1].CallID != "b" {
		t.Errorf("results %+v", results)
	}
	var types []string
	for _, e := range k.events {
		if e.Type != agent.EventPartial && e.Type != agent.EventStatus {
			types = append(types, string(e.Type)+" "+e.ID)
		}
	}
	if got := strings.Join(types, ","); got != "begin ,tool_call a,tool_result a,tool_call b,tool_result b,reply " {
		t.Errorf("events: %s", got)
	}
	for i, e := range k.events {
		if e.Seq != i+1 {
			t.Fatalf("event %d has number %d", i+1, e.Seq)
		}
	}
}

// TestReadsRunAtOnceAndWritesAlone lets each read wait for another one: alone
// they would hang.
func TestReadsRunAtOnceAndWritesAlone(t *testing.T) {
	k := newTalk(t, script(providertest.Reply{Calls: []provider.Call{read("a", 1), read("b", 2), write("c", 3), write("d", 4)}}, providertest.Reply{Text: "done"}))
	k.tools.both = make(chan struct{})
	k.ask("x")
	if n := len(k.tools.ran); n != 4 || k.tools.ran[2] != `write{"n":3}` || k.tools.ran[3] != `write{"n":4}` {
		t.Errorf("ran %q", k.tools.ran)
	}
}

// TestWhatGoesWrongIsAnAnswer gives the model back what it did wrong.
func TestWhatGoesWrongIsAnAnswer(t *testing.T) {
	k := newTalk(t, script(providertest.Reply{Calls: []provider.Call{
		{ID: "a", Name: "read", Arguments: `{"n":`}, {ID: "b", Name: "read", Arguments: `[1]`}, providertest.Call("c", "nonsense", map[string]int{}), providertest.Call("d", "hang", map[string]int{}),
		providertest.Call("e", "read", map[string]string{"big": "x"}),
	}}, providertest.Reply{Text: "sorry"}), func(c *agent.Config) { c.Tools.(*bench).hangs = time.Millisecond })
	k.tools.answer = func(name string, arguments json.RawMessage) (string, bool) {
		if strings.Contains(string(arguments), "big") {
			return strings.Repeat("x", 300<<10), false
		}
		return name, name == "nonsense"
	}
	if answer := k.ask("x"); answer.Text != "sorry" {
		t.Errorf("answer %+v", answer)
	}
	for i, want := range []string{"unexpected end of JSON", "not a JSON object", "nonsense", "took longer than 1ms", "more than the"} {
		if r := k.model.Requests()[1].Results()[i]; !r.Failed || !strings.Contains(r.Text, want) {
			t.Errorf("result %d: %+v", i, r)
		}
	}
}

// cycle is a model that makes the same n calls again and again.
func cycle(n int) func(providertest.Request) providertest.Reply {
	return func(r providertest.Request) providertest.Reply {
		return providertest.Reply{Calls: []provider.Call{read("x", r.Number%n)}}
	}
}

// TestStopsAreTold ends turns for reasons other than that the model is done.
func TestStopsAreTold(t *testing.T) {
	endless := func(r providertest.Request) providertest.Reply {
		return providertest.Reply{Text: "more", Calls: []provider.Call{read("x", r.Number)}, Usage: provider.Usage{Input: 1000, Output: 100}}
	}
	for name, c := range map[string]struct {
		model  func(providertest.Request) providertest.Reply
		limits agent.Limits
		prices *agent.Prices
		reason agent.Reason
		calls  int
	}{
		"refusal": {script(providertest.Reply{Text: "no", Stop: provider.StopRefused}), agent.Limits{}, nil, agent.ReasonRefused, 0},
		"length":  {script(providertest.Reply{Text: "it is", Stop: provider.StopLength}), agent.Limits{}, nil, agent.ReasonLength, 0},
		"other":   {script(providertest.Reply{Text: "it is", Stop: provider.StopOther}), agent.Limits{}, nil, agent.ReasonOther, 0},
		"calls":   {endless, agent.Limits{Calls: 7}, nil, agent.ReasonCalls, 7},
		"tokens":  {endless, agent.Limits{Tokens: 20_000, Reply: 500}, nil, agent.ReasonTokens, 17},
		"budget":  {endless, agent.Limits{Budget: agent.MoneyOf(0.05), Reply: 500}, agent.PerMillion(3, 0, 0, 15), agent.ReasonBudget, 10},
		"time": {func(providertest.Request) providertest.Reply {
			return providertest.Reply{Calls: []provider.Call{providertest.Call("x", "hang", map[string]int{})}}
		}, agent.Limits{Turn: 50 * time.Millisecond, Tool: time.Hour}, nil, agent.ReasonTime, 1},
		"same": {func(providertest.Request) providertest.Reply {
			return providertest.Reply{Calls: []provider.Call{read("x", 1)}}
		}, agent.Limits{}, nil, agent.ReasonLoop, 6},
		"cycle of 2": {cycle(2), agent.Limits{Stale: 30}, nil, agent.ReasonLoop, 12},
		"cycle of 3": {cycle(3), agent.Limits{Stale: 30}, nil, agent.ReasonLoop, 18},
		"cycle of 4": {cycle(4), agent.Limits{Stale: 30}, nil, agent.ReasonLoop, 24},
		"cycle of 5": {cycle(5), agent.Limits{Stale: 60}, nil, agent.ReasonCalls, 50},
		"nothing new": {func(r providertest.Request) providertest.Reply {
			return providertest.Reply{Calls: []provider.Call{read("x", r.Number*r.Number%11)}}
		}, agent.Limits{}, nil, agent.ReasonLoop, 31},
	} {
		t.Run(name, func(t *testing.T) {
			k := newTalk(t, c.model, func(cfg *agent.Config) { cfg.Limits, cfg.Prices = c.limits, c.prices })
			answer := k.ask("x")
			if answer.Reason != c.reason || answer.Whole() || answer.Calls != c.calls {
				t.Errorf("answer %+v", answer)
			}
			if c.reason == agent.ReasonBudget && !strings.Contains(answer.Detail, " is left") {
				t.Errorf("the budget: %q", answer.Detail)
			}
			if c.prices != nil && (*answer.TotalCost > 0.05 || *answer.TotalCost < 0.03) {
				t.Errorf("it cost %v", *answer.TotalCost)
			}
			noticed := slices.ContainsFunc(k.events, func(e agent.Event) bool { return e.Type == agent.EventNotice })
			if noticed != (c.reason == agent.ReasonLoop) {
				t.Errorf("noticed: %v", noticed)
			}
		})
	}
}

// taken is a purse whose money other requests hold when this one asks for it.
type taken struct{}

func (taken) Left() agent.Money               { return agent.MoneyOf(1) }
func (taken) Hold(agent.Money) bool           { return false }
func (taken) Settle(agent.Money, agent.Money) {}

func TestOthersHoldTheBudget(t *testing.T) {
	k := newTalk(t, cycle(1), func(c *agent.Config) { c.Purse, c.Prices = taken{}, agent.PerMillion(3, 0, 0, 15) })
	if answer := k.ask("x"); answer.Reason != agent.ReasonBudget || !strings.Contains(answer.Detail, "other requests") {
		t.Errorf("%+v", answer)
	}
}

func TestTurnsAreLimited(t *testing.T) {
	k := newTalk(t, script(providertest.Reply{Text: "yes"}), func(c *agent.Config) { c.Limits.Turns = 2 })
	k.ask("1")
	k.ask("2")
	if _, err := k.Ask(t.Context(), "3"); !api.CodeBudget.Is(err) {
		t.Errorf("a third turn: %v", err)
	}
}

// TestCancelEndsATurn cancels in the middle of a call; the conversation goes on.
func TestCancelEndsATurn(t *testing.T) {
	k := newTalk(t, script(providertest.Reply{Calls: []provider.Call{providertest.Call("x", "hang", map[string]int{}), write("y", 1)}}, providertest.Reply{Text: "fine"}))
	ctx, cancel := context.WithCancel(t.Context())
	k.tools.hung = cancel
	answer, err := k.Ask(ctx, "x")
	if err != nil || answer.Reason != agent.ReasonCancelled || len(k.tools.ran) != 1 {
		t.Fatalf("answer %+v, %v; ran %q", answer, err, k.tools.ran)
	}
	if answer := k.ask("and now?"); answer.Text != "fine" {
		t.Errorf("after it: %+v", answer)
	}
}

// TestAFailedProviderLeavesTheTurnOpen ends with the provider's error, takes
// nothing of the budget, and goes on later.
func TestAFailedProviderLeavesTheTurnOpen(t *testing.T) {
	k := newTalk(t, script(providertest.Reply{Status: 400, Error: "bad"}, providertest.Reply{Text: "there", Usage: provider.Usage{Input: 10, Output: 1}}))
	if _, err := k.Ask(t.Context(), "x"); !api.CodeBadRequest.Is(err) || !k.Open() {
		t.Fatalf("error %v, open %v", err, k.Open())
	}
	k.again()
	answer, err := k.Resume(t.Context())
	if err != nil || answer.Text != "there" || answer.Tokens != 11 || k.Open() {
		t.Errorf("answer %+v, %v", answer, err)
	}
}

// TestABrokenReplyIsPaidFor counts a try that broke off as if it had taken all
// that it might have.
func TestABrokenReplyIsPaidFor(t *testing.T) {
	half := providertest.Reply{Text: strings.Repeat("x", 1000), CutAt: 800}
	k := newTalk(t, script(half, providertest.Reply{Text: "there", Usage: provider.Usage{Input: 10, Output: 1}}), func(c *agent.Config) { c.Limits.Reply = 1000 })
	answer := k.ask("x")
	if answer.Text != "there" || answer.Tokens < 1011 || answer.Usage.Total() != 11 || answer.Reserved != answer.Tokens-11 {
		t.Errorf("answer %+v", answer)
	}
	k = newTalk(t, script(half), func(c *agent.Config) { c.Limits.Reply, c.Limits.Tokens = 1000, 2500 })
	if answer := k.ask("x"); answer.Reason != agent.ReasonTokens || answer.Tokens > 2500 || answer.Reserved == 0 {
		t.Errorf("always broken: %+v", answer)
	}
}

// TestAKillAtEveryStep ends the process in its mind after each record, and in the
// middle of each, and goes on: the answer comes, no write happens twice without
// the model being told that it may, and the log stays whole.
func TestAKillAtEveryStep(t *testing.T) {
	model := func(r providertest.Request) providertest.Reply {
		said := 0
		for _, m := range r.Messages {
			if m.Role == provider.Assistant {
				said++
			}
		}
		list := replies{{Text: "I look.", Calls: []provider.Call{read("a", 1), write("b", 2)}}, {Calls: []provider.Call{write("c", 3)}}, {Text: "done"}}
		return list[min(said, 2)]
	}
	whole := newTalk(t, model)
	whole.ask("x")
	records := whole.log.Records
	for kill := 2; kill < len(records); kill++ {
		for _, half := range []bool{false, true} {
			k := newTalk(t, model)
			for _, r := range records[1:kill] {
				if err := k.log.Append(r); err != nil {
					t.Fatal(err)
				}
			}
			if half {
				k.appendHalf(records[kill])
			}
			k.again()
			if len(k.log.Records) != kill {
				t.Fatalf("after record %d: %d records are left", kill, len(k.log.Records))
			}
			if !k.Open() {
				t.Fatalf("after record %d: the turn is over", kill)
			}
			answer, err := k.Resume(t.Context())
			if err != nil || answer.Text != "done" {
				t.Fatalf("killed after record %d (%s): %+v, %v", kill, records[kill-1].Type, answer, err)
			}
			if records[kill-1].Type == conversation.ToolStarted && !strings.Contains(string(k.model.Requests()[0].Raw), "may have been done or not") {
				t.Errorf("killed after record %d: the model was not told", kill)
			}
			if _, err := k.store.Read(k.log.ID); err != nil {
				t.Errorf("killed after record %d: %v", kill, err)
			}
		}
	}
}

// TestAConversationIsRead holds that what is on disk is the seed's form.
func TestAConversationIsRead(t *testing.T) {
	k := newTalk(t, script(providertest.Reply{Text: "I look.", Calls: []provider.Call{read("tc-1", 1)}}, providertest.Reply{Text: "done"}))
	k.ask("x")
	var got []string
	for _, r := range k.log.Records {
		got = append(got, fmt.Sprint(r.Type, " ", r.MessageID, " ", len(r.ToolCalls), " ", r.ToolCallID))
	}
	want := []string{"conversation  0 ", "user_message u-1 0 ", "model_call  0 ", "assistant_message a-1 1 ", "tool_result tr-1 0 tc-1", "model_call  0 ", "assistant_message a-2 0 ", "turn_end  0 "}
	if !slices.Equal(got, want) {
		t.Errorf("records %q", got)
	}
	all, err := k.store.List()
	if err != nil || len(all) != 1 || all[0].Question != "x" || all[0].Turns != 1 || all[0].Calls != 1 || all[0].Open {
		t.Errorf("list %+v, %v", all, err)
	}
	if _, err := k.store.Open(k.log.ID); !api.CodeSnapshotBusy.Is(err) {
		t.Errorf("opened twice: %v", err)
	}
	k.log.Close()
	if err := k.store.Delete(k.log.ID); err != nil {
		t.Fatal(err)
	}
	if all, err := k.store.List(); err != nil || len(all) != 0 {
		t.Errorf("after deleting: %+v, %v", all, err)
	}
}

// TestIDsAreUniqueInAConversation talks with a model that gives every call the
// same id.
func TestIDsAreUniqueInAConversation(t *testing.T) {
	var n atomic.Int64
	k := newTalk(t, func(providertest.Request) providertest.Reply {
		if i := int(n.Add(1)); i < 4 {
			return providertest.Reply{Calls: []provider.Call{read("call_0", i), read("call_0", i+10)}}
		}
		return providertest.Reply{Text: "done"}
	})
	k.ask("x")
	ids := map[string]int{}
	for _, r := range k.log.Records {
		if r.Type == conversation.ToolResult {
			ids[r.ToolCallID]++
		}
	}
	if len(ids) != 6 {
		t.Errorf("ids %v", ids)
	}
}
