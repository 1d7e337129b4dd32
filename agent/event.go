package agent

import (
	"encoding/json"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
)

// EventType is the kind of an event.
type EventType string

// The events of a turn.
const (
	EventBegin      EventType = "begin"       // the turn begins: names its conversation
	EventStatus     EventType = "status"      // progress, in words
	EventPartial    EventType = "partial"     // a piece of the reply
	EventThinking   EventType = "thinking"    // a piece of the model's thinking
	EventRestart    EventType = "restart"     // the reply broke off and starts over: ignore its pieces so far
	EventToolCall   EventType = "tool_call"   // a tool is about to run
	EventToolResult EventType = "tool_result" // the answer of a tool
	EventDataFrame  EventType = "data_frame"  // a table for the user
	EventChart      EventType = "chart"       // a chart for the user
	EventRejected   EventType = "chart_rejected"
	EventNotice     EventType = "notice" // a note that the model was given in addition
	EventReply      EventType = "reply"  // the turn is over
	EventError      EventType = "error"
)

// Event is one step of a turn, for clients that follow it.
type Event struct {
	Type EventType `json:"type"`
	// Seq counts the events of a turn from 1.
	Seq  int    `json:"seq"`
	Text string `json:"text,omitempty"`
	// Withdrawn marks a restart after a whole answer, whose figures were in no result.
	Withdrawn bool `json:"withdrawn,omitempty"`

	// Of the beginning of a turn.
	Conversation string `json:"conversation,omitempty"`

	// Of tools.
	ID        string          `json:"id,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty" jsonschema:"as the model wrote them; a text if they are not JSON"`
	Failed    bool            `json:"failed,omitempty"`
	Bytes     int             `json:"bytes,omitempty" jsonschema:"size of the answer"`
	Millis    int64           `json:"ms,omitempty"`

	// Of the end of a turn.
	Answer *Answer `json:"answer,omitempty"`
	// Of tables and charts.
	Table *DataFrame `json:"table,omitempty"`
	Chart *Chart     `json:"chart,omitempty"`
	// Error is set for errors, in the usual form.
	Error any `json:"error,omitempty"`
}

// Reason says why a turn ended.
type Reason string

// The reasons.
const (
	ReasonEnd       Reason = "end"       // the model is done
	ReasonLength    Reason = "length"    // the reply was cut at its longest
	ReasonRefused   Reason = "refused"   // the model declines
	ReasonCalls     Reason = "calls"     // too many tool calls
	ReasonTokens    Reason = "tokens"    // the conversation's tokens are used up
	ReasonBudget    Reason = "budget"    // its budget is used up
	ReasonTime      Reason = "time"      // the turn took too long
	ReasonLoop      Reason = "loop"      // the model repeats itself
	ReasonCancelled Reason = "cancelled" // the user ended it
	ReasonFailed    Reason = "failed"    // the provider failed
	ReasonOther     Reason = "other"     // the provider ended the turn for a reason of its own
)

// Answer is the end of a turn.
type Answer struct {
	Conversation string         `json:"conversation"`
	Text         string         `json:"text"`
	Reason       Reason         `json:"reason" jsonschema:"end if the model was done; else what ended it before"`
	Detail       string         `json:"detail,omitempty"`
	Calls        int            `json:"tool_calls"`
	Usage        provider.Usage `json:"usage" jsonschema:"tokens of this turn"`
	// Cost is the cost of this turn, TotalCost that of the conversation; null
	// without prices.
	Cost      *float64 `json:"cost" jsonschema:"null if no prices are set"`
	TotalCost *float64 `json:"total_cost"`
	Tokens    int64    `json:"total_tokens" jsonschema:"tokens of the conversation so far"`
	Reserved  int64    `json:"reserved_tokens,omitempty" jsonschema:"tokens among these that were reserved for replies that broke off: tokens and cost are at most what is said"`
	Warnings  []string `json:"warnings,omitempty" jsonschema:"what may be wrong with the answer, beside what the model says"`
	Receipt   string   `json:"receipt,omitempty" jsonschema:"what the figures of the answer rest on"`
	// Untraced are the figures that the model has computed, or made up.
	Untraced  []string `json:"untraced,omitempty" jsonschema:"figures of the answer that are in no result, nor in the question or a call"`
	WorkedOut []string `json:"worked_out,omitempty" jsonschema:"figures of the answer that are in no result, but follow from two beside them that are: 5 = 7 - 2"`
	// Draft lists what the conversation has changed in the workspace; null:
	// nothing.
	Draft *Draft `json:"draft,omitempty"`
}

// Draft is a set of changes to the user's files, which a person applies.
type Draft struct {
	Name    string       `json:"name"`
	Changes []FileChange `json:"changes"`
	Applied bool         `json:"applied" jsonschema:"the changes were made in the workspace"`
	Problem string       `json:"problem,omitempty" jsonschema:"why they could not be"`
	// What a person should know of the changes, such as formulas that ask servers.
	api.CaveatList
}

// FileChange is the change that a draft makes to one file.
type FileChange struct {
	Action   string `json:"action" jsonschema:"created, modified, renamed, deleted or restored"`
	File     string `json:"file"`
	Bytes    int64  `json:"bytes"`
	Conflict bool   `json:"conflict,omitempty" jsonschema:"the workspace's file was changed meanwhile"`
}

// Whole reports whether the model has finished its answer.
func (a Answer) Whole() bool { return a.Reason == ReasonEnd }
