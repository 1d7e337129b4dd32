package ask

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/words/humanize"
)

// NewAskCmd returns 'da ask'.
func NewAskCmd(a *app.App) *cobra.Command {
	var o askOptions
	cmd := &cobra.Command{
		Use:   "ask [QUESTION | -]",
		Short: "Ask a question in words; a model answers it with the tools",
		Long: `Ask gives a question to a model, which finds data, estimates, fetches and
queries with the same tools, rights and budgets as you, until it has an answer.
The answer goes to standard output, the steps to standard error.

What the model sees leaves this machine, unless it runs here: the question, the
names of tables, and what its tools return. Which model is asked says the
section 'agent' of the config (da help config) or the flags; by default there is
none. It ends with exit code 3 where a limit ends the turn, and prints what the
model has said so far.

Every step is kept in a conversation. --continue goes on with the last one, also
after a crash; without a question it goes on with a turn that did not end. The
model replaces no snapshot but those of its conversation.

It reads the files of the workspace (da help files), to which --file adds, and
no others of this machine. What it changes or makes lies in a draft, which
'da files draft' shows and applies; --apply applies it at the end, if the model
is done.

--test asks the questions of a YAML file, each in a conversation of its own, and
ends with exit code 10 if an answer is not as the file expects. --record keeps
the replies of the model, so that --replay can try another prompt or tool
without one.`,
		Example: `  da ask "Which airport has the most late departures, and how many?"
  da ask "Now by month" --continue
  da ask "Which airport has the most late departures?" --estimate
  da ask "Which products sold best?" --file sales.csv --budget 0.20
  da ask "Translate the headings into English" --file prices.xlsx --apply
  da ask "How many flights are there?" --provider compatible --base-url http://localhost:11434/v1 --model qwen3 -o json
  da ask --test questions.yaml --report answers.xml`,
		Args: usage.AtMostOne("QUESTION", "Put the question in quotes: da ask \"How many …?\"."),
		RunE: func(cmd *cobra.Command, args []string) error { return runAsk(cmd.Context(), a, o, args) },
	}
	o.register(cmd)
	o.registerTalk(cmd)
	o.test.register(cmd)
	cmd.Flags().BoolVar(&o.estimate, "estimate", false, "show how many tokens the first request would have, and stop")
	return cmd
}

// maxQuestion is the maximum length of a question, in bytes.
const maxQuestion = 256 << 10

// question reads the question from arguments, file or standard input.
func (o askOptions) question(a *app.App, args []string) (string, error) {
	continues := o.goOn || o.conversation != ""
	switch {
	case len(args) == 1 && args[0] != "-":
		return args[0], nil
	case len(args) == 0 && (!a.IO.InPiped || continues):
		if continues {
			return "", nil
		}
		return "", &api.Error{Code: api.CodeUsage, Message: "no question is given",
			Hint: "Give it as an argument, da ask \"How many …?\"; - reads standard input."}
	}
	text, err := io.ReadAll(io.LimitReader(a.IO.In, maxQuestion+1))
	if err != nil {
		return "", &api.Error{Code: api.CodeReadFailed, Message: "cannot read the question: " + err.Error(), Err: err}
	}
	if len(text) > maxQuestion {
		return "", usage.Error(fmt.Sprintf("the question is longer than %d bytes", maxQuestion))
	}
	if strings.TrimSpace(string(text)) == "" {
		return "", usage.Error("the question is empty: standard input has no text")
	}
	return string(text), nil
}

func runAsk(ctx context.Context, a *app.App, o askOptions, args []string) error {
	if a.ServesCalls {
		return serveAgentCalls(ctx, a, false)
	}
	if o.test.file != "" {
		if len(args) > 0 {
			return usage.Error("the questions are in the file of --test: give no other")
		}
		return runTest(ctx, a, o)
	}
	if o.test != (testOptions{}) {
		return usage.Error("--record, --replay and --report are for --test")
	}
	format, err := askFormat(a)
	if err != nil {
		return err
	}
	question, err := o.question(a, args)
	if err != nil {
		return err
	}
	if o.estimate {
		return runEstimate(ctx, a, o, format, question)
	}
	if answered, err := answerApproved(ctx, a, o, format, question); answered || err != nil {
		return err
	}
	talk, err := openTalk(ctx, a, o)
	if err != nil {
		return err
	}
	defer talk.close()
	talk.shows(format)
	answer, err := talk.ask(ctx, question)
	if err != nil {
		return talk.explain(err)
	}
	if err := talk.print(format, answer); err != nil {
		return err
	}
	return cmp.Or(ended(answer), talk.unapplied(answer))
}

