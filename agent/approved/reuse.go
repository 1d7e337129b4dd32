package approved

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/api"
)

// Knower tells what people have written down; see api.Knower.
type Knower interface {
	Known(ctx context.Context) (*api.Known, error)
	SavedQuestion(ctx context.Context, name string) (*api.SavedQuestion, error)
}

// Asked returns the approved question that the words ask, as it is now; nil if that is not
// sure.
func Asked(ctx context.Context, k Knower, words string) (*Match, error) {
	known, err := k.Known(ctx)
	if err != nil {
		return nil, err
	}
	m := Find(known.Questions, words)
	if m == nil {
		return nil, nil
	}
	now, err := k.SavedQuestion(ctx, m.Question.Name) // which looks at the tables, too
	if err != nil || !now.IsApproved() || len(now.Changed) > 0 || now.Definition != m.Question.Definition {
		return nil, err
	}
	m.Question = *now
	return m, nil
}

// String says which question it is.
func (m *Match) String() string {
	text := "the approved question '" + m.Question.Name + "'"
	var values []string
	for _, name := range slices.Sorted(maps.Keys(m.Values)) {
		values = append(values, fmt.Sprintf("%s = %s", name, m.Values[name]))
	}
	if len(values) > 0 {
		text += " with " + strings.Join(values, ", ")
	}
	return text
}

// Provider answers what is an approved question asked again, and leaves all else to a model.
// It writes what a model would: a call of the tool that runs the statement, and then the
// rows. So the conversation has it, and its receipt.
type Provider struct {
	provider.Provider // the model
	Known             Knower
	// asked waits for the result of the call.
	asked *Match
}

const callID = "approved"

// Send implements provider.Provider.
func (p *Provider) Send(ctx context.Context, req provider.Request, say func(provider.Delta)) (provider.Reply, error) {
	reply, ok := p.reply(ctx, req)
	if !ok {
		return p.Provider.Send(ctx, req, say)
	}
	if say != nil && len(reply.Calls()) == 0 {
		say(provider.Delta{Text: reply.Text()})
	}
	return reply, nil
}

func (p *Provider) reply(ctx context.Context, req provider.Request) (reply provider.Reply, ok bool) {
	asked := p.asked
	p.asked = nil
	if len(req.Messages) == 0 {
		return reply, false
	}
	last := req.Messages[len(req.Messages)-1]
	if last.Role != provider.User || len(last.Blocks) == 0 {
		return reply, false
	}
	block := last.Blocks[len(last.Blocks)-1]
	if r := block.Result; r != nil {
		if asked == nil || r.Failed || !strings.HasPrefix(r.CallID, callID) {
			return reply, false
		}
		text, ok := told(asked, r.Text)
		return provider.Reply{Blocks: []provider.Block{{Text: text}}, Stop: provider.StopEnd}, ok
	}
	m, err := Asked(ctx, p.Known, block.Text)
	if err != nil || m == nil {
		return reply, false
	}
	call := provider.Call{ID: callID, Name: "query_remote"}
	arguments := map[string]any{"sql": m.Question.SQL}
	if !m.Question.Remote && slices.ContainsFunc(req.Tools, func(t provider.Tool) bool { return t.Name == "query" }) {
		call.Name, arguments["fetch"] = "query", true
	}
	if len(m.Values) > 0 {
		arguments["params"] = m.Values
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		return reply, false
	}
	p.asked, call.Arguments = m, string(text)
	return provider.Reply{Blocks: []provider.Block{{Call: &call}}, Stop: provider.StopCalls}, true
}

// mostRows is how many rows are written out.
const mostRows = 20

// told is the answer for people, with the first rows; ok is false if the result is not
// understood.
func told(m *Match, result string) (text string, ok bool) {
	var got struct {
		Constant map[string]json.RawMessage
		Rows     string // with a first line of name:type
		Total    int64  `json:"rows_total"`
		Caveats  []api.Caveat
	}
	if json.Unmarshal([]byte(result), &got) != nil || got.Rows == "" {
		return "", false
	}
	lines := csv.NewReader(strings.NewReader(got.Rows))
	var b strings.Builder
	fmt.Fprintf(&b, "This is %s, which %s has approved. No model was asked, and the rows were not compared with those that were approved.\n\n",
		m, m.Question.Approved.By)
	names := slices.Sorted(maps.Keys(got.Constant)) // they have the same value in each row
	var table [][]string                            // with its header
	for len(table) <= mostRows {
		cells, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return "", false
		}
		for i, c := range cells {
			if table == nil {
				c = c[:max(strings.LastIndexByte(c, ':'), 0)]
			}
			cells[i] = cell(c)
		}
		for _, name := range names {
			var text string
			switch v := got.Constant[name]; {
			case table == nil:
				text = name
			case json.Unmarshal(v, &text) != nil:
				text = string(v)
			}
			cells = append(cells, cell(text))
		}
		table = append(table, cells)
	}
	if len(table) == 2 && len(table[0]) == 1 {
		b.WriteString(table[0][0] + ": " + table[1][0] + "\n") // in a sentence it is a figure
	} else {
		for i, cells := range table {
			b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
			if i == 0 {
				b.WriteString("|" + strings.Repeat(" --- |", len(cells)) + "\n")
			}
		}
	}
	if int64(len(table)) <= got.Total {
		b.WriteString("\nThese are not all rows.\n")
	}
	for _, c := range got.Caveats {
		b.WriteString("\n" + c.Text + "\n")
	}
	return b.String(), true
}

// cell is a value in a table of Markdown.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", " ").Replace(text)
}

// SavedOf returns a function that says which saved question's statement a call has run, by
// its arguments; nil: none. What people know is asked for once, when a call has a statement.
func SavedOf(ctx context.Context, k Knower) func(arguments string) *conversation.Saved {
	known := sync.OnceValue(func() []api.SavedQuestion {
		all, err := k.Known(ctx)
		if err != nil {
			return nil // a receipt says less then, and nothing wrong
		}
		return all.Questions
	})
	return func(arguments string) *conversation.Saved {
		var in struct{ SQL string }
		if json.Unmarshal([]byte(arguments), &in) != nil || in.SQL == "" {
			return nil
		}
		for _, q := range known() {
			if words(q.SQL) != words(in.SQL) {
				continue
			}
			now, err := k.SavedQuestion(ctx, q.Name)
			if err != nil || words(now.SQL) != words(in.SQL) {
				continue
			}
			s := &conversation.Saved{Name: now.Name, Question: now.Question, Changed: now.Changed}
			if now.Approved != nil {
				s.ApprovedBy, s.ApprovedAt = now.Approved.By, &now.Approved.At
			}
			return s
		}
		return nil
	}
}

// words is a statement without what does not matter between its words.
func words(sql string) string {
	return strings.Join(strings.Fields(strings.TrimRight(strings.TrimSpace(sql), ";")), " ")
}
