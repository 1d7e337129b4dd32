package agent

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/hidden"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/suggest"
	"github.com/agnes-data/da/toolbox"
)

// Tool is a tool that the model can call.
type Tool struct {
	provider.Tool
	// Reads says that a call changes nothing, so several calls can run at the
	// same time.
	Reads bool
	// Time is the maximum duration of a call; 0: as set in the limits.
	Time time.Duration
}

// Tools are the tools of a model.
type Tools interface {
	// List returns the tools in the order in which a model needs them.
	List() []Tool
	// Call runs a tool. Any failure is returned as an answer for the model.
	Call(ctx context.Context, name string, arguments json.RawMessage) (answer string, failed bool)
}

// Bounds of tool calls.
const (
	atOnce    = 8
	maxAnswer = 256 << 10 // bytes of an answer, far more than tools return by default
)

// outcome is the result of a call.
type outcome struct {
	text   string
	failed bool
	took   time.Duration
	shows  *Event // what the user sees of the call, in the order of the calls
	// rows is the hash of rows that the user sees and the model does not, of so many.
	rows   string
	total  int64
	beside Beside
}

// failure is an error as models read it: in the shape of the toolbox's.
type failure struct {
	Code      api.Code       `json:"code"`
	Kind      string         `json:"kind,omitempty"`
	Message   string         `json:"message"`
	Hint      string         `json:"hint,omitempty"`
	Retryable bool           `json:"retryable"`
	Next      []api.Step     `json:"next,omitempty"`
	Details   map[string]any `json:"details,omitempty"`
}

// failedBy is the answer to a call that has failed.
func failedBy(e *api.Error) string {
	text, _ := json.Marshal(map[string]failure{"error": {e.Code, e.Kind, e.Message, e.Hint, e.Retryable(), e.Next, e.Details}}) // plain fields
	return string(text)
}

// refusal is the answer to a call that does not run.
func refusal(code api.Code, message, hint string) outcome {
	return outcome{text: failedBy(&api.Error{Code: code, Message: message, Hint: hint}), failed: true}
}

// work runs the calls of a reply and records their results in order. Adjacent
// calls that only read run at the same time.
func (a *Agent) work(ctx context.Context, calls []provider.Call) error {
	for len(calls) > 0 {
		n := 1
		for n < len(calls) && n < atOnce && a.reads(calls[0]) && a.reads(calls[n]) {
			n++
		}
		if err := a.workAtOnce(ctx, calls[:n]); err != nil {
			return err
		}
		calls = calls[n:]
	}
	return nil
}

func (a *Agent) reads(c provider.Call) bool {
	i := slices.IndexFunc(a.tools, func(t Tool) bool { return t.Name == c.Name })
	return i < 0 || a.tools[i].Reads // a tool that does not exist changes nothing
}

// workAtOnce runs calls at the same time.
func (a *Agent) workAtOnce(ctx context.Context, calls []provider.Call) error {
	done := make([]outcome, len(calls))
	var running sync.WaitGroup
	for i, c := range calls {
		if a.state.calls+i >= a.limits.Calls {
			done[i] = refusal(api.CodeBudget, fmt.Sprintf("the limit of %d tool calls of a turn is reached", a.limits.Calls),
				"Answer with what you have.")
			continue
		}
		if !a.reads(c) && a.state.planning {
			done[i] = refusal(api.CodeForbidden, "the user asked for a plan only, so nothing is changed or fetched now",
				"Say what the call would do.")
			continue
		}
		if !a.reads(c) {
			if err := a.append(conversation.Record{Type: conversation.ToolStarted, ToolCallID: c.ID, Tool: c.Name}); err != nil {
				return err
			}
		}
		a.say(Event{Type: EventToolCall, ID: c.ID, Tool: c.Name, Arguments: shownArguments(c.Arguments)})
		running.Go(func() { done[i] = a.runCall(ctx, c) })
	}
	running.Wait()
	for i, c := range calls {
		if e := done[i].shows; e != nil {
			a.say(*e)
		}
		if err := a.record(c, done[i]); err != nil {
			return err
		}
	}
	return nil
}

// record records the result of a call.
func (a *Agent) record(c provider.Call, o outcome) error {
	text, hidden := a.clean(a.places.Hide(o.text))
	if hidden > 0 {
		a.say(Event{Type: EventStatus, Text: fmt.Sprintf("%d secrets were taken out of an answer", hidden)})
	}
	a.say(Event{Type: EventToolResult, ID: c.ID, Tool: c.Name, Failed: o.failed, Bytes: len(text), Millis: o.took.Milliseconds(), Text: text})
	inputs := o.beside.Inputs
	if a.Inputs != nil && !o.failed {
		inputs = append(inputs, a.Inputs(c.Name, c.Arguments)...)
	}
	var saved *conversation.Saved
	if a.Saved != nil && !o.failed {
		saved = a.Saved(c.Arguments)
	}
	id := a.state.next("tr")
	shown := o.shows != nil && o.shows.Type != EventRejected
	if shown {
		data, err := json.Marshal(o.shows)
		if err == nil {
			err = a.Log.Show(id, data)
		}
		if err != nil {
			return err
		}
	}
	if o.beside.picture != nil {
		if err := a.Log.KeepPicture(id, o.beside.picture); err != nil {
			return err
		}
	}
	return a.append(conversation.Record{Type: conversation.ToolResult, Inputs: inputs, Saved: saved, MessageID: id, ToolCallID: c.ID,
		Tool: c.Name, Shown: shown, Pictured: o.beside.picture != nil,
		Content: text, Failed: o.failed, SHA256: digest(text), Bytes: len(text), Millis: o.took.Milliseconds(), RowsSHA256: o.rows,
		Rows: o.total})
}