// runEstimate says how large the first request of a question is. A conversation that it
// begins for that is deleted.
func runEstimate(ctx context.Context, a *app.App, o askOptions, format output.Format, question string) error {
	switch {
	case question == "":
		return usage.Error("there is no question to estimate")
	case len(o.files) > 0:
		return usage.Error("--estimate changes nothing, and --file would put files into the workspace")
	}
	talk, err := openTalk(ctx, a, o)
	if err != nil {
		return err
	}
	e := talk.agent.Estimate(ctx, question)
	talk.close()
	if !o.goOn && o.conversation == "" {
		store, err := Conversations(a)
		if err != nil {
			return err
		}
		if err := store.Delete(talk.log.ID); err != nil {
			return err
		}
	}
	if format != output.Table {
		return a.PrintJSON(e)
	}
	text := "The first request has " + humanize.Grouped(e.Tokens) + " tokens"
	if e.Estimated {
		text = "The first request has about " + humanize.Grouped(e.Tokens) + " tokens, by its bytes"
	}
	if e.Cost != nil {
		text += ", and costs " + agent.MoneyOf(*e.Cost).String() + " without the reply"
	}
	_, err = fmt.Fprintln(a.IO.Out, text+". Each call of a tool makes another one, which has these again.")
	return err
}

// askFormat returns the output format: text, JSON, or events as JSON lines.
func askFormat(a *app.App) (output.Format, error) {
	format := a.OutputFormat()
	if format != output.Table && format != output.JSON && format != output.NDJSON {
		e := usage.Error("an answer cannot be written as " + string(format))
		e.Hint = "Leave out --output for text, or choose json or ndjson."
		return "", e
	}
	return format, nil
}

// ended is the error for a turn that ended before the model had finished.
func ended(answer agent.Answer) error {
	e := &api.Error{Code: api.CodeBudget, Kind: string(answer.Reason), Details: map[string]any{"conversation": answer.Conversation}}
	switch answer.Reason {
	case agent.ReasonEnd:
		return nil
	case agent.ReasonCancelled:
		return &api.Error{Code: api.CodeInterrupted, Message: "interrupted"}
	case agent.ReasonRefused:
		e.Code, e.Message, e.Hint = api.CodeRejected, "the model declines to answer", "Ask otherwise, or ask another model."
	case agent.ReasonOther:
		e.Code, e.Message = api.CodeUnavailable, "the provider ended the reply: "+answer.Detail
	case agent.ReasonLength:
		e.Message, e.Hint = "the answer is cut: it is longer than a reply may be", "Raise agent.max_reply_tokens in the config, or ask for less."
	case agent.ReasonCalls:
		e.Message, e.Hint = "the turn has used all its tool calls",
			"Go on with da ask --continue \"go on\", or raise agent.max_tool_calls in the config."
	case agent.ReasonTokens:
		e.Message, e.Hint = "the tokens of the conversation are used up", "Begin a new conversation, or raise agent.max_tokens in the config."
	case agent.ReasonBudget:
		e.Message, e.Hint = "what is left of the budget does not pay for another reply"+detailed(answer.Detail),
			"Begin a new conversation, or give it more with --budget."
	case agent.ReasonTime:
		e.Message, e.Hint = "the turn took too long", "Go on with da ask --continue \"go on\", or raise agent.turn_timeout_seconds in the config."
	case agent.ReasonLoop:
		e.Message, e.Hint = "the model repeats itself: "+answer.Detail, "Ask in smaller steps, or ask another model."
	case agent.ReasonFailed:
		e.Code, e.Message = api.CodeUnavailable, "the provider failed"
	}
	return e
}

// detailed puts a detail behind a message.
func detailed(detail string) string {
	if detail == "" {
		return ""
	}
	return ": " + detail
}
