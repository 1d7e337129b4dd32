package receipt

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
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
	// Local says that it can be run again at no cost, as long as what it has read
	// is kept here.
	Local  bool                 `json:"local"`
	SHA256 string               `json:"sha256" jsonschema:"of the rows, whatever their order; floats to 12 digits"`
	Rows   int64                `json:"rows"`
	Inputs []conversation.Input `json:"inputs,omitempty"`
	Saved  *conversation.Saved  `json:"saved,omitempty" jsonschema:"the saved question whose statement it is"`
	// Caveats are those that the model was given with the rows.
	Caveats []api.Caveat `json:"caveats,omitempty" jsonschema:"what one must know to read the rows rightly"`
}

// Figure is a number or a date of the answer.
type Figure struct {
	Text string `json:"text"`
	// Calls are the calls whose results contain the figure, possibly rounded or
	// as a percentage, also those of earlier turns.
	Calls []string `json:"calls"`
	// Asked says of a figure that is in no result where it stands else.
	Asked string `json:"asked,omitempty" jsonschema:"of a figure in no result: question or call, if it stands in one of these"`
	// WorkedOut is, of a figure in no result, the sum, difference or percentage of two
	// figures beside it that are in results.
	WorkedOut string `json:"worked_out,omitempty" jsonschema:"of a figure in no result: how it follows from two in the same line that are in results"`
	Cell      *Cell  `json:"cell,omitempty" jsonschema:"where the latest result with the figure in its rows has it first"`
}

// Untraced returns the figures that are in no result, question or call, and do not
// follow from figures beside them: the model has computed them, or made them up. Each
// is listed once.
func (r Receipt) Untraced() (texts []string) {
	for _, f := range r.Figures {
		if len(f.Calls) == 0 && f.Asked == "" && f.WorkedOut == "" && !slices.Contains(texts, f.Text) {
			texts = append(texts, f.Text)
		}
	}
	return texts
}

// WorkedOut returns the figures that follow from others of their line, as in
// "9,430 = 336,776 - 327,346". Each is listed once.
func (r Receipt) WorkedOut() (texts []string) {
	for _, f := range r.Figures {
		if text := f.Text + " = " + f.WorkedOut; f.WorkedOut != "" && !slices.Contains(texts, text) {
			texts = append(texts, text)
		}
	}
	return texts
}

// Tools whose answers are rows, and which of them can be run again at no cost.
var rowTools = map[string]bool{"query": true, "table_query": true, "query_remote": false, "catalog_sample": false, "table_read_rows": true,
	"table_stats": true, "values": false}

// showTools show rows to the user, or put them into a file: those of a statement, or
// of Python.
var showTools = map[string]bool{"send_data_to_ui_as_df": true, "send_chart_to_ui": true, "add_result": true}

// Shows reports whether a tool shows the rows of a statement to the user, or puts
// them into a file.
func Shows(tool string) bool { return showTools[tool] }

// ID is the id of the receipt of a turn.
func ID(conversation string, turn int) string { return fmt.Sprintf("%s-%d", conversation, turn) }

// ParseID returns the conversation and the turn of an id.
func ParseID(id string) (string, int, error) {
	talk, number, ok := strings.Cut(id, "-")
	turn, err := strconv.Atoi(number)
	if !ok || err != nil || turn < 1 {
		return "", 0, &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("'%s' is not the id of a receipt", api.Clip(id, 60)),
			Hint: "It is the id of a conversation, a dash and the number of the turn, as answers have it."}
	}
	return talk, turn, nil
}

// Of makes the receipt of a turn, counted from 1. It fails with CodeUsage if the
// turn does not exist or has no answer.
func Of(records []conversation.Record, turn int) (Receipt, error) {
	r := read(records, turn)
	if r.Answer == "" || r.At.IsZero() {
		return r, &api.Error{Code: api.CodeUsage, Message: fmt.Sprintf("the conversation has no answer in turn %d", turn)}
	}
	return r, nil
}

// Untraced returns the figures of the answer that a turn has so far which are in no
// result, question or call.
func Untraced(records []conversation.Record, turn int) []string {
	return read(records, turn).Untraced()
}

