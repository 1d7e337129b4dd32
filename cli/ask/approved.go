package ask

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/agent/approved"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/internal/config"
)

// answerApproved answers a question that is an approved one in other words, or with other
// values of its parameters, from the statement of that, and reports whether it did. It
// does so if the client config says agent.reuse: approved. Anything that is not sure is
// for the model.
func answerApproved(ctx context.Context, a *app.App, o askOptions, format output.Format, question string) (bool, error) {
	cfg, err := a.ClientConfig()
	alone := !o.goOn && o.conversation == "" && len(o.files) == 0 && format == output.Table
	if err != nil || cfg.Agent.Reuse != config.ReuseApproved || !alone {
		return false, err
	}
	remote, err := a.Connect()
	if err != nil {
		return false, ctx.Err() // the model is asked, whose tools say what is wrong
	}
	known, err := remote.Known(ctx)
	if err != nil {
		return false, ctx.Err()
	}
	m := approved.Find(known.Questions, question)
	if m == nil {
		return false, nil
	}
	now, err := remote.SavedQuestion(ctx, m.Question.Name) // which looks at the tables, too
	if err != nil || !now.IsApproved() || len(now.Changed) > 0 || now.Definition != m.Question.Definition {
		return false, ctx.Err()
	}
	var values []string
	for _, name := range slices.Sorted(maps.Keys(m.Values)) {
		values = append(values, fmt.Sprintf("%s = %s", name, m.Values[name]))
	}
	text := "no model is asked: this is the approved question '" + now.Name + "'"
	if len(values) > 0 {
		text += " with " + strings.Join(values, ", ")
	}
	a.Note(text)
	return true, query.AnswerSaved(ctx, a, now, m.Values)
}
