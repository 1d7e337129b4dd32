package agent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/agent/secrets"
	"github.com/agnes-data/da/api"
)

// Config configures an agent.
type Config struct {
	Provider provider.Provider
	Tools    Tools
	Limits   Limits
	// Prices, if not nil, are the prices of the provider.
	Prices *Prices
	// Purse, if not nil, bounds the cost beyond the conversation; it needs Prices.
	Purse Purse
	// Log is the conversation. The caller who opened it closes it.
	Log *conversation.Log
	// System is the system prompt of the model.
	System string
	// Clean removes secrets from everything that is sent to the model, and counts
	// them; nil: only the patterns of package secrets are removed.
	Clean func(string) (string, int)
	// Places are names for folders of this machine, whose paths are not sent to the
	// model. The conversation's own folder needs none.
	Places map[string]string
	// Inputs, if not nil, says which snapshots a call that has just been answered
	// has read.
	Inputs func(tool, arguments string) []conversation.Input
	// Frames, if not nil, returns the rows that the model shows to the user as
	// tables and charts. Errors are those of tools.
	Frames func(context.Context, FrameRequest) (*DataFrame, error)
	// Settle, if not nil, completes the answer of a finished turn, for example
	// with what happens to the files that the turn has changed.
	Settle func(context.Context, *Answer) error
	// Say, if not nil, is called for each step, by one goroutine at a time.
	Say func(Event)
}

// Agent continues one conversation. Its methods must be called one at a time.
type Agent struct {
	Config
	limits Limits
	places secrets.Places
	tools  []Tool
	state  *state
	// warnings are those of this turn.
	warnings []string

	saying sync.Mutex
	seq    int
}

// New returns an agent that continues cfg.Log.
func New(cfg Config) (*Agent, error) {
	a := &Agent{Config: cfg, limits: cfg.Limits.Filled(), tools: cfg.Tools.List()}
	if (a.limits.Budget > 0 || cfg.Purse != nil) && cfg.Prices == nil {
		return nil, &api.Error{Code: api.CodeConfig, Kind: api.KindNoPrices, Message: "a budget in money needs the prices of the model"}
	}
	if a.Clean == nil {
		a.Clean = func(text string) (string, int) { return text, 0 }
	}
	places := maps.Clone(cfg.Places)
	if places == nil {
		places = map[string]string{}
	}
	places[cfg.Log.Files] = ""
	a.places = secrets.NewPlaces(places)
	a.System, _ = a.Clean(a.places.Hide(a.System)) // it names files, which somebody has named
	if cfg.Frames != nil {
		a.tools = append(slices.Clone(a.tools), showTools()...)
	}
	if t, ok := opener(a.tools); ok {
		a.tools = append(slices.Clone(a.tools), t)
	}
	a.state = newState(a.limits, cfg.Prices)
	for _, r := range cfg.Log.Records {
		a.state.apply(r)
	}
	a.state.counted = false // the prompt and the tools may have changed since the last count
	return a, nil
}

// Open reports whether a turn was started and has not ended, for example because
// its process was killed.
func (a *Agent) Open() bool { return a.state.open }

func (a *Agent) clean(text string) (string, int) { return a.Clean(text) }

func (a *Agent) say(e Event) {
	a.saying.Lock()
	defer a.saying.Unlock()
	a.seq++
	e.Seq = a.seq
	if a.Say != nil {
		a.Say(e)
	}
}

// append writes a record to the log and applies it to the state.
func (a *Agent) append(r conversation.Record) error {
	if err := a.Log.Append(r); err != nil {
		return err
	}
	a.state.apply(r)
	return nil
}

// Ask starts a turn with a question and returns its answer. An error means that
// the turn could not continue; what has happened so far is on disk, and Resume
// continues from there.
func (a *Agent) Ask(ctx context.Context, question string) (Answer, error) {
	return a.begin(ctx, question, false)
}

// Plan is like Ask, but the model only says what it would do: calls that change
// something are refused.
func (a *Agent) Plan(ctx context.Context, question string) (Answer, error) {
	return a.begin(ctx, question, true)
}

// Tell adds a note that the model reads with the next question.
func (a *Agent) Tell(note string) error {
	return a.append(conversation.Record{Type: conversation.Notice, Text: note})
}

