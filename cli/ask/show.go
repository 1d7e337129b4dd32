package ask

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/internal/words/markdown"
	"github.com/agnes-data/da/internal/words/printable"
)

// steps prints the events of a turn.
type steps struct {
	app    *app.App
	format output.Format
	out    io.Writer
	failed error
	// open counts the calls that run. several is set while a result may be that of one
	// of several calls.
	open    int
	several bool
	// said is what the model has said since its last call. On a terminal drawing
	// draws it meanwhile; told is the last text that was drawn whole.
	said    strings.Builder
	drawing *markdown.Writer
	told    string
	// frames and charts collect those of the turn.
	frames []agent.DataFrame
	charts []agent.Chart
}

// shows sets how this conversation prints its steps.
func (t *talk) shows(format output.Format) {
	t.steps = steps{app: t.app, format: format, out: t.app.IO.Out}
}

// take prints one event: as a JSON line on standard output, or in words on
// standard error.
func (s *steps) take(e agent.Event) {
	if s.format == output.NDJSON {
		line, err := json.Marshal(e)
		if err == nil {
			_, err = fmt.Fprintf(s.out, "%s\n", printable.Line(string(line)))
		}
		s.failed = cmp.Or(s.failed, err)
		return
	}
	if e.Type != agent.EventPartial && e.Type != agent.EventThinking {
		s.failed = cmp.Or(s.failed, s.drawn())
	}
	switch e.Type {
	case agent.EventDataFrame:
		s.frames = append(s.frames, *e.Table)
		s.failed = cmp.Or(s.failed, s.table(e.Table))
	case agent.EventChart:
		s.charts = append(s.charts, *e.Chart)
		s.failed = cmp.Or(s.failed, s.chart(e.Chart))
	case agent.EventRejected:
		s.app.Note("    no chart: " + clipped(e.Text))
	case agent.EventPartial:
		s.says(e.Text)
	case agent.EventReply:
		s.said.Reset() // it is printed as the answer, unless it is drawn
	case agent.EventToolCall:
		if text := strings.TrimSpace(s.said.String()); text != "" && !s.draws() {
			s.app.Note(printable.Text(text))
		}
		s.said.Reset()
		s.open++
		s.several = s.several || s.open > 1
		s.app.Note("  " + e.Tool + " " + clipped(string(e.Arguments)))
	case agent.EventToolResult:
		what := humanize.Bytes(int64(e.Bytes))
		if e.Failed {
			what = "failed: " + clipped(failureIn(e.Text))
		}
		if s.several {
			what = e.Tool + ": " + what
		}
		s.open = max(s.open-1, 0)
		s.several = s.several && s.open > 0
		s.app.Note("    " + what + ", " + humanize.Elapsed(time.Duration(e.Millis)*time.Millisecond))
	case agent.EventRestart:
		s.said.Reset()
		s.app.Note("  " + clipped(e.Text))
	case agent.EventNotice:
		s.app.Note("  " + clipped(e.Text))
	}
}

// draws reports whether texts are drawn while they come.
func (s *steps) draws() bool { return s.format == output.Table && s.app.IO.OutTerminal }

// says takes a piece of what the model says.
func (s *steps) says(piece string) {
	s.said.WriteString(piece)
	if !s.draws() || s.drawing == nil && strings.TrimSpace(piece) == "" {
		return
	}
	if s.drawing == nil {
		s.drawing = s.markdown()
	}
	s.drawing.Write(piece)
}

func (s *steps) markdown() *markdown.Writer {
	return markdown.New(s.out, s.app.IO.OutWidth, s.app.IO.OutColor)
}

// drawn ends the text that is drawn.
func (s *steps) drawn() error {
	if s.drawing == nil {
		return nil
	}
	err := s.drawing.Close()
	s.drawing, s.told = nil, onOneLine(s.said.String())
	return err
}

