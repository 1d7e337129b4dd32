package query

import (
	"context"
	"maps"
	"slices"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/fetch"
	"github.com/agnes-data/da/analyst/plan"
	"github.com/agnes-data/da/analyst/query"
	"github.com/agnes-data/da/analyst/values"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/cli/output"
	"github.com/agnes-data/da/statement"
)

// Queried is the running result of one statement.
type Queried struct {
	Rows     api.Rows
	about    query.About
	inputs   []query.Input  // nil: it ran at the source
	given    map[string]any // the parameters that the statement has
	Progress *output.Progress
	total    int64 // expected rows; 0: unknown
	// checked reads what was not shown and checks what is expected of all rows; nil:
	// nothing is, or it is checked already.
	checked func(context.Context) error
	Close   func()
}

// asker runs statements one after the other, locally or at their source.
type asker interface {
	// Ask starts a statement; portable is as for Analyst.Query. The caller closes
	// the result before the next call.
	Ask(ctx context.Context, sql string, portable bool) (*Queried, error)
	// define names a step for later statements, and returns caveats.
	define(ctx context.Context, d statement.Definition) ([]api.Caveat, error)
	// flavor returns the dialect of a statement with parameters.
	flavor(ctx context.Context, sql string) (string, error)
	// doing is the label of the progress line.
	doing() string
	Close()
}

// NewAsker opens what the statements need.
func NewAsker(ctx context.Context, a *app.App, o Options, statements int) (asker, error) {
	if o.Session != nil {
		return localAsker{query: o.in(o.Session)}, nil // its owner closes it
	}
	if o.remote {
		remote, err := a.Connect()
		return &sourceAsker{a, remote, o.allowCut, o.expect}, err
	}
	work, err := a.Analyst()
	if err != nil {
		return nil, err
	}
	if o.fetch && !o.explain {
		return fetchingAsker(a, work, o)
	}
	cfg, err := a.ClientConfig()
	if err != nil {
		return nil, err
	}
	if cfg.QueryFetch == "auto" && statements == 1 && !o.explain {
		return fetchingAsker(a, work, o)
	}
	if statements == 1 && !o.explain && !o.expect.any() {
		return localAsker{near: kept(work), query: func(ctx context.Context, sql string, portable bool) (*query.Result, error) {
			return query.Run(ctx, work, sql, portable, plan.Brief)
		}}, nil
	}
	session, err := query.Open(ctx, work, plan.Brief)
	if err != nil {
		return nil, err
	}
	return localAsker{near: kept(work), query: o.in(session), session: session}, nil
}

// kept proposes values that are here, to statements over what is here.
func kept(work *analyst.Analyst) values.Near {
	return values.Near{Work: work, Kept: true}
}

// localQuery runs one statement, or explains it.
type localQuery = func(ctx context.Context, sql string, portable bool) (*query.Result, error)

// in returns the function that runs statements in a session.
func (o Options) in(s *query.Session) localQuery {
	if o.explain {
		return func(ctx context.Context, sql string, _ bool) (*query.Result, error) {
			return s.Explain(ctx, sql)
		}
	}
	if o.expect.any() {
		return func(ctx context.Context, sql string, portable bool) (*query.Result, error) {
			result, outcomes, err := s.QueryExpecting(ctx, sql, portable, o.expect.all)
			o.expect.add(outcomes)
			return result, err
		}
	}
	return s.Query
}

// localAsker runs statements over snapshots and synced tables.
type localAsker struct {
	query   localQuery
	session *query.Session // nil: each statement has an engine of its own
	views   *query.Views   // of statements that fetch
	near    values.Near    // what was meant where there are no rows
	fetch   bool           // its statements may fetch, and so may those that it proposes
}

// fetchingAsker runs statements that can name tables of the catalog.
func fetchingAsker(a *app.App, work *analyst.Analyst, o Options) (asker, error) {
	options, err := a.QueryOptions()
	if err != nil {
		return nil, err
	}
	options.Fresh, options.Views = o.fresh, query.NewViews(work)
	if o.expect.any() {
		options.Expected = query.Expected{All: o.expect.all, Checked: o.expect.add}
	}
	run := func(ctx context.Context, sql string, portable bool) (*query.Result, error) {
		progress := a.Progress("fetching")
		defer progress.Stop()
		here := options
		here.Portable, here.OnProgress = portable, progress.Set
		here.OnPlan = func(p *plan.Plan) {
			for _, t := range p.Tables {
				if t.From != plan.FromHere {
					a.Note(planLine(t))
				}
			}
		}
		return plan.Query(ctx, work, sql, here)
	}
	return localAsker{near: values.Near{Work: work}, fetch: true, views: options.Views, query: run}, nil
}

func (l localAsker) Ask(ctx context.Context, sql string, portable bool) (*Queried, error) {
	result, err := l.query(ctx, sql, portable)
	if err != nil {
		return nil, err
	}
	rows := l.near.Watch(ctx, result.Rows(), sql)
	if l.fetch {
		rows = proposingFetches(rows)
	}
	return &Queried{Rows: rows, Close: result.Close, total: result.Total, inputs: result.Inputs, about: query.About{SQL: sql}}, nil
}

// proposingFetches returns the rows with caveats whose statements may fetch, as the one
// did that they are about.
func proposingFetches(rows api.Rows) api.Rows {
	return api.WithCaveats(rows, func() []api.Caveat {
		all := slices.Clone(rows.Caveats())
		for i := range all {
			all[i].Next = slices.Clone(all[i].Next)
			for j, s := range all[i].Next {
				if s.Action == api.ActionQuery {
					all[i].Next[j].Args = maps.Clone(s.Args)
					all[i].Next[j].Args["fetch"] = true
				}
			}
		}
		return all
	})
}

func (l localAsker) define(ctx context.Context, d statement.Definition) ([]api.Caveat, error) {
	if l.session == nil {
		return nil, l.views.Define(ctx, d)
	}
	return l.session.Define(ctx, d)
}

func (l localAsker) flavor(context.Context, string) (string, error) { return "duckdb", nil }

func (l localAsker) doing() string { return "querying" }

func (l localAsker) Close() {
	if l.session != nil {
		l.session.Close()
	}
}

// sourceAsker runs statements at the source.
type sourceAsker struct {
	a        *app.App
	remote   analyst.Remote
	allowCut bool
	expect   *expectations
}

func (s *sourceAsker) Ask(ctx context.Context, sql string, _ bool) (*Queried, error) {
	stream, err := s.remote.Query(ctx, api.QueryRequest{SQL: sql})
	if err != nil {
		return nil, explainRemote(s.a, err)
	}
	stream.RefuseCut(s.allowCut)
	near := values.Near{AtSource: true}
	near.Work, _ = s.a.Analyst() // without it none are proposed
	rows, checked := s.expect.counting(near.Watch(ctx, stream.Rows(), sql))
	return &Queried{Rows: rows, checked: checked, Close: stream.Close, about: query.About{SQL: sql, Server: s.remote.Name}}, nil
}

func (s *sourceAsker) define(context.Context, statement.Definition) ([]api.Caveat, error) {
	return nil, query.NoStep("at the source")
}

func (s *sourceAsker) flavor(ctx context.Context, sql string) (string, error) {
	return fetch.FlavorOf(ctx, s.remote, sql)
}

func (s *sourceAsker) doing() string { return "querying at the source" }

func (s *sourceAsker) Close() {}

// explainRemote adds local advice to an error from a source.
func explainRemote(a *app.App, err error) error {
	work, failed := a.Analyst()
	if failed != nil {
		return err
	}
	return query.ExplainRemote(work, err)
}