// shownArguments returns the arguments of a call as shown to users.
func shownArguments(text string) json.RawMessage {
	if json.Valid([]byte(text)) {
		return json.RawMessage(compact(text))
	}
	quoted, _ := json.Marshal(text)
	return quoted
}

// timeFor returns the maximum duration of a call of a tool.
func (a *Agent) timeFor(tool string) time.Duration {
	i := slices.IndexFunc(a.tools, func(t Tool) bool { return t.Name == tool })
	if i >= 0 && a.tools[i].Time > 0 {
		return a.tools[i].Time
	}
	return a.limits.Tool
}

// call runs a tool: ours for showing something to the user, or one of the others.
func (a *Agent) call(ctx context.Context, c provider.Call) (o outcome) {
	if a.state.values != nil && !hidden.Knows(c.Name) {
		return outcome{text: failedBy(hidden.Withheld("what '" + api.Clip(c.Name, 60) + "' answers")), failed: true}
	}
	if a.Frames != nil && (c.Name == tableTool || c.Name == chartTool) {
		return a.show(ctx, c)
	}
	if c.Name == toolbox.OpenTool {
		return a.open(c)
	}
	if !slices.ContainsFunc(a.tools, func(t Tool) bool { return t.Name == c.Name }) {
		return a.unknown(c.Name)
	}
	o.text, o.failed = a.Tools.Call(ctx, c.Name, json.RawMessage(c.Arguments))
	if !o.failed {
		o.rows, o.total = a.digestAdded(ctx, c)
	}
	return o
}

// unknown refuses a call of a tool that does not exist, and names those that do.
func (a *Agent) unknown(name string) outcome {
	var known []string
	for _, t := range a.tools {
		known = append(known, t.Name)
	}
	hint := "Tools are " + strings.Join(known, ", ") + "."
	if near := suggest.Near(name, known); len(near) > 0 {
		hint = "Did you mean " + strings.Join(near, " or ") + "?"
	}
	return refusal(api.CodeUsage, fmt.Sprintf("there is no tool '%s'", api.Clip(name, 60)), hint)
}

// runCall runs a call within its time.
func (a *Agent) runCall(ctx context.Context, c provider.Call) outcome {
	var arguments map[string]json.RawMessage
	if err := json.Unmarshal([]byte(c.Arguments), &arguments); err != nil || arguments == nil {
		why := "they are not an object"
		if err != nil {
			why = err.Error()
		}
		return refusal(api.CodeUsage, "the arguments are not a JSON object: "+why, "Write them again, as one JSON object.")
	}
	if err := ctx.Err(); err != nil {
		return refusal(api.CodeInterrupted, "the call was not made: the turn was ended before", "")
	}
	began := time.Now()
	allowed := a.timeFor(c.Name)
	within, cancel := context.WithTimeout(ctx, allowed)
	defer cancel()
	var beside Beside
	o := a.call(beside.With(within), c)
	o.took, o.beside = time.Since(began), beside
	switch {
	case o.failed && errors.Is(within.Err(), context.DeadlineExceeded) && ctx.Err() == nil:
		o.text = refusal(api.CodeTimeout, fmt.Sprintf("the tool took longer than %s and was ended", allowed),
			"Ask for less: fewer rows or columns, or an aggregate.").text
	case len(o.text) > maxAnswer:
		o.text, o.failed = refusal(api.CodeBudget, fmt.Sprintf("the answer has %d bytes, more than the %d that fit", len(o.text), maxAnswer),
			"Ask for less, or leave max_tokens out.").text, true
	}
	return o
}

// unmade says why calls were not made that a turn leaves.
var unmade = map[Reason]string{ReasonCalls: "the turn has had all tool calls that it may have",
	ReasonCancelled: "the turn was ended before", ReasonTime: "the time of the turn was over"}

// settlePending answers the calls that were not made. why is empty if a killed process
// has left them.
func (a *Agent) settlePending(why string) error {
	a.state.account.spend()
	for len(a.state.pending) > 0 {
		c := a.state.pending[0]
		o := refusal(api.CodeInterrupted, "the call was not made, or not to its end: "+cmp.Or(why, "the process ended before"),
			"Make it again if it is still needed.")
		if a.state.started[c.ID] {
			o = refusal(api.CodeInterrupted, "the process ended while the call ran: it may have been done or not",
				"Look whether it was done before you make it again.")
		}
		if err := a.record(c, o); err != nil {
			return err
		}
	}
	return nil
}
