package ask

import (
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/iostreams"
)

// TestAnswersAreDrawnAsTheyCome holds that a terminal shows what a model says while it
// does, without its Markdown, and once; and other outputs at the end, as it is.
func TestAnswersAreDrawnAsTheyCome(t *testing.T) {
	t.Parallel()
	for terminal, want := range map[bool]string{true: "I look it up\nLate flights\nMost are at ORD.\n", false: "## Late flights\nMost are at **ORD**.\n"} {
		io, _, out, notes := iostreams.Test()
		io.OutTerminal, io.OutWidth = terminal, 40
		a := app.New(t.Context(), app.Env{IO: io, Getenv: func(string) string { return "" }}, nil)
		talk := &talk{app: a}
		talk.shows(output.Table)
		say := func(kind agent.EventType, text string) { talk.steps.take(agent.Event{Type: kind, Text: text}) }
		say(agent.EventPartial, "I look ")
		say(agent.EventPartial, "it up")
		if got := out.String(); terminal && got != "I look it" || !terminal && got != "" {
			t.Errorf("terminal %t: before its end, %q", terminal, got)
		}
		say(agent.EventToolCall, "")
		say(agent.EventToolResult, "{}")
		for _, piece := range []string{"## Late ", "flights\nMost are", " at **ORD**."} {
			say(agent.EventPartial, piece)
		}
		say(agent.EventStatus, "the model has answered")
		say(agent.EventReply, "")
		if err := talk.print(output.Table, agent.Answer{Text: "## Late flights\nMost are at **ORD**."}); err != nil {
			t.Fatal(err)
		}
		if out.String() != want || terminal == strings.Contains(notes.String(), "I look it up") {
			t.Errorf("terminal %t: %q, and %q", terminal, out.String(), notes.String())
		}
	}
}

// hand is a clock whose test moves it.
type hand chan time.Time

func (hand) Now() time.Time                                   { return time.Unix(0, 0) }
func (h hand) Ticks(time.Duration) (<-chan time.Time, func()) { return h, func() {} }
func (h hand) at(second int64) { // drawn when the second is taken
	h <- time.Unix(second, 0)
	h <- time.Unix(second, 0)
}

// TestTheModelIsSeenToThink on a terminal, before its first word and after each result,
// and never between the words of an answer.
func TestTheModelIsSeenToThink(t *testing.T) {
	t.Parallel()
	io, _, out, notes := iostreams.Test()
	io.OutTerminal, io.OutWidth = true, 40
	a := app.New(t.Context(), app.Env{IO: io, Getenv: func(string) string { return "" }}, nil)
	talk, clock := &talk{app: a}, make(hand)
	talk.shows(output.Table)
	talk.steps.start = func(what string) func() {
		return output.StartProgress(notes, output.ProgressOptions{Active: true, Width: 40, Label: what, Clock: clock}).Stop
	}
	say := func(kind agent.EventType, text string) { talk.steps.take(agent.Event{Type: kind, Text: text}) }
	talk.steps.thinks(true)
	clock.at(7)
	say(agent.EventThinking, "Hm")
	clock.at(8)
	say(agent.EventToolCall, "")
	if talk.steps.thinking != nil {
		t.Error("the model is waited for while its call runs")
	}
	say(agent.EventToolResult, "{}")
	if talk.steps.thinking == nil {
		t.Fatal("nobody is waited for after a result")
	}
	say(agent.EventStatus, "2 secrets were taken out of an answer")
	clock.at(9)
	say(agent.EventPartial, "Most are at ORD.")
	if talk.steps.thinking != nil {
		t.Error("the line is there while the answer is drawn")
	}
	say(agent.EventReply, "")
	for _, want := range []string{"the model thinks: 7", "the model thinks: 8", "the model thinks: 9"} {
		if !strings.Contains(notes.String(), want) {
			t.Errorf("%q is not in %q", want, notes.String())
		}
	}
	if got := out.String(); got != "Most are at ORD.\n" {
		t.Errorf("%q", got)
	}
}
