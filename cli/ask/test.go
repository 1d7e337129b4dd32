package ask

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/agnes-data/da/agent"
	"github.com/agnes-data/da/agent/provider"
	"github.com/agnes-data/da/analyst/checks"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/exit"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/cli/query"
	"github.com/agnes-data/da/cli/usage"
	"github.com/agnes-data/da/internal/disk/atomicfile"
	"github.com/agnes-data/da/internal/words/humanize"
)

// testOptions are the flags of a test of questions.
type testOptions struct{ file, record, replay, report string }

func (o *testOptions) register(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&o.file, "test", "", "ask the questions of this `file` and compare the answers with what it expects")
	f.StringVar(&o.record, "record", "", "with --test: keep the model's replies in this `file`")
	f.StringVar(&o.replay, "replay", "", "with --test: take the replies from this `file`, and ask no model")
	query.RegisterReport(cmd, &o.report)
	usage.Exclusive(cmd, "record", "replay")
	usage.Exclusive(cmd, "test", "continue")
	usage.Exclusive(cmd, "test", "conversation")
}

// Tested is what da ask --test --json prints.
type Tested struct {
	Questions []TestedQuestion `json:"questions"`
	Right     int              `json:"right"`
	Wrong     int              `json:"wrong" jsonschema:"with those that could not be asked"`
	Cost      *float64         `json:"cost" jsonschema:"null if no prices are set"`
	Calls     float64          `json:"calls_per_question"`
}

// TestedQuestion is how one question went.
type TestedQuestion struct {
	Name         string        `json:"name"`
	Status       checks.Status `json:"status" jsonschema:"passed, failed or error: it could not be asked"`
	Faults       []string      `json:"faults,omitempty" jsonschema:"what is wrong with the answer"`
	Answer       string        `json:"answer"`
	Tools        []string      `json:"tools,omitempty" jsonschema:"those that were called, in order"`
	Calls        int           `json:"tool_calls"`
	Tokens       int64         `json:"tokens"`
	Cost         *float64      `json:"cost"`
	Conversation string        `json:"conversation,omitempty"`
	Changed      bool          `json:"changed,omitempty" jsonschema:"with --replay: the prompt or the tools are others than when it was recorded"`
	err          *api.Error
}

func runTest(ctx context.Context, a *app.App, o askOptions) error {
	if o.test.report != "" {
		if _, err := checks.ReportFor(o.test.report); err != nil {
			return err
		}
	}
	text, err := os.ReadFile(a.Absolute(o.test.file))
	if err != nil {
		return &api.Error{Code: api.CodeUnknownFile, Message: "cannot read the questions: " + err.Error(), Hint: "Check the path.", Err: err}
	}
	f, err := readQuestions(o.test.file, string(text))
	if err != nil {
		return err
	}
	tape := recording{Questions: map[string][]recorded{}}
	if o.test.replay != "" {
		text, err := os.ReadFile(a.Absolute(o.test.replay))
		if err == nil {
			err = json.Unmarshal(text, &tape)
		}
		if err != nil {
			return &api.Error{Code: api.CodeUnknownFile, Message: "cannot read the recording: " + err.Error(), Hint: "Make it with --record.",
				Err: err}
		}
	}
	out := Tested{Questions: []TestedQuestion{}}
	for _, q := range f.Questions {
		one := askOne(ctx, a, o, q, &tape)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		out.add(one)
	}
	out.Calls /= float64(len(out.Questions))
	if o.test.record != "" {
		text, err := json.MarshalIndent(tape, "", " ")
		if err == nil {
			err = atomicfile.WriteFile(a.Absolute(o.test.record), append(text, '\n'), 0o600)
		}
		if err != nil {
			return atomicfile.Explain("write the recording", err)
		}
	}
	return out.tell(a, a.OutputFormat(), o)
}

func (t *Tested) add(q TestedQuestion) {
	t.Questions = append(t.Questions, q)
	if q.Status == checks.Passed {
		t.Right++
	} else {
		t.Wrong++
	}
	t.Calls += float64(q.Calls)
	if q.Cost != nil {
		if t.Cost == nil {
			t.Cost = new(float64)
		}
		*t.Cost += *q.Cost
	}
}

// askOne asks a question in a conversation of its own.
func askOne(ctx context.Context, a *app.App, o askOptions, q testQuestion, tape *recording) TestedQuestion {
	out := TestedQuestion{Name: q.Name, Status: checks.Errored}
	fail := func(err error) TestedQuestion {
		out.err = a.Explained(exit.Failure(err, false))
		out.Faults = []string{out.err.Message}
		return out
	}
	if q.MaxCost > 0 {
		o.budget = fmt.Sprint(q.MaxCost)
	}
	kept, played := &recorder{}, &replayer{replies: tape.Questions[q.Name]}
	if o.test.replay != "" {
		o.budget, o.through = "", func(provider.Provider) provider.Provider { return played }
	} else {
		o.through = func(p provider.Provider) provider.Provider { kept.Provider = p; return kept }
	}
	talk, err := openTalk(ctx, a, o)
	if err != nil {
		return fail(err)
	}
	defer talk.close()
	talk.steps = steps{app: a, format: output.JSON, out: io.Discard, calls: map[string]string{},
		start: func(string) func() { return func() {} }}
	answer, err := talk.ask(ctx, q.Ask)
	if o.test.replay == "" {
		tape.Questions[q.Name] = kept.kept
	}
	out.Changed = played.changed
	if err != nil {
		return fail(err)
	}
	for _, r := range talk.log.Records {
		for _, c := range r.ToolCalls {
			out.Tools = append(out.Tools, c.Function.Name)
		}
	}
	out.Answer, out.Calls, out.Tokens, out.Cost, out.Conversation = answer.Text, answer.Calls, answer.Usage.Total(), answer.Cost,
		answer.Conversation
	out.Status = checks.Passed
	if out.Faults = q.wrong(answer, talk.steps.frames, slices.Compact(slices.Sorted(slices.Values(out.Tools)))); len(out.Faults) > 0 {
		out.Status = checks.Failed
	}
	return out
}

// tell prints how the questions went, writes the report, and returns the error if one is
// wrong.
func (t Tested) tell(a *app.App, format output.Format, o askOptions) error {
	list := output.List{Columns: []string{"question", "status", "calls", "tokens", "cost", "faults"}}
	outcomes := make([]checks.Outcome, len(t.Questions))
	for i, q := range t.Questions {
		var cost any
		if q.Cost != nil {
			cost = agent.MoneyOf(*q.Cost).String()
		}
		faults := strings.Join(q.Faults, "; ")
		list.Rows = append(list.Rows, []any{q.Name, string(q.Status), q.Calls, q.Tokens, cost, faults})
		outcomes[i] = checks.Outcome{Name: q.Name, Of: o.test.file, Status: q.Status, Severity: checks.Error, Message: faults, Err: q.err}
	}
	if err := a.ShowItems(format, t, list, t.Questions); err != nil {
		return err
	}
	cost := ""
	if t.Cost != nil {
		cost = ", cost " + agent.MoneyOf(*t.Cost).String()
	}
	a.Note(fmt.Sprintf("%s right, %d wrong, %.1f calls per question%s", humanize.Plural(int64(t.Right), "answer", "answers"), t.Wrong,
		t.Calls, cost))
	if err := query.WriteReport(a, o.test.report, o.test.file, outcomes); err != nil {
		return err
	}
	return query.FailedChecks(outcomes, "answer")
}
