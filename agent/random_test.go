package agent_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// TestALongConversationIsSummedUp talks for 100 turns with a context that holds a few:
// names of early turns and figures of later ones are still there, and what is sent
// stays small.
func TestALongConversationIsSummedUp(t *testing.T) {
	long := strings.Repeat("line ", 500)
	model := func(r providertest.Request) providertest.Reply {
		usage := provider.Usage{Input: int64(len(r.Raw) / 2), Output: 20}
		last := r.Messages[len(r.Messages)-1]
		if text := last.Blocks[len(last.Blocks)-1].Text; strings.HasPrefix(text, "Sum up") {
			return providertest.Reply{Text: "We counted things.", Usage: usage}
		}
		if len(r.Results()) == 0 {
			return providertest.Reply{Calls: []provider.Call{providertest.Call("x", "write", map[string]any{"n": r.Number, "path": fmt.Sprintf("part_%d.csv", r.Number), "content": long})}, Usage: usage}
		}
		return providertest.Reply{Text: "It is so.", Usage: usage}
	}
	k := newTalk(t, model, func(c *agent.Config) { c.Limits = agent.Limits{Turns: 1000, Tokens: 1 << 40} })
	k.tools.answer = func(_ string, arguments json.RawMessage) (string, bool) {
		return `{"ok":` + string(arguments) + `,"pad":"` + strings.Repeat("x", 2500) + `"}`, false
	}
	largest := 0
	for i := range 100 {
		k.ask(fmt.Sprintf("Question %d", i))
	}
	for _, r := range k.model.Requests() {
		largest = max(largest, len(r.Raw))
	}
	if largest > 300_000 {
		t.Errorf("a request has %d bytes", largest)
	}
	all := k.model.Requests()
	last := string(all[len(all)-1].Raw)
	for _, want := range []string{"We counted things.", `x_30\`, "part_190.csv", "Question 99"} {
		if !strings.Contains(last, want) {
			t.Errorf("the last request lacks %q", want)
		}
	}
	before := k.ask("and?")
	k.again()
	after := k.ask("and?")
	if after.Tokens <= before.Tokens {
		t.Errorf("tokens %d after %d", after.Tokens, before.Tokens)
	}
}

// TestAContextThatIsTooLongIsSummedUp goes on when the provider says so.
func TestAContextThatIsTooLongIsSummedUp(t *testing.T) {
	k := newTalk(t, func(r providertest.Request) providertest.Reply {
		if len(r.Messages) > 16 {
			return providertest.Reply{Status: 400, Error: "prompt is too long"}
		}
		return providertest.Reply{Text: "fine"}
	})
	for i := range 20 {
		if answer := k.ask(strconv.Itoa(i)); answer.Text != "fine" {
			t.Fatalf("turn %d: %+v", i, answer)
		}
	}
}

// TestASummaryThatBreaksOffIsPaidFor counts each try of a summary that nobody has
// seen the end of as its reservation, also after the log was read again.
func TestASummaryThatBreaksOffIsPaidFor(t *testing.T) {
	k := newTalk(t, func(r providertest.Request) providertest.Reply {
		last := r.Messages[len(r.Messages)-1]
		if strings.HasPrefix(last.Blocks[len(last.Blocks)-1].Text, "Sum up") {
			return providertest.Reply{Text: strings.Repeat("word ", 500), CutAt: 1200}
		}
		return providertest.Reply{Text: strings.Repeat("fine ", 200), Usage: provider.Usage{Input: 2000, Output: 200}}
	}, func(c *agent.Config) {
		c.Limits, c.Prices = agent.Limits{Context: 1000}, agent.PerMillion(3, 0, 0, 15)
	})
	broke := false
	for i := range 9 {
		answer := k.ask(fmt.Sprint("Question ", i))
		tokens, cost := spent(k.log.Records)
		if tokens != answer.Tokens || cost != agent.MoneyOf(*answer.TotalCost) {
			t.Fatalf("turn %d: the answer says %d tokens and %v, the log %d and %v", i, answer.Tokens, *answer.TotalCost, tokens, cost)
		}
		for _, r := range k.log.Records {
			broke = broke || r.Type == conversation.Summary && r.Usage == nil
		}
		k.again()
	}
	if tokens, _ := spent(k.log.Records); !broke || tokens < 9*2200+8192 {
		t.Errorf("%d tokens were spent; a summary broke off: %v", tokens, broke)
	}
}

// TestQuestionsOutliveSummaries sums up in the middle of a turn: its question and the
// first of the conversation are still sent word for word, also when the summary fails,
// which the user and the model are told.
func TestQuestionsOutliveSummaries(t *testing.T) {
	for _, c := range []struct {
		name    string
		summary providertest.Reply
		warned  string
	}{
		{"summed up", providertest.Reply{Text: "We counted things."}, ""},
		{"refused", providertest.Reply{Status: 400, Error: "no summaries today"}, "no summaries today"},
		{"empty", providertest.Reply{Text: " "}, "the model wrote none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			k := newTalk(t, func(r providertest.Request) providertest.Reply {
				last := r.Messages[len(r.Messages)-1]
				text := last.Blocks[len(last.Blocks)-1].Text
				switch {
				case strings.HasPrefix(text, "Sum up"):
					return c.summary
				case r.Number > 60 || strings.HasPrefix(text, "How many"):
					return providertest.Reply{Text: "It is so."}
				}
				return providertest.Reply{Calls: []provider.Call{read("x", r.Number)}}
			}, func(c *agent.Config) { c.Limits = agent.Limits{Context: 2000, Calls: 100} })
			k.tools.answer = func(_ string, arguments json.RawMessage) (string, bool) {
				return `{"ok":` + string(arguments) + `,"pad":"` + strings.Repeat("x", 400) + `"}`, false
			}
			k.ask("How many <flights> are there in '2001'?")
			answer := k.ask("And which of them were late, by state?")
			if k.again(); !k.Open() {
				k.ask("How many words?")
			}
			all := k.model.Requests()
			for _, r := range all[1:] {
				for _, want := range []string{"How many <flights> are there in '2001'?", "And which of them were late, by state?"} {
					if n := strings.Count(sent(r), want); n != 1 && r.Number <= 60 {
						t.Fatalf("request %d has %q %d times:\n%s", r.Number, want, n, sent(r))
					}
				}
			}
			told := strings.Join(answer.Warnings, "; ")
			if (c.warned == "") != (told == "") || !strings.Contains(told, c.warned) {
				t.Errorf("warnings %q", told)
			}
			if strings.Contains(sent(all[len(all)-1]), "could not be summed up") != (c.warned != "") {
				t.Errorf("the model was told:\n%s", sent(all[len(all)-1]))
			}
		})
	}
}

// sent is the text of a request.
func sent(r providertest.Request) string {
	var b strings.Builder
	for _, m := range r.Messages {
		for _, block := range m.Blocks {
			b.WriteString(block.Text + "\n")
		}
	}
	return b.String()
}

// conversationsToTry is how many random ones run: few in every test run, many by hand.
func conversationsToTry() int {
	if n, err := strconv.Atoi(os.Getenv("DA_CONVERSATIONS")); err == nil {
		return n
	}
	return 25
}

// chaos is a model that does anything.
func chaos(rnd *rand.Rand) func(providertest.Request) providertest.Reply {
	return func(r providertest.Request) providertest.Reply {
		reply := providertest.Reply{Usage: provider.Usage{Input: int64(len(r.Raw) / 4), Output: rnd.Int64N(max(r.MaxTokens, 1))}}
		if rnd.IntN(3) > 0 {
			reply.Text = strings.Repeat("word ", rnd.IntN(20))
		}
		for range rnd.IntN(4) {
			call := provider.Call{ID: []string{"", "a", "b", "call_0", "ü:1"}[rnd.IntN(5)], Name: []string{"read", "read", "write", "nonsense", ""}[rnd.IntN(5)],
				Arguments: []string{`{"n":1}`, `{"n":2}`, `{`, `[]`, ``, `null`, fmt.Sprintf(`{"n":%d}`, rnd.IntN(1000))}[rnd.IntN(7)]}
			reply.Calls = append(reply.Calls, call)
		}
		reply.Stop = []provider.Stop{"", "", "", "", provider.StopLength, provider.StopRefused, provider.StopPaused, provider.StopOther}[rnd.IntN(8)]
		switch rnd.IntN(12) {
		case 0:
			reply.CutAt = 1 + rnd.IntN(600)
		case 1:
			reply.Status, reply.Error = []int{429, 500, 529, 400}[rnd.IntN(4)], "no"
		case 2:
			reply.Overload = true
		case 3:
			reply.Piece = 1 + rnd.IntN(9)
		}
		return reply
	}
}

// TestRandomConversations talks with models that do anything: every turn ends, the
// limits hold, the budget is exact, the log is whole and says what was done, and
// it goes on from disk as it was.
func TestRandomConversations(t *testing.T) {
	for seed := range uint64(conversationsToTry()) {
		rnd := rand.New(rand.NewPCG(seed, 7)) //nolint:gosec // to be repeated
		budget := agent.MoneyOf(0.02 + rnd.Float64()/2)
		prices := agent.PerMillion(3, 0.3, 3.75, 15)
		limits := agent.Limits{Calls: 1 + rnd.IntN(20), Turns: 5, Budget: budget, Tokens: 20_000 + rnd.Int64N(200_000), Reply: 256 + rnd.Int64N(2000), Context: 1000 + rnd.Int64N(5000)}
		k := newTalk(t, chaos(rnd), func(c *agent.Config) { c.Limits, c.Prices = limits, prices })
		f := openFiles(t, t.TempDir(), k.log.ID, nil)
		k.tools.answer = func(name string, arguments json.RawMessage) (string, bool) {
			if name == "write" {
				return f.write(arguments)
			}
			return `{"ok":` + string(arguments) + `}`, false
		}
		for turn := range 4 {
			answer, err := k.Ask(t.Context(), fmt.Sprintf("Question %d", turn))
			if err == nil && (answer.Calls > limits.Calls || agent.MoneyOf(*answer.TotalCost) > budget || answer.Tokens > limits.Tokens) {
				t.Fatalf("seed %d: beyond its limits %+v: %+v cost %v", seed, limits, answer, *answer.TotalCost)
			}
			if tokens, cost := spent(k.log.Records); err == nil && (cost != agent.MoneyOf(*answer.TotalCost) || tokens != answer.Tokens) {
				t.Fatalf("seed %d: the answer says %d tokens and %v, the log %d and %v", seed, answer.Tokens, *answer.TotalCost, tokens, cost)
			}
			if rnd.IntN(3) == 0 {
				k.again()
			}
			if k.Open() {
				_, _ = k.Resume(t.Context()) // the provider may fail again
			}
		}
		k.checkLog(seed)
		f.check(t, fmt.Sprintf("seed %d", seed))
	}
}

// spent counts what the records of a conversation say that it took: what the
// provider has counted, and the reservation of each request that broke off.
func spent(records []conversation.Record) (tokens int64, cost agent.Money) {
	var held conversation.Record
	take := func(r conversation.Record) { tokens, cost = tokens+r.Tokens, cost+agent.Money(r.Cost) }
	for _, r := range records {
		switch r.Type {
		case conversation.ModelCall:
			take(held)
			held = r
		case conversation.ModelFailed:
			held = conversation.Record{}
		case conversation.AssistantMessage, conversation.Summary:
			if r.Usage == nil { // a summary that nobody wrote
				take(held)
			} else {
				tokens += r.Usage.Total()
			}
			cost += agent.Money(r.Cost)
			held = conversation.Record{}
		}
	}
	take(held)
	return tokens, cost
}

// checkLog holds that every call has one result, and that the log is what was
// written.
func (k *talk) checkLog(seed uint64) {
	k.t.Helper()
	records, err := k.store.Read(k.log.ID)
	if err != nil {
		k.t.Fatalf("seed %d: %v", seed, err)
	}
	written, _ := json.Marshal(k.log.Records)
	read, _ := json.Marshal(records)
	if !reflect.DeepEqual(written, read) {
		k.t.Fatalf("seed %d: the log differs from what was written", seed)
	}
	open := map[string]bool{}
	for i, r := range records {
		for _, c := range r.ToolCalls {
			if open[c.ID] {
				k.t.Fatalf("seed %d: record %d: call %s again", seed, i, c.ID)
			}
			open[c.ID] = true
		}
		if r.Type == conversation.ToolResult {
			if !open[r.ToolCallID] {
				k.t.Fatalf("seed %d: record %d: a result without a call", seed, i)
			}
			delete(open, r.ToolCallID)
		}
	}
}
