package catalog

import (
	"cmp"
	"context"
	"fmt"

	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/toolbox/fit"
	"github.com/agnes-data/da/toolbox/tool"
)

// queryOut answers one statement or several.
type queryOut struct {
	*fit.Answer
	Results []statementAnswer `json:"results,omitempty" jsonschema:"of several statements: the answer to each"`
	Failed  int               `json:"failed,omitempty" jsonschema:"how many of them failed"`
}

// AllFailed reports whether no statement has succeeded.
func (o *queryOut) AllFailed() bool { return o.Failed > 0 && o.Failed == len(o.Results) }

// statementAnswer is the part that fits of one statement's result, out of
// several.
type statementAnswer struct {
	Statement int `json:"statement" jsonschema:"its number in the text, from 1; those that only name a step are counted too"`
	Line      int `json:"line"`
	*fit.Answer
	Next  *tool.Step        `json:"next,omitempty" jsonschema:"a call that repairs it"`
	Error *tool.FailureBody `json:"error,omitempty" jsonschema:"why it failed; the others were run"`
}

// answering completes a tool that answers statements.
func answering[In any](t tool.Tool, run func(context.Context, *tool.Call, In) (*queryOut, error)) tool.Tool {
	t = tool.Typed(t, run)
	t.Out.Required = nil // an answer has either the fields of one statement or the list of several
	t.Out.Properties["results"].Items.Required = []string{"statement", "line"}
	return t
}

// asked is the running result of one statement.
type asked struct {
	rows  api.Rows
	about query.About
	close func()
	from  map[string]string // where its tables were had from, if that was decided
}

// asker runs the statements of a script.
type asker struct {
	ask func(ctx context.Context, sql string) (*asked, error)
	// define names a step for the statements after it.
	define func(ctx context.Context, i int) error
}

// answers runs a script. A single statement succeeds or fails; of several
// statements each has its own answer or error, and they share the budget.
func answers(ctx context.Context, c *tool.Call, s *query.Script, a asker, maxTokens int) (*queryOut, error) {
	if len(s.Pieces) == 1 {
		answer, err := answerStatement(ctx, c, s, 0, a, fit.Options{MaxTokens: maxTokens, Reserve: tool.EnvelopeBytes})
		return &queryOut{Answer: answer}, err
	}
	if n := len(s.Pieces); n > mostStatements {
		return nil, tool.BadValue(fmt.Sprintf("there are %d statements, and a call takes at most %d", n, mostStatements),
			"Send the rest in another call.")
	}
	shares, err := fit.NewShares(cmp.Or(maxTokens, fit.DefaultShares(s.Answers())), tool.EnvelopeBytes, s.Answers())
	if err != nil {
		return nil, err
	}
	out := &queryOut{}
	for i, p := range s.Pieces {
		item := statementAnswer{Statement: i + 1, Line: p.Line}
		if _, step := s.Step(i); step {
			err = s.Explain(i, a.define(ctx, i))
		} else {
			item.Answer, err = answerStatement(ctx, c, s, i, a, fit.Options{MaxTokens: shares.Next(), Reserve: itemBytes})
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err != nil {
			f := c.FailureOf(ctx, "query", err)
			item.Next, item.Error = f.Next, &f.Error
			out.Failed++
		}
		if item.Answer == nil && item.Error == nil {
			continue // a step
		}
		out.Results = append(out.Results, item)
		text, err := tool.Marshal(item)
		if err != nil {
			return nil, err
		}
		shares.Took(len(text) + 1)
	}
	return out, nil
}

// mostStatements limits how many statements a call can have.
const mostStatements = 100

// itemBytes is the overhead of one answer in the list, in bytes.
const itemBytes = 40

// answerStatement answers statement i.
func answerStatement(ctx context.Context, c *tool.Call, s *query.Script, i int, a asker, o fit.Options) (*fit.Answer, error) {
	q, err := a.ask(ctx, s.SQL(i))
	if err != nil {
		return nil, s.Explain(i, err)
	}
	defer q.close()
	if len(q.from) > 0 {
		o.Reserve += len(q.from) * fromBytes
	}
	answer, err := answer(ctx, c, q.rows, q.about, o)
	if err == nil {
		answer.From = q.from
	}
	return answer, s.Explain(i, err)
}

// fromBytes is about what an answer needs to say where a table was had from.
const fromBytes = 80

// script splits a call's text into statements and fills in their parameters.
func scriptOf(p tool.ParamsIn, sql string, maxTokens int, atSource bool, flavor func(string) (string, error)) (*query.Script, error) {
	if err := (fit.Options{MaxTokens: maxTokens}).Check(); err != nil {
		return nil, err
	}
	s, err := query.NewScript(sql, atSource)
	if err != nil {
		return nil, err
	}
	values, err := p.Filler()
	if err != nil {
		return nil, err
	}
	return s, s.Fill(values, flavor)
}

// here runs statements over local data.
func here(ctx context.Context, c *tool.Call, s *query.Script, fetch bool) (asker, func(), error) {
	run := func(ctx context.Context, sql string, portable bool) (*query.Result, error) {
		return c.Query(ctx, sql, portable, false)
	}
	define, done := func(context.Context, int) error { return nil }, func() {}
	var last *plan.Plan // of the last statement that fetches
	switch {
	case fetch && c.ReadOnly:
		return asker{}, nil, &api.Error{Code: api.CodeUsage, Kind: api.KindReadOnly, Message: "this session writes nothing, and a fetch does",
			Next: []api.Step{api.Unset(api.OptionFetch, "query what is here")}}
	case fetch:
		views := query.NewViews(c.Work)
		run = func(ctx context.Context, sql string, portable bool) (*query.Result, error) {
			return c.QueryFetch(ctx, sql, plan.Options{Portable: portable, Views: views, OnPlan: func(p *plan.Plan) { last = p }})
		}
		define = func(ctx context.Context, i int) error {
			d, _ := s.Step(i)
			return views.Define(ctx, d)
		}
	case len(s.Pieces) > 1:
		session, err := query.Open(ctx, c.Work, plan.Brief)
		if err != nil {
			return asker{}, nil, err
		}
		run = func(ctx context.Context, sql string, portable bool) (*query.Result, error) {
			return c.Reads(session.Query(ctx, sql, portable))
		}
		done = session.Close
		define = func(ctx context.Context, i int) error {
			d, _ := s.Step(i)
			_, err := session.Define(ctx, d) // its notes come with the statements that read it, like those of its tables
			return err
		}
	}
	near := values.Near{Work: c.Work, Kept: !fetch || c.Kept}
	return asker{define: define, ask: func(ctx context.Context, sql string) (*asked, error) {
		result, err := run(ctx, sql, true) // portable, so that the types are those of a kept result
		if err != nil {
			return nil, err
		}
		return &asked{rows: near.Watch(ctx, result.Rows(), sql), about: query.About{SQL: sql}, close: result.Close, from: tableOrigins(last)}, nil
	}}, done, nil
}

// tableOrigins says for each table of a plan whether it was reused, fetched or asked.
func tableOrigins(p *plan.Plan) map[string]string {
	if p == nil {
		return nil
	}
	from := map[string]string{}
	for _, t := range p.Tables {
		from[t.TableID] = t.From
	}
	return from
}
