package ask

import (
	"strings"
	"testing"

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
