package agent

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/hidden"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/guard/untrusted"
)

// state is the state of a conversation after all records of its log. Only records
// change it, so a conversation read from disk continues as if it had never been
// interrupted.
type state struct {
	account  account
	messages []provider.Message
	open     bool // a turn has not ended
	planning bool // in this turn nothing is changed
	turns    int
	calls    int             // tool calls of this turn
	started  map[string]bool // calls that were about to change something
	pending  []provider.Call // calls without a result
	ids      map[string]bool // of all calls
	opened   []string        // sets of tools
	counts   map[string]int  // message ids given, by prefix
	repeats  repeats
	circle   string         // how the model repeats itself, "" if it does not
	stuck    bool           // it has continued after the notice
	told     bool           // it has been given a notice
	usage    provider.Usage // of this turn
	spent    Money          // before this turn
	// first and question are the first question of the conversation and that of this
	// turn, which no summary replaces. asked is the message that has question; 0 if
	// it was summed up.
	first, question string
	asked           int
	// ledger lists the earlier calls if the first message is a summary.
	ledger json.RawMessage
	// there is what the model was last told of the day and the data; "" if a summary
	// has replaced it.
	there string
	// traced says that the model was told in this turn which figures are in no result.
	traced bool
	lean   leaner
	// marks is the secret of the marks around data.
	marks string
	// values are those that the model is not sent; nil if it is.
	values *hidden.Values

	// size is the maximum number of tokens of the messages: the tokens that the
	// provider has counted, plus one per byte added since. counted is false until
	// the provider has counted.
	size    int64
	counted bool
}

// planOnly is put in front of a question that asks only for a plan.
const planOnly = "Make a plan only: say what you would do, step by step, with the tables, files and prices. Change and fetch nothing now. The question is:\n"

func newState(limits Limits, prices *Prices) *state {
	return &state{account: account{limits: limits, prices: prices}, started: map[string]bool{}, ids: map[string]bool{},
		counts: map[string]int{}, repeats: repeats{stale: limits.Stale}, lean: leaner{hinted: map[string]bool{}}}
}

// next returns the message id that the next record of that kind gets.
func (s *state) next(prefix string) string { return fmt.Sprintf("%s-%d", prefix, s.counts[prefix]+1) }

// apply takes a record.
func (s *state) apply(r conversation.Record) {
	switch r.Type {
	case conversation.UserMessage:
		s.counts["u"]++
		s.turns++
		s.open, s.calls, s.told, s.traced, s.stuck, s.repeats = true, 0, false, false, false, repeats{stale: s.account.limits.Stale}
		s.usage, s.spent = provider.Usage{}, s.account.cost
		if s.planning = r.Plan; s.planning {
			r.Text = planOnly + r.Text
		}
		s.add(provider.User, provider.Block{Text: r.Text})
		if len(r.Files) > 0 {
			s.add(provider.User, provider.Block{Text: s.attached(r.Files)})
		}
		s.first, s.question, s.asked = cmp.Or(s.first, r.Text), r.Text, len(s.messages)-1
	case conversation.ModelCall:
		s.account.hold(r.Tokens, Money(r.Cost))
	case conversation.ModelFailed:
		s.account.settle(0, 0)
	case conversation.AssistantMessage:
		s.counts["a"]++
		s.said(r)
	case conversation.ToolStarted:
		s.started[r.ToolCallID] = true
	case conversation.ToolResult:
		s.counts["tr"]++
		s.answered(r)
	case conversation.There:
		s.there = r.Text
		s.add(provider.User, provider.Block{Text: r.Text})
	case conversation.Untraced:
		s.traced = true
		s.add(provider.User, provider.Block{Text: r.Text})
	case conversation.Notice:
		s.told = true
		s.add(provider.User, provider.Block{Text: r.Text})
	case conversation.Summary:
		s.summed(r)
	case conversation.TurnEnd:
		s.open = false
	}
}

// attached tells the model which files came with a message: their names are data.
func (s *state) attached(files []conversation.File) string {
	text, _ := json.Marshal(files) // plain fields
	return "The user has attached these files of the workspace to the message. " + untrusted.FenceOf(s.marks).Wrap(string(untrusted.JSON(text)))
}

// said adds a message of the model.
func (s *state) said(r conversation.Record) {
	usage := provider.Usage{}
	if r.Usage != nil {
		usage = *r.Usage
	}
	s.account.settle(usage.Total(), Money(r.Cost))
	s.usage = s.usage.Add(usage)
	for _, b := range r.Blocks {
		if b.Call != nil {
			s.ids[b.Call.ID] = true
			s.pending = append(s.pending, *b.Call)
			if set := opens(*b.Call); set != "" && !slices.Contains(s.opened, set) {
				s.opened = append(s.opened, set)
			}
		}
	}
	if len(r.Blocks) > 0 {
		s.add(provider.Assistant, r.Blocks...)
	}
	s.counted = !usage.Estimated && usage.Total() > 0
	s.size = usage.Total()
}

// answered takes the result of a call.
func (s *state) answered(r conversation.Record) {
	arguments := ""
	for i, c := range s.pending {
		if c.ID != r.ToolCallID {
			continue
		}
		arguments = c.Arguments
		s.pending = append(s.pending[:i:i], s.pending[i+1:]...)
		s.calls++
		what, stuck := s.repeats.add(callKey(c.Name, c.Arguments, digest(r.Content)))
		s.circle, s.stuck = what, s.stuck || stuck
		break
	}
	text := r.Content
	if s.values != nil {
		text = s.values.Hide(r.Tool, arguments, text)
	}
	result := &provider.Result{CallID: r.ToolCallID, Text: s.lean.lean(text), Failed: r.Failed}
	if r.Pictured {
		result.Picture = &provider.Picture{ID: r.MessageID}
		s.size += pictureTokens
	}
	s.add(provider.User, provider.Block{Result: result})
}

// add puts blocks behind the last message, or into it if it is of the same role.
func (s *state) add(role provider.Role, blocks ...provider.Block) {
	for _, b := range blocks {
		s.size += bytesOf(b)
	}
	if n := len(s.messages); n > 0 && s.messages[n-1].Role == role {
		s.messages[n-1].Blocks = append(s.messages[n-1].Blocks, blocks...)
		return
	}
	s.messages = append(s.messages, provider.Message{Role: role, Blocks: blocks})
}

// bytesOf returns the size of a block as it is sent. No tokenizer makes more
// tokens of it than it has bytes.
func bytesOf(v any) int64 {
	text, _ := json.Marshal(v) // cannot fail for our own types
	return int64(len(text)) + 16
}

// summed replaces messages by their summary.
func (s *state) summed(r conversation.Record) {
	if r.Usage != nil {
		s.account.settle(r.Usage.Total(), Money(r.Cost))
		s.usage = s.usage.Add(*r.Usage)
	}
	s.account.spend() // it is unknown what a request that broke off has used
	if r.Dropped > len(s.messages) {
		return // of a log that was changed
	}
	s.asked = max(s.asked-r.Dropped+1, 0) // 0 is the message made here
	s.there = ""
	clear(s.lean.hinted)
	first := provider.Message{Role: provider.User}
	for _, text := range s.before(r) {
		first.Blocks = append(first.Blocks, provider.Block{Text: text})
	}
	s.messages, s.ledger = append([]provider.Message{first}, s.messages[r.Dropped:]...), r.Ledger
	s.counted = false
}