func (a *Agent) begin(ctx context.Context, question string, plan bool) (Answer, error) {
	if a.state.turns >= a.limits.Turns {
		return Answer{}, &api.Error{Code: api.CodeBudget, Kind: api.KindTurns, Message: fmt.Sprintf("the conversation has its %d turns", a.limits.Turns), Hint: "Begin a new conversation."}
	}
	if err := a.settlePending(""); err != nil {
		return Answer{}, err
	}
	question, hidden := a.clean(question)
	if hidden > 0 {
		a.say(Event{Type: EventStatus, Text: fmt.Sprintf("%d secrets were taken out of the question", hidden)})
	}
	err := a.append(conversation.Record{Type: conversation.UserMessage, MessageID: a.state.next("u"), Role: provider.User, Text: question, Plan: plan})
	if err != nil {
		return Answer{}, err
	}
	return a.turn(ctx)
}

// Resume continues a turn that has not ended.
func (a *Agent) Resume(ctx context.Context) (Answer, error) {
	if err := a.settlePending(""); err != nil {
		return Answer{}, err
	}
	return a.turn(ctx)
}

// errTime is why a turn ends that took too long.
var errTime = errors.New("the turn took too long")

// turn lets the model work until it is done or a limit is reached.
func (a *Agent) turn(ctx context.Context) (Answer, error) {
	within, cancel := context.WithTimeoutCause(ctx, a.limits.Turn, errTime)
	defer cancel()
	a.warnings = nil
	a.say(Event{Type: EventBegin, Conversation: a.Log.ID})
	text, reason, detail, err := a.rounds(within)
	if ctx.Err() != nil {
		reason, err = ReasonCancelled, nil
	} else if errors.Is(context.Cause(within), errTime) {
		reason, err = ReasonTime, nil
	}
	if err != nil {
		return Answer{}, err
	}
	if err := a.settlePending(unmade[reason]); err != nil {
		return Answer{}, err
	}
	if err := a.append(conversation.Record{Type: conversation.TurnEnd, Reason: string(reason), StopDetail: detail}); err != nil {
		return Answer{}, err
	}
	answer := a.answer(text, reason, detail)
	if r, err := receipt.Of(a.Log.Records, a.state.turns); err == nil {
		answer.Untraced = r.Untraced()
		if len(r.Results) > 0 {
			answer.Receipt = r.ID
		}
	}
	if a.Settle != nil {
		if err := a.Settle(context.WithoutCancel(ctx), &answer); err != nil {
			return answer, err
		}
	}
	a.say(Event{Type: EventReply, Text: text, Answer: &answer})
	return answer, nil
}

// answer sums up the turn.
func (a *Agent) answer(text string, reason Reason, detail string) Answer {
	s := a.state
	out := Answer{Conversation: a.Log.ID, Text: text, Reason: reason, Detail: detail, Calls: min(s.calls, a.limits.Calls), Usage: s.usage, Tokens: s.account.tokens, Warnings: a.warnings}
	if a.Prices != nil {
		cost, total := float64(s.account.cost-s.spent)/1e9, float64(s.account.cost)/1e9
		out.Cost, out.TotalCost = &cost, &total
	}
	return out
}

// rounds alternates between asking the model and running its calls. text is the
// last text of the model.
func (a *Agent) rounds(ctx context.Context) (text string, reason Reason, detail string, err error) {
	paused := 0
	for {
		reply, reason, err := a.ask(ctx)
		if reason != "" || err != nil {
			return text, reason, a.lacks(reason), err
		}
		if said := reply.Text(); said != "" {
			text = said
		}
		calls := reply.Calls()
		switch {
		case reply.Stop == provider.StopPaused && paused < 3:
			paused++
			continue
		case reply.Stop == provider.StopRefused:
			return text, ReasonRefused, reply.StopDetail, nil
		case reply.Stop == provider.StopLength && len(calls) == 0:
			return text, ReasonLength, reply.StopDetail, nil
		case len(calls) == 0 && reply.Stop == provider.StopEnd:
			return text, ReasonEnd, "", nil
		case len(calls) == 0:
			return text, ReasonOther, reply.StopDetail, nil
		case a.state.calls >= a.limits.Calls:
			return text, ReasonCalls, fmt.Sprintf("%d tool calls", a.limits.Calls), nil
		case reply.Stop == provider.StopLength: // the last call may be incomplete
			err = a.cutCalls(calls)
		default:
			err = a.work(ctx, calls)
		}
		if err != nil {
			return text, "", "", err
		}
		if reason, detail, err := a.look(); reason != "" || err != nil {
			return text, reason, detail, err
		}
	}
}

// cutCalls answers the calls of a truncated reply: none of them is run.
func (a *Agent) cutCalls(calls []provider.Call) error {
	for _, c := range calls {
		if err := a.record(c, refusal(api.CodeTruncated, "the reply was cut at its longest, so none of its calls was made", "Write a shorter reply.")); err != nil {
			return err
		}
	}
	return nil
}

