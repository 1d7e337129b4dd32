package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/hidden"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/guard/untrusted"
)

// Ask starts a turn with a question and returns its answer. An error means that
// the turn could not continue; what has happened so far is on disk, and Resume
// continues from there. files are attached to the question.
func (a *Agent) Ask(ctx context.Context, question string, files ...conversation.File) (Answer, error) {
	return a.begin(ctx, question, false, files)
}

// Plan is like Ask, but the model only says what it would do: calls that change
// something are refused.
func (a *Agent) Plan(ctx context.Context, question string, files ...conversation.File) (Answer, error) {
	return a.begin(ctx, question, true, files)
}

func (a *Agent) begin(ctx context.Context, question string, plan bool, files []conversation.File) (Answer, error) {
	if a.state.turns >= a.limits.Turns {
		return Answer{}, &api.Error{Code: api.CodeBudget, Kind: api.KindTurns,
			Message: fmt.Sprintf("the conversation has its %d turns", a.limits.Turns), Hint: "Begin a new conversation."}
	}
	if err := a.settlePending(""); err != nil {
		return Answer{}, err
	}
	question, hidden := a.clean(question)
	if hidden > 0 {
		a.say(Event{Type: EventStatus, Text: fmt.Sprintf("%d secrets were taken out of the question", hidden)})
	}
	if there := a.lead(ctx, question); there != "" {
		if err := a.append(conversation.Record{Type: conversation.There, Text: there}); err != nil {
			return Answer{}, err
		}
	}
	err := a.append(conversation.Record{Type: conversation.UserMessage, MessageID: a.state.next("u"), Role: provider.User, Text: question,
		Plan: plan, Files: files})
	if err != nil {
		return Answer{}, err
	}
	return a.turn(ctx)
}

// lead is what the model is told before the question, of the day and the data; "" if it
// knows that already.
func (a *Agent) lead(ctx context.Context, question string) string {
	there := a.There
	if a.Gist != nil && a.state.turns == 0 && a.state.values == nil {
		if text := a.Gist(ctx, question); text != "" {
			text, _ = a.Clean(a.places.Hide(text))
			there += gistLead + untrusted.FenceOf(a.Log.Marks()).Wrap(text)
		}
	}
	if strings.HasPrefix(a.state.there, there) {
		return ""
	}
	return there
}

// Estimate is the size of the first request that a question makes.
type Estimate struct {
	Tokens int64 `json:"tokens" jsonschema:"of the first request; each call of a tool makes another one, which has these again"`
	// Estimated says that the tokens follow from the bytes, as the provider does not count.
	Estimated bool     `json:"estimated" jsonschema:"the provider has not counted: the tokens are a third of the bytes"`
	Cost      *float64 `json:"cost" jsonschema:"of the request, without the reply; null if no prices are set"`
}

// Estimate returns how large the first request of a question would be. It sends the
// question to nobody but a provider that counts, writes nothing down, and ends the use
// of the agent.
func (a *Agent) Estimate(ctx context.Context, question string) Estimate {
	question, _ = a.clean(question)
	if there := a.lead(ctx, question); there != "" {
		a.state.apply(conversation.Record{Type: conversation.There, Text: there})
	}
	a.state.apply(conversation.Record{Type: conversation.UserMessage, Role: provider.User, Text: question})
	req := a.request()
	out := Estimate{Tokens: a.Provider.Count(ctx, req)}
	if out.Tokens == 0 {
		out.Tokens, out.Estimated = bytesOf(req)/bytesPerToken+picturesOf(req)*pictureTokens, true
	}
	if a.Prices != nil {
		cost := float64(Money(out.Tokens)*a.Prices.Input) / 1e9
		out.Cost = &cost
	}
	return out
}

// Resume continues a turn that has not ended.
func (a *Agent) Resume(ctx context.Context) (Answer, error) {
	if err := a.settlePending(""); err != nil {
		return Answer{}, err
	}
	return a.turn(ctx)
}

