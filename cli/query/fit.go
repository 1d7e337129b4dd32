package query

import (
	"context"

	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/internal/words/shellwords"
	"github.com/agnes-data/da/toolbox/fit"
)

// answers reports whether a result is shortened to a token budget, and returns
// the budget. A file gets all rows.
func answers(a *app.App, o Options, format output.Format) (tokens int, yes bool, err error) {
	if format != output.JSON || o.Out != "" {
		return 0, false, nil
	}
	tokens, err = a.TokenBudget()
	return tokens, tokens > 0, err
}

// showAnswer prints what fits of a result; the whole result is kept locally.
func showAnswer(ctx context.Context, a *app.App, o Options, q *Queried, tokens int) error {
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	answer, err := query.Answer(ctx, work, q.worded(o), q.about,
		fit.Options{MaxTokens: tokens, MaxRows: o.Limit, Reserve: CommandBytes + a.Fenced()})
	if err != nil {
		return err
	}
	withCommand(answer)
	if err := o.record(a, answer.Caveats); err != nil {
		return err
	}
	return a.PrintForReader(answer)
}

// CommandBytes is the size of the command for the next rows.
const CommandBytes = 160

// withCommand sets the command that shows the next rows.
func withCommand(answer *fit.Answer) {
	if answer.Rest != nil {
		answer.Rest.Command = "da query " + shellwords.Quote(answer.Rest.SQL)
		answer.Rest.SQL = ""
	}
}
