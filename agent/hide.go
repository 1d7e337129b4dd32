package agent

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/agent/conversation"
	"github.com/agnes-data/da/agent/hidden"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/agent/receipt"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/humanize"
)

// filled puts the values that were hidden from the model into what it has written.
// unknown are placeholders that name none.
func (a *Agent) filled(text string) (filled string, unknown []string) {
	if a.state.values == nil {
		return text, nil
	}
	return a.state.values.Fill(text)
}

// said is the last text of the model as it has written it.
func (a *Agent) said() (text string) {
	for _, r := range a.Log.Records {
		if r.Type == conversation.AssistantMessage {
			text = provider.Reply{Blocks: r.Blocks}.Text()
		}
	}
	return text
}

// own leaves of the figures of an answer those that the model has written itself: the
// others came from results.
func (a *Agent) own(figures []string) []string {
	if a.state.values == nil {
		return figures
	}
	said := hidden.Own(a.said())
	return slices.DeleteFunc(figures, func(figure string) bool { return !strings.Contains(said, figure) })
}

// faults says what is wrong with the answer that the model has just written; "" if
// nothing. Of hidden values it says nothing that the model has not written itself.
func (a *Agent) faults() string {
	loose := a.own(receipt.Untraced(a.Log.Records, a.state.turns))
	_, unknown := a.filled(a.said())
	var all []string
	if n := len(loose); n > 0 {
		all = append(all, humanize.Plural(int64(n), "figure", "figures")+" in no result: "+api.Clip(strings.Join(loose, ", "), 300))
	}
	if n := len(unknown); n > 0 {
		all = append(all, humanize.Plural(int64(n), "placeholder", "placeholders")+" without a value: "+api.Clip(strings.Join(unknown, ", "),
			300))
	}
	return strings.Join(all, "; ")
}
