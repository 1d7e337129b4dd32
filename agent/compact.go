package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
)

// Sizes of what a conversation keeps when older turns are summarized.
const (
	keptMessages   = 10   // the last messages
	summaryTokens  = 1024 // maximum length of the summary
	entryBytes     = 160  // of one answer in the ledger
	argumentBytes  = 600  // of one argument in the ledger
	leastArgument  = 80   // of one in a full ledger
	bytesPerToken  = 3    // estimate where the provider has not counted
	summaryRequest = "Sum up the conversation so far for yourself, in at most 400 words: what the user asked for, what was learnt, what is still to be done. Names and figures of tool calls are kept apart; do not list them. Call no tools."
)

// ledgerEntry is a call whose answer must not get lost in a summary, or the number
// of calls that were left out before it.
type ledgerEntry struct {
	LeftOut   int             `json:"calls_left_out,omitempty"`
	ID        string          `json:"id,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	Failed    bool            `json:"failed,omitempty"`
	Answer    string          `json:"answer,omitempty"`
}

// tooLong reports whether older turns should be summed up.
func (a *Agent) tooLong() bool {
	s := a.state
	if s.counted {
		return s.size > a.limits.Context
	}
	return bytesOf(s.messages)/bytesPerToken > a.limits.Context
}

// compact lets the model summarize all but the last messages. The answers of
// calls are kept in a ledger next to the summary, and so are the first question and
// that of the turn. It returns false if there is nothing to summarize.
func (a *Agent) compact(ctx context.Context) (bool, error) {
	drop := a.state.droppable()
	if drop < 2 {
		return false, nil
	}
	a.say(Event{Type: EventStatus, Text: fmt.Sprintf("the first %d messages are summed up", drop)})
	old := a.state.messages[:drop:drop]
	done := conversation.Record{Type: conversation.Summary, Ledger: ledger(a.state.ledger, old, int(a.limits.Context*bytesPerToken/4)),
		Dropped: drop}
	reply, why, err := a.summary(ctx, old)
	if err != nil {
		return false, err
	}
	if reply != nil {
		done.Text, done.Usage, done.Cost = strings.TrimSpace(reply.Text()), &reply.Usage, int64(a.Prices.of(reply.Usage))
	}
	if done.Text == "" {
		a.warn(fmt.Sprintf("the first %d messages could not be summed up (%s): the model goes on with the questions and the list of its calls alone", drop, cmp.Or(why, "the model wrote none")))
	}
	return true, a.append(done)
}

// warn tells the user at once, and with the answer, what may be wrong with it.
func (a *Agent) warn(text string) {
	a.warnings = append(a.warnings, text)
	a.say(Event{Type: EventNotice, Text: "Warning: " + text + "."})
}

// summary asks the model for a summary. It returns nil, and why, if the call fails
// or does not fit; then only the questions and the ledger are kept.
func (a *Agent) summary(ctx context.Context, old []provider.Message) (*provider.Reply, string, error) {
	req := provider.Request{System: a.System, Messages: withText(old, summaryRequest), Tools: a.offer()}
	most, tokens, cost, reason := a.reserve(bytesOf(req), leastReply)
	if reason != "" {
		return nil, "what is left of the " + string(reason) + " does not pay for it", nil
	}
	req.MaxTokens = min(most, summaryTokens)
	hold := conversation.Record{Type: conversation.ModelCall, Tokens: tokens, Cost: int64(cost)}
	if err := a.append(hold); err != nil {
		return nil, "", err
	}
	reply, reason, err := a.send(ctx, req, hold, func(Event) {})
	a.broken.Reset() // nobody was shown it
	switch {
	case ctx.Err() != nil:
		return nil, "", &api.Error{Code: api.CodeInterrupted, Message: "interrupted", Err: err}
	case err != nil:
		return nil, err.Error(), nil //nolint:nilerr // the turn goes on without a summary, and says why
	case reason != "":
		return nil, "what is left of the " + string(reason) + " does not pay for it", nil
	}
	return &reply, "", nil
}

// withText returns a conversation that ends with a text of the user.
func withText(messages []provider.Message, text string) []provider.Message {
	out := append([]provider.Message(nil), messages...)
	if n := len(out); out[n-1].Role == provider.User {
		out[n-1].Blocks = append(append([]provider.Block(nil), out[n-1].Blocks...), provider.Block{Text: text})
		return out
	}
	return append(out, provider.Message{Role: provider.User, Blocks: []provider.Block{{Text: text}}})
}

// droppable is how many messages can be summed up: those before the last ones, and
// no call without its result.
func (s *state) droppable() int {
	drop := len(s.messages) - keptMessages
	for drop > 0 && s.messages[drop].Role != provider.Assistant {
		drop--
	}
	return max(drop, 0)
}

// before returns the texts that stand for the messages of a summary: what the user
// has asked stays word for word.
func (s *state) before(r conversation.Record) (texts []string) {
	if s.asked > 0 || s.first != s.question {
		texts = append(texts, "The first question of this conversation, word for word:\n"+s.first)
	}
	if r.Text != "" {
		texts = append(texts, "Summary of the conversation before, which you wrote:\n"+r.Text)
	} else {
		texts = append(texts, "The conversation before could not be summed up. What was said in it is gone; if the answer depends on it, tell the user so and ask.")
	}
	texts = append(texts, "What the tools were asked and answered, as data:\n"+string(r.Ledger))
	if s.asked == 0 {
		texts = append(texts, "The question that you are answering, word for word:\n"+s.question)
	}
	return texts
}

// ledger lists calls with the beginnings of their answers in at most bytes. It
// continues the previous ledger. See shorten for what is left out.
func ledger(before json.RawMessage, messages []provider.Message, most int) json.RawMessage {
	var entries []ledgerEntry
	_ = json.Unmarshal(before, &entries) // written by us, or empty
	at := map[string]int{}               // index by id
	for _, m := range messages {
		for _, b := range m.Blocks {
			switch {
			case b.Call != nil:
				at[b.Call.ID] = len(entries)
				entries = append(entries, ledgerEntry{ID: b.Call.ID, Tool: b.Call.Name, Arguments: ledgerArguments(b.Call.Arguments, argumentBytes)})
			case b.Result != nil:
				if i, ok := at[b.Result.CallID]; ok {
					entries[i].Failed, entries[i].Answer = b.Result.Failed, core(b.Result.Text)
				}
			}
		}
	}
	text, _ := json.Marshal(shorten(entries, most)) // our own types
	return text
}

// shorten lets a ledger fit into so many bytes: the oldest calls lose first their
// answers and all but the beginnings of their arguments; then they are left out, and
// only counted.
func shorten(entries []ledgerEntry, most int) []ledgerEntry {
	size := 64 // the number of those left out, and brackets
	for _, e := range entries {
		size += int(bytesOf(e))
	}
	for i := 0; i < len(entries) && size > most; i++ {
		if entries[i].LeftOut > 0 {
			continue
		}
		size -= int(bytesOf(entries[i]))
		entries[i].Answer, entries[i].Arguments = "", ledgerArguments(string(entries[i].Arguments), leastArgument)
		size += int(bytesOf(entries[i]))
	}
	gone := 0
	for ; len(entries) > 0 && size > most; entries = entries[1:] {
		gone += max(1, entries[0].LeftOut)
		size -= int(bytesOf(entries[0]))
	}
	if gone == 0 {
		return entries
	}
	return append([]ledgerEntry{{LeftOut: gone}}, entries...)
}

// ledgerArguments returns arguments in which values longer than most bytes, such as
// the content of a file, are cut, so that paths and names of other calls have room.
func ledgerArguments(text string, most int) json.RawMessage {
	var fields map[string]json.RawMessage
	if len(text) <= most || json.Unmarshal([]byte(text), &fields) != nil {
		return shownArguments(api.Clip(text, most))
	}
	for name, value := range fields {
		if len(value) <= most {
			continue
		}
		var long string
		if json.Unmarshal(value, &long) != nil {
			long = string(value)
		}
		fields[name], _ = json.Marshal(api.Clip(long, most)) // cannot fail for a string
	}
	short, _ := json.Marshal(fields) // cannot fail: they were read as JSON
	return short
}

// core returns the beginning of an answer's content, without the marks around it.
func core(answer string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(answer), &fields) == nil {
		for _, name := range []string{"notice", "begin", "end", "column_types", "next"} {
			delete(fields, name)
		}
		if text, err := json.Marshal(fields); err == nil {
			answer = string(text)
		}
	}
	return api.Clip(answer, entryBytes)
}