// ask sends the conversation to the model and records its reply. reason is the
// limit that leaves no room for a reply.
func (a *Agent) ask(ctx context.Context) (provider.Reply, Reason, error) {
	if over(ctx) {
		return provider.Reply{}, ReasonCancelled, nil // the context says whether it was cancelled or timed out
	}
	if a.tooLong() {
		if _, err := a.compact(ctx); err != nil {
			return provider.Reply{}, "", err
		}
	}
	req := a.request()
	most, tokens, cost, reason := a.reserve(a.size(req), leastReply)
	if reason != "" {
		return provider.Reply{}, reason, nil
	}
	req.MaxTokens = most
	hold := conversation.Record{Type: conversation.ModelCall, Tokens: tokens, Cost: int64(cost)}
	if err := a.append(hold); err != nil {
		return provider.Reply{}, "", err
	}
	reply, reason, err := a.send(ctx, req, hold, a.say)
	if errors.Is(err, &api.Error{Code: api.CodeBadRequest, Kind: api.KindContextTooLong}) && !over(ctx) {
		if done, failed := a.compact(ctx); failed != nil {
			return provider.Reply{}, "", failed
		} else if done {
			return a.ask(ctx) // with fewer messages each time
		}
	}
	if reason != "" || err != nil {
		return provider.Reply{}, reason, err
	}
	a.renameCalls(reply.Blocks)
	return reply, "", a.append(conversation.Record{
		Type: conversation.AssistantMessage, MessageID: a.state.next("a"), Role: provider.Assistant, Text: reply.Text(), Model: reply.Model,
		ToolCalls: conversation.CallsOf(reply.Calls()), Blocks: reply.Blocks, Stop: reply.Stop, StopDetail: reply.StopDetail,
		Usage: &reply.Usage, Cost: int64(a.Prices.of(reply.Usage)),
	})
}

// request is the next request to the model.
func (a *Agent) request() provider.Request {
	return provider.Request{System: a.System, Messages: a.state.messages, Tools: a.offer()}
}

// size is the most tokens that a request can have. The schemas of the tools are our
// own English: no tokenizer makes a token of less than two of their bytes.
func (a *Agent) size(req provider.Request) int64 {
	if a.state.counted {
		return a.state.size
	}
	tools := bytesOf(req.Tools)
	return bytesOf(req) - tools + tools/2
}

func over(ctx context.Context) bool { return ctx.Err() != nil }

// send asks the provider and reports progress. The cost of a try that broke off
// is unknown, so the next try needs a reservation of its own.
func (a *Agent) send(ctx context.Context, req provider.Request, hold conversation.Record, say func(Event)) (provider.Reply, Reason, error) {
	trying, stop := context.WithCancel(ctx)
	defer stop()
	var reason Reason
	var failed error
	began := time.Now()
	reply, err := a.Provider.Send(trying, req, func(d provider.Delta) {
		switch {
		case d.Again:
			say(Event{Type: EventRestart, Text: d.Why})
			if !d.Begun {
				return
			}
			a.state.account.spend()
			if _, _, _, reason = a.reserve(hold.Tokens-req.MaxTokens, req.MaxTokens); reason != "" {
				stop()
			} else if failed = a.append(hold); failed != nil {
				stop()
			}
		case d.Thinking != "":
			say(Event{Type: EventThinking, Text: d.Thinking})
		case d.Text != "":
			say(Event{Type: EventPartial, Text: d.Text})
		}
	})
	switch {
	case failed != nil:
		return provider.Reply{}, "", failed
	case reason != "":
		return provider.Reply{}, reason, nil
	case err != nil:
		var e *api.Error
		if errors.As(err, &e) && e.Code != api.CodeInterrupted && e.Details[provider.DetailBegun] != true {
			a.settle(hold.Cost, 0)
			err = errors.Join(err, a.append(conversation.Record{Type: conversation.ModelFailed, Text: e.Message}))
		}
		return provider.Reply{}, "", err
	}
	a.settle(hold.Cost, a.Prices.of(reply.Usage))
	say(Event{Type: EventStatus, Text: "the model has answered", Millis: time.Since(began).Milliseconds()})
	return reply, "", nil
}

// renameCalls gives calls ids that are unique in the conversation: with some
// providers, the ids start over with each reply.
func (a *Agent) renameCalls(blocks []provider.Block) {
	for i, b := range blocks {
		if b.Call == nil {
			continue
		}
		id := b.Call.ID
		for n := 2; a.state.ids[id]; n++ {
			id = fmt.Sprintf("%s_%d", b.Call.ID, n)
		}
		blocks[i].Call.ID = id
		a.state.ids[id] = true
	}
}