// answer prints the answer, unless it has been drawn.
func (s *steps) answer(text string) error {
	switch {
	case text == "" || s.draws() && onOneLine(text) == s.told:
		return nil
	case s.draws():
		w := s.markdown()
		w.Write(text)
		return w.Close()
	}
	_, err := fmt.Fprintln(s.out, printable.Text(text))
	return err
}

// clipped shortens a text to about one line.
func clipped(text string) string { return api.Clip(printable.Line(onOneLine(text)), 160) }

// onOneLine is a text with single spaces between its words.
func onOneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// failureIn returns the message of a tool's error: of Python's, its last line.
func failureIn(text string) string {
	var body struct {
		Text  string `json:"text"`
		Error struct {
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal([]byte(text), &body) != nil {
		return text
	}
	traceback := strings.TrimSpace(body.Text)
	return cmp.Or(body.Error.Message, traceback[strings.LastIndex(traceback, "\n")+1:], text)
}

// ask asks the question, or resumes a turn that was interrupted.
func (t *talk) ask(ctx context.Context, question string) (agent.Answer, error) {
	if question != "" {
		return t.agent.Ask(ctx, question)
	}
	if t.agent.Open() {
		return t.agent.Resume(ctx)
	}
	last := -1
	for i, r := range t.log.Records {
		if r.Type == conversation.TurnEnd {
			last = i
		}
	}
	if last < 0 {
		return agent.Answer{}, &api.Error{Code: api.CodeUsage, Message: "the conversation has no question yet", Hint: "Give one: da ask --continue \"How many …?\"."}
	}
	return agent.Answer{}, &api.Error{Code: api.CodeUsage, Message: "the last turn of the conversation has ended, so there is nothing to go on with",
		Hint: "Give a question: da ask --continue \"And …?\"."}
}

// print shows the answer.
func (t *talk) print(format output.Format, answer agent.Answer) error {
	switch format {
	case output.NDJSON:
		return t.steps.failed // the reply was the last event, so it is printed already
	case output.JSON:
		return t.app.PrintJSON(Answer{answer, t.steps.frames, t.steps.charts})
	}
	if err := t.steps.answer(strings.TrimSpace(answer.Text)); err != nil {
		return err
	}
	t.steps.told = ""
	if text := changed(answer.Draft); text != "" {
		t.app.Note(text)
	}
	t.app.Note(t.summary(answer))
	return nil
}

// summary says what the turn used.
func (t *talk) summary(answer agent.Answer) string {
	parts := []string{humanize.Plural(int64(answer.Calls), "tool call", "tool calls"), humanize.Grouped(answer.Usage.Total()) + " tokens"}
	if answer.Usage.Estimated {
		parts[1] = "at most " + parts[1]
	}
	if answer.Cost != nil {
		parts = append(parts, "cost "+agent.MoneyOf(*answer.Cost).String()+" of "+agent.MoneyOf(*answer.TotalCost).String()+" so far")
	}
	from := "conversation " + answer.Conversation
	if answer.Receipt != "" {
		from = "receipt " + answer.Receipt
	}
	if loose := untraced(answer.Untraced); loose != "" {
		from += "; " + loose
	}
	return "(" + strings.Join(parts, ", ") + "; " + from + ")"
}

// untraced names the figures of an answer that are in no result.
func untraced(figures []string) string {
	if len(figures) == 0 {
		return ""
	}
	const most = 5
	text := humanize.Plural(int64(len(figures)), "figure", "figures") + " in no result: " + strings.Join(figures[:min(len(figures), most)], ", ")
	if more := len(figures) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// explain adds to an error how to resume the turn that it left open.
func (t *talk) explain(err error) error {
	var e *api.Error
	if !errors.As(err, &e) || !t.agent.Open() {
		return err
	}
	out := *e
	out.Hint = strings.TrimSpace(e.Hint + " Nothing is lost: da ask --continue goes on.")
	return &out
}
