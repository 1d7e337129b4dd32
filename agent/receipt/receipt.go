package receipt

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/api"
)

// Format is the version of receipts.
const Format = 1

// Receipt is the evidence for an answer.
type Receipt struct {
	Format       int       `json:"format"`
	ID           string    `json:"id" jsonschema:"of the conversation, and behind a dash the number of the turn"`
	Conversation string    `json:"conversation"`
	Turn         int       `json:"turn"`
	At           time.Time `json:"at"`
	Model        string    `json:"model"`
	Question     string    `json:"question"`
	Answer       string    `json:"answer"`
	Results      []Result  `json:"results"`
	Figures      []Figure  `json:"figures" jsonschema:"the numbers of the answer, in their order"`
	Tokens       int64     `json:"tokens"`
	CostNano     int64     `json:"cost_nano" jsonschema:"in units of 10^-9 of the currency of the prices; 0 without prices"`
}

// Result is the answer of one tool.
type Result struct {
	Call      string          `json:"call"`
	Tool      string          `json:"tool"`
	Arguments json.RawMessage `json:"arguments"`
	// Local says that it can be run again at no cost.
	Local  bool                 `json:"local"`
	SHA256 string               `json:"sha256" jsonschema:"of the rows, whatever their order; floats to 12 digits"`
	Rows   int64                `json:"rows"`
	Inputs []conversation.Input `json:"inputs,omitempty"`
}

// Figure is a number of the answer.
type Figure struct {
	Text string `json:"text"`
	// Calls are the calls whose results contain the figure, possibly rounded or
	// as a percentage. If there are none, the figure was not found, or the model
	// computed it.
	Calls []string `json:"calls"`
}

// Tools whose answers are rows, and which of them can be run again at no cost.
var rowTools = map[string]bool{"query": true, "table_query": true, "query_remote": false, "catalog_sample": false, "table_read_rows": true, "table_stats": true}

// showTools show rows to the user, which are those of a statement, or of Python.
var showTools = map[string]bool{"send_data_to_ui_as_df": true, "send_chart_to_ui": true}

// ID is the id of the receipt of a turn.
func ID(conversation string, turn int) string { return fmt.Sprintf("%s-%d", conversation, turn) }

// ParseID returns the conversation and the turn of an id.
func ParseID(id string) (string, int, error) {
	talk, number, ok := strings.Cut(id, "-")
	turn, err := strconv.Atoi(number)
	if !ok || err != nil || turn < 1 {
		return "", 0, &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("'%s' is not the id of a receipt", api.Clip(id, 60)), Hint: "It is the id of a conversation, a dash and the number of the turn, as answers have it."}
	}
	return talk, turn, nil
}

// Of makes the receipt of a turn, counted from 1. It fails with CodeUsage if the
// turn does not exist or has no answer.
func Of(records []conversation.Record, turn int) (Receipt, error) {
	r := Receipt{Format: Format, Turn: turn, Results: []Result{}, Figures: []Figure{}}
	arguments := map[string]string{}
	answers := map[string]string{}
	at := 0
	for _, rec := range records {
		if rec.Type == conversation.Begin {
			r.Conversation, r.ID = rec.ID, ID(rec.ID, turn)
		}
		if rec.Type == conversation.UserMessage {
			at++
		}
		if at != turn {
			continue
		}
		switch rec.Type {
		case conversation.UserMessage:
			r.Question = rec.Text
		case conversation.AssistantMessage:
			if rec.Text != "" {
				r.Answer = rec.Text
			}
			r.Model, r.CostNano = rec.Model, r.CostNano+rec.Cost
			if rec.Usage != nil {
				r.Tokens += rec.Usage.Total()
			}
			for _, c := range rec.ToolCalls {
				arguments[c.ID] = c.Function.Arguments
			}
		case conversation.ToolResult:
			r.take(rec, arguments, answers)
		case conversation.TurnEnd:
			r.At = rec.At
		}
	}
	if r.Answer == "" || r.At.IsZero() {
		return r, &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("the conversation has no answer in turn %d", turn)}
	}
	r.trace(answers)
	return r, nil
}

// take notes the result of a tool, if it is rows.
func (r *Receipt) take(rec conversation.Record, arguments, answers map[string]string) {
	if rec.Failed {
		return
	}
	answers[rec.ToolCallID] = rec.Content
	sum, rows := rec.RowsSHA256, rec.Rows
	if _, isRows := rowTools[rec.Tool]; sum == "" && !isRows {
		return
	}
	if sum == "" {
		sum, rows = Digest([]byte(rec.Content))
	}
	asked := json.RawMessage(arguments[rec.ToolCallID])
	r.Results = append(r.Results, Result{Call: rec.ToolCallID, Tool: rec.Tool, Arguments: asked, Local: runsHere(rec.Tool, asked), SHA256: sum, Rows: rows, Inputs: rec.Inputs})
}

// runsHere reports whether a call can be made again: it reads this machine alone, so
// it costs nothing, and it changes nothing.
func runsHere(tool string, arguments json.RawMessage) bool {
	var in struct {
		SQL    string `json:"sql"`
		Remote bool   `json:"remote"`
		Fetch  bool   `json:"fetch"`
	}
	if json.Unmarshal(arguments, &in) != nil || in.Remote || in.Fetch {
		return false
	}
	return rowTools[tool] || showTools[tool] && in.SQL != ""
}

// Parse reads a receipt that somebody has sent. Calls in it that read more than this
// machine, or change something, are not Local, whatever it says.
func Parse(text []byte) (Receipt, error) {
	var r Receipt
	if err := json.Unmarshal(text, &r); err != nil {
		return r, err
	}
	if r.Format != Format {
		return r, fmt.Errorf("format %d", r.Format)
	}
	for i, res := range r.Results {
		r.Results[i].Local = res.Local && runsHere(res.Tool, res.Arguments)
	}
	return r, nil
}