// read makes the receipt of a turn as far as it has come.
func read(records []conversation.Record, turn int) Receipt {
	r := Receipt{Format: Format, Turn: turn, Results: []Result{}, Figures: []Figure{}}
	t := tracer{arguments: map[string]string{}}
	at := 0
	for _, rec := range records {
		switch rec.Type {
		case conversation.Begin:
			r.Conversation, r.ID, r.Model = rec.ID, ID(rec.ID, turn), rec.Model
		case conversation.UserMessage:
			at++
		}
		if at > turn {
			break
		}
		held := t.take(rec) // an answer can rest on what earlier turns have found
		if at == turn {
			r.take(rec, t.arguments, held)
		}
	}
	all := figuresIn(r.Answer)
	for _, s := range all {
		r.Figures = append(r.Figures, t.trace(s))
	}
	given := make([]bool, len(all))
	for i, f := range r.Figures {
		given[i] = len(f.Calls) > 0
	}
	for i, s := range all {
		if f := &r.Figures[i]; !given[i] && f.Asked == "" && s.isNumber() {
			f.WorkedOut = s.follows(all, given)
		}
	}
	return r
}

// tracer finds figures in what a conversation has asked and found.
type tracer struct {
	arguments map[string]string // of calls
	questions []*evidence
	asked     []*evidence
	calls     []string
	results   []*evidence // of calls
}

// take remembers a record, and returns what it says if it is a result.
func (t *tracer) take(rec conversation.Record) *evidence {
	switch rec.Type {
	case conversation.UserMessage, conversation.There:
		t.questions = append(t.questions, asked(rec.Text))
	case conversation.AssistantMessage:
		for _, c := range rec.ToolCalls {
			t.arguments[c.ID] = c.Function.Arguments
		}
	case conversation.ToolResult:
		if rec.Failed {
			return nil
		}
		held := evidenceIn(rec.Content, t.arguments[rec.ToolCallID])
		t.calls, t.results = append(t.calls, rec.ToolCallID), append(t.results, held)
		t.asked = append(t.asked, asked(t.arguments[rec.ToolCallID]))
		return held
	}
	return nil
}

// trace finds a figure.
func (t *tracer) trace(s stated) Figure {
	f := Figure{Text: s.text, Calls: []string{}}
	for i, held := range slices.Backward(t.results) {
		if !s.holds(held) {
			continue
		}
		f.Calls = append(f.Calls, t.calls[i])
		if f.Cell == nil {
			f.Cell = s.cell(t.calls[i], held)
		}
	}
	slices.Reverse(f.Calls) // in the order of the calls
	switch {
	case len(f.Calls) > 0:
	case slices.ContainsFunc(t.questions, s.holds):
		f.Asked = "question"
	case slices.ContainsFunc(t.asked, s.holds):
		f.Asked = "call"
	}
	return f
}

// take takes a record of the turn; held is what it says if it is a result.
func (r *Receipt) take(rec conversation.Record, arguments map[string]string, held *evidence) {
	switch rec.Type {
	case conversation.UserMessage:
		r.Question = rec.Text
	case conversation.AssistantMessage:
		if rec.Text != "" {
			r.Answer = rec.Text
		}
		r.Model, r.CostNano = cmp.Or(rec.Model, r.Model), r.CostNano+rec.Cost
		if rec.Usage != nil {
			r.Tokens += rec.Usage.Total()
		}
	case conversation.ToolResult:
		if held != nil {
			r.result(rec, arguments[rec.ToolCallID], held.caveats)
		}
	case conversation.TurnEnd:
		r.At, r.Answer = rec.At, cmp.Or(rec.Text, r.Answer)
	}
}

// result notes the result of a tool, if it is rows.
func (r *Receipt) result(rec conversation.Record, arguments string, caveats []api.Caveat) {
	sum, rows := rec.RowsSHA256, rec.Rows
	if _, isRows := rowTools[rec.Tool]; sum == "" && !isRows {
		return
	}
	if sum == "" {
		sum, rows = Digest([]byte(rec.Content))
	}
	asked := json.RawMessage(arguments)
	r.Results = append(r.Results, Result{Call: rec.ToolCallID, Tool: rec.Tool, Arguments: asked, Local: runsHere(rec.Tool, asked),
		SHA256: sum, Rows: rows, Inputs: rec.Inputs, Saved: rec.Saved, Caveats: caveats})
}

// runsHere reports whether a call can be made again: it changes nothing, and costs
// nothing, as it reads this machine alone. What a query has fetched is kept here for
// a while.
func runsHere(tool string, arguments json.RawMessage) bool {
	var in struct {
		SQL    string `json:"sql"`
		Remote bool   `json:"remote"`
	}
	if json.Unmarshal(arguments, &in) != nil || in.Remote {
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
