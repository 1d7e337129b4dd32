package ask

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/words/humanize"
)

// shows sets how this conversation prints its steps.
func (t *talk) shows(format output.Format) {
	t.steps = steps{app: t.app, format: format, out: t.app.IO.Out, calls: map[string]string{},
		start: func(what string) func() { return t.app.Progress(what).Stop }}
}

// ask asks the question, or resumes a turn that was interrupted.
func (t *talk) ask(ctx context.Context, question string) (agent.Answer, error) {
	t.steps.thinks(true)
	defer func() { t.steps.thinks(false) }()
	if question != "" {
		return t.agent.Ask(ctx, question, t.takeAttached()...)
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
		return agent.Answer{}, &api.Error{Code: api.CodeUsage, Message: "the conversation has no question yet",
			Hint: "Give one: da ask --continue \"How many …?\"."}
	}
	return agent.Answer{}, &api.Error{Code: api.CodeUsage,
		Message: "the last turn of the conversation has ended, so there is nothing to go on with",
		Hint:    "Give a question: da ask --continue \"And …?\"."}
}

// takeAttached returns the files of --file, which come with the first question.
func (t *talk) takeAttached() []conversation.File {
	files := t.attached
	t.attached = nil
	return files
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
		parts = append(parts, costs(answer)+agent.MoneyOf(*answer.Cost).String()+" of "+agent.MoneyOf(*answer.TotalCost).String()+" so far")
	}
	from := "conversation " + answer.Conversation
	if answer.Receipt != "" {
		from = "receipt " + answer.Receipt
	}
	for _, told := range []string{figures(answer.WorkedOut, "worked out"), figures(answer.Untraced, "in no result")} {
		if told != "" {
			from += "; " + told
		}
	}
	return "(" + strings.Join(parts, ", ") + "; " + from + ")"
}

// costs begins the sentence about what an answer has cost. If a reply broke off, only the
// tokens that were reserved for it are known, and that is the most that it can have taken.
func costs(answer agent.Answer) string {
	if answer.Reserved > 0 {
		return "cost at most "
	}
	return "cost "
}

// figures lists figures of an answer behind a count, such as "2 figures in no result: 5, 7";
// "" for none.
func figures(texts []string, are string) string {
	if len(texts) == 0 {
		return ""
	}
	const most = 5
	text := humanize.Plural(int64(len(texts)), "figure", "figures") + " " + are + ": " + strings.Join(texts[:min(len(texts), most)], ", ")
	if more := len(texts) - most; more > 0 {
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