// turn lets the model work until it is done or a limit is reached.
func (a *Agent) turn(ctx context.Context) (Answer, error) {
	within, cancel := context.WithTimeoutCause(ctx, a.limits.Turn, errTime)
	defer cancel()
	a.warnings = nil
	a.say(Event{Type: EventBegin, Conversation: a.Log.ID})
	text, reason, detail, err := a.rounds(within)
	if reason == ReasonEnd && err == nil {
		text, err = a.corrected(within, text)
	}
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
	broken := a.broken.String()
	text = cmp.Or(broken, text)
	if err := a.append(conversation.Record{Type: conversation.TurnEnd, Reason: string(reason), StopDetail: detail, Text: broken}); err != nil {
		return Answer{}, err
	}
	if _, unknown := a.filled(text); len(unknown) > 0 {
		a.warn("the answer has placeholders without a value: " + strings.Join(unknown, ", "))
	}
	answer := a.answer(text, reason, detail)
	if r, err := receipt.Of(a.Log.Records, a.state.turns); err == nil {
		answer.Untraced, answer.WorkedOut = a.own(r.Untraced()), r.WorkedOut()
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

// corrected lets the model write an answer anew, once, if figures of it are in no
// result: it has computed them in its head, or made them up.
func (a *Agent) corrected(ctx context.Context, text string) (string, error) {
	faults := a.faults()
	if faults == "" || a.state.traced || a.state.planning {
		return text, nil
	}
	if err := a.append(conversation.Record{Type: conversation.Untraced,
		Text: "A check by da, not the user: " + faults + ". The user has not read the answer yet. Let SQL compute what you need of this, leave out the rest, and write the whole answer anew. The sum, difference or percentage of two figures may stay if all three stand in one line."}); err != nil {
		return text, err
	}
	a.say(Event{Type: EventRestart, Withdrawn: true, Text: faults + "; the model is asked to correct that"})
	again, reason, _, err := a.rounds(ctx)
	if reason != ReasonEnd || again == "" { // no room for another answer: this one stays
		return text, err
	}
	return again, err
}

// answer sums up the turn.
func (a *Agent) answer(text string, reason Reason, detail string) Answer {
	s := a.state
	out := Answer{Conversation: a.Log.ID, Text: text, Reason: reason, Detail: detail, Calls: min(s.calls, a.limits.Calls), Usage: s.usage,
		Tokens: s.account.tokens, Reserved: s.account.reservedTokens + s.account.unsettled, Warnings: a.warnings}
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
		if said, _ := a.filled(reply.Text()); said != "" {
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
		if reason, detail, err := a.checkRepetition(); reason != "" || err != nil {
			return text, reason, detail, err
		}
	}
}

// cutCalls answers the calls of a truncated reply: none of them is run.
func (a *Agent) cutCalls(calls []provider.Call) error {
	for _, c := range calls {
		if err := a.record(c, refusal(api.CodeTruncated, "the reply was cut at its longest, so none of its calls was made",
			"Write a shorter reply.")); err != nil {
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
	if refusesPictures(req, err) && !over(ctx) {
		a.blind = true
		a.warn("the model takes no pictures: it has not seen what the tools have drawn")
		return a.ask(ctx)
	}
	if reason != "" || err != nil {
		return provider.Reply{}, reason, err
	}
	a.renameCalls(reply.Blocks)
	text, _ := a.filled(reply.Text())
	return reply, "", a.append(conversation.Record{
		Type: conversation.AssistantMessage, MessageID: a.state.next("a"), Role: provider.Assistant, Text: text, Model: reply.Model,
		ToolCalls: conversation.CallsOf(reply.Calls()), Blocks: reply.Blocks, Stop: reply.Stop, StopDetail: reply.StopDetail,
		Usage: &reply.Usage, Cost: int64(a.Prices.of(reply.Usage)),
	})
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
	shown := hidden.Stream{Values: a.state.values}
	a.broken.Reset()
	tell := func(text string) {
		if text != "" {
			a.broken.WriteString(text)
			say(Event{Type: EventPartial, Text: text})
		}
	}
	reply, err := a.Provider.Send(trying, req, func(d provider.Delta) {
		switch {
		case d.Again:
			say(Event{Type: EventRestart, Text: d.Why})
			shown.Rest()
			a.broken.Reset()
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
			tell(shown.Next(d.Text))
		}
	})
	tell(shown.Rest())
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
	a.broken.Reset()
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
