package cli

import (
	"context"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/fit"
	"github.com/agnes-data/da/internal/shellwords"
)

// answers reports whether a result is printed as an answer that fits, and how
// large that may be. A file gets all rows.
func answers(a *app.App, o queryOptions, format output.Format) (tokens int, yes bool, err error) {
	if format != output.JSON || o.out != "" {
		return 0, false, nil
	}
	tokens, err = a.TokenBudget()
	return tokens, tokens > 0, err
}

// runAnswer prints what fits of a local result.
func runAnswer(ctx context.Context, a *app.App, o queryOptions, sql string, tokens int) error {
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	// Types are those that the kept result will have, so that both agree.
	result, err := work.Query(ctx, sql, true)
	if err != nil {
		return err
	}
	defer result.Close()
	answer, err := work.Answer(ctx, result.Batches, analyst.About{SQL: sql, Warnings: api.Texts(exit.WordNotes(result.Warnings))}, answerOptions(a, o, tokens))
	if err != nil {
		return err
	}
	return printAnswer(a, answer)
}

// runRemoteAnswer prints what fits of a result of the source; what does not fit
// is kept here.
func runRemoteAnswer(ctx context.Context, a *app.App, o queryOptions, sql string, tokens int) error {
	remote, err := a.Connect()
	if err != nil {
		return err
	}
	work, err := a.Analyst()
	if err != nil {
		return err
	}
	stream, err := remote.Query(ctx, api.QueryRequest{SQL: sql})
	if err != nil {
		return work.ExplainRemote(err)
	}
	defer stream.Close()
	answer, err := work.Answer(ctx, stream.Batches, analyst.About{SQL: sql, Server: remote.Name, Warnings: stream.Warnings(), CutAtSource: func() string {
		if end := stream.End(); end.Truncated {
			return end.Cap
		}
		return ""
	}}, answerOptions(a, o, tokens))
	if err != nil {
		return err
	}
	return printAnswer(a, answer)
}

// commandBytes is what the command for the next rows takes.
const commandBytes = 160

func answerOptions(a *app.App, o queryOptions, tokens int) fit.Options {
	return fit.Options{MaxTokens: tokens, MaxRows: o.limit, Reserve: commandBytes + a.Fenced()}
}

func printAnswer(a *app.App, answer *fit.Answer) error {
	if answer.Rest != nil {
		answer.Rest.Command = "da query " + shellwords.Quote(answer.Rest.SQL)
		answer.Rest.SQL = ""
	}
	return a.PrintForReader(answer)
}
