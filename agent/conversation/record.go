package conversation

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/agnes-data/da/agent/provider"
)

// Format is the version of the records.
const Format = 1

// Type is the type of a record.
type Type string

// The types of records.
const (
	Begin            Type = "conversation"      // the first: format, id, provider, model
	UserMessage      Type = "user_message"      // what the user said
	ModelCall        Type = "model_call"        // a request is about to be sent, with its maximum cost
	ModelFailed      Type = "model_failed"      // it was refused, and has cost nothing
	AssistantMessage Type = "assistant_message" // what the model said, with its calls and its actual cost
	ToolStarted      Type = "tool_started"      // a tool that changes something is about to run
	ToolResult       Type = "tool_result"       // the answer of a tool
	Notice           Type = "notice"            // a note for the model that does not come from the user
	There            Type = "there"             // the day and the data that there are, as the model is told
	Untraced         Type = "untraced"          // the model is told which figures of its answer are in no result
	Summary          Type = "summary"           // replaces the first messages
	TurnEnd          Type = "turn_end"          // the turn is over, and why; Text: what the user has seen of a reply that broke off
	Title            Type = "title"             // the user has named the conversation: Text
	Sharing          Type = "sharing"           // the user has shared what is before, or does so no longer: Shared
)

// Record is one line of a log. The comment of each field says which types have
// it.
type Record struct {
	Type Type      `json:"type"`
	At   time.Time `json:"at"`

	// Of the first record.
	Format   int           `json:"format,omitempty"`
	ID       string        `json:"id,omitempty"`
	Provider provider.Kind `json:"provider,omitempty"`
	// Marks is the secret that the marks around the conversation's data are made
	// of. Ids cannot be: answers and receipts show them.
	Marks string `json:"marks,omitempty"`
	// From says which records were made in another conversation.
	From *Origin `json:"from,omitempty"`
	// Hidden says that the model is not sent values of the data.
	Hidden bool `json:"values_hidden,omitempty"`

	// Shared says over which tables it was shared; null: it is not.
	Shared *Shared `json:"shared_over,omitempty"`

	// Files are those that the user has attached to a message.
	Files []File `json:"files,omitempty"`

	// Of messages. MessageID is u-1, a-1, tr-1 and so on.
	MessageID string        `json:"message_id,omitempty"`
	Role      provider.Role `json:"role,omitempty"`
	Text      string        `json:"text,omitempty"`
	Plan      bool          `json:"plan,omitempty"` // the user only asks for a plan
	Model     string        `json:"model,omitempty"`

	// For what the model said. Blocks is the complete message; Text and ToolCalls
	// repeat it for other readers, Text with the values that were hidden from the model.
	ToolCalls  []ToolCall       `json:"tool_calls,omitempty"`
	Blocks     []provider.Block `json:"blocks,omitempty"`
	Stop       provider.Stop    `json:"stop,omitempty"`
	StopDetail string           `json:"stop_detail,omitempty"`
	Usage      *provider.Usage  `json:"usage,omitempty"`
	// Cost is in units of 10^-9 of the currency that prices are in; of a
	// model_call the most that it can be.
	Cost   int64 `json:"cost_nano,omitempty"`
	Tokens int64 `json:"tokens,omitempty"` // of a model_call: the most that it can take

	// Of tools.
	ToolCallID string `json:"tool_call_id,omitempty"`
	Tool       string `json:"tool,omitempty"`
	Content    string `json:"content,omitempty"`
	Failed     bool   `json:"failed,omitempty"`
	SHA256     string `json:"sha256,omitempty"` // of content, marks around data aside
	Bytes      int    `json:"bytes,omitempty"`
	Millis     int64  `json:"ms,omitempty"`
	// RowsSHA256 is the hash of rows that the user was shown and the model was not,
	// and Rows how many the statement has.
	RowsSHA256 string `json:"rows_sha256,omitempty"`
	Rows       int64  `json:"rows,omitempty"`
	// Shown says that the user was shown a table or a chart: Store.Shown has it.
	Shown bool `json:"shown,omitempty"`
	// Pictured says that the answer has a picture for the model: Log.Picture has it.
	Pictured bool `json:"pictured,omitempty"`
	// Inputs are the snapshots that the tool has read.
	Inputs []Input `json:"inputs,omitempty"`
	// Saved is the saved question whose statement the tool has run.
	Saved *Saved `json:"saved,omitempty"`

	// For summaries: the number of earlier messages that the summary replaces,
	// and the answers of tools in them.
	Dropped int             `json:"dropped,omitempty"`
	Ledger  json.RawMessage `json:"ledger,omitempty"`

	// Of the end of a turn.
	Reason  string `json:"reason,omitempty"`
	Receipt string `json:"receipt,omitempty"`
}

// check returns an error for counts that no record has, which would give back what was
// spent.
func (r Record) check() error {
	const most = 1 << 50
	if r.From != nil && (r.From.Turns < 0 || r.From.Records < 0) {
		return errors.New("a count is out of range")
	}
	if r.Cost < 0 || r.Cost > most || r.Tokens < 0 || r.Tokens > most || r.Dropped < 0 || r.Usage != nil && !r.Usage.Possible() {
		return errors.New("a count is out of range")
	}
	return nil
}

// File is a file of the workspace as it was when a message with it was sent.
type File struct {
	ID      string `json:"id,omitempty"` // none of one that is in the conversation's folder alone
	Name    string `json:"name"`
	Version int64  `json:"version,omitempty"`
	SHA256  string `json:"sha256,omitempty"`
	Bytes   int64  `json:"bytes"`
}

// MaxFiles bounds those of one message.
const MaxFiles = 20

// ToolCall is a call as other programs know it.
type ToolCall struct {
	ID       string   `json:"id"`
	Function Function `json:"function"`
}

// Function is the function that a ToolCall calls. Arguments are unchanged from
// the model's output.
type Function struct {
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// CallsOf is the form that other programs know of a model's calls.
func CallsOf(calls []provider.Call) []ToolCall {
	var out []ToolCall
	for _, c := range calls {
		out = append(out, ToolCall{c.ID, Function{c.Name, c.Arguments}})
	}
	return out
}
