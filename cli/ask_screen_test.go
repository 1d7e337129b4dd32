package cli

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/internal/testing/providertest"
)

// unlike is what differs from one run of da ask to the next: ids, times and sizes.
var unlike = regexp.MustCompile(`\b[0-9a-f]{16}\b|[0-9][0-9.]*(?:ms|s)\b|[0-9][0-9 ]* tokens|[0-9.]+ K?B\b`)

// TestScreensOfAsk compares what people see of an answer in words with what they saw
// before: its steps, its table, and the line with a figure that is in no result.
func TestScreensOfAsk(t *testing.T) {
	t.Parallel()
	const answer = "**ORD** has the most late departures:\n\n| origin | late |\n|---|---|\n| ORD | 276 |\n| DFW | 158 |\n\n" +
		"- Based on `flights`, where `delay > 120`.\n- Together 276 and 158 are 434, of some 9999."
	for _, width := range []int{80, 200} {
		model := providertest.NewServer(t, modelSteps(func([]provider.Result) string { return answer },
			[]provider.Call{providertest.Call("a", "catalog_search", map[string]any{"query": "flights"})},
			[]provider.Call{providertest.Call("b", "query", map[string]any{"sql": "FROM (VALUES ('ORD', 276), ('DFW', 158)) t(o, n)"})}))
		p := newPlace(t).withModel(model, provider.OpenAI)
		s := newScreen(t, p, width, `da ask "Which airports have most late departures?"; tmux wait-for -S done; read wait`)
		s.ends()
		compareScreen(t, fmt.Sprintf("ask-%d", width), unlike.ReplaceAllString(s.text("-e"), "…"))

		s = newScreen(t, p, width, "da chat")
		s.shows("you>")
		s.keys("Which airports have most late departures?")
		s.press("Enter")
		s.shows("9999)\nyou>") // the prompt comes after the answer's last line
		compareScreen(t, fmt.Sprintf("chat-%d", width), unlike.ReplaceAllString(s.text("-e"), "…"))
	}
}
