package query

import (
	"context"

	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/plot"
	"github.com/agnes-data/da/statement/params"
)

// fileSource runs statements whose rows go into a file.
type fileSource struct {
	a      *app.App
	ask    asker
	fetch  bool
	Values *params.Filler
}

// OpenFileSource opens a source with the parameters of a call. The caller closes
// it.
func OpenFileSource(ctx context.Context, a *app.App, given ParamFlags, fetch bool) (*fileSource, error) {
	values, err := given.Filler(a)
	if err != nil {
		return nil, err
	}
	ask, err := NewAsker(ctx, a, Options{fetch: fetch}, 2)
	if err != nil {
		return nil, err
	}
	return &fileSource{a, ask, fetch, values}, nil
}

func (s *fileSource) Close() { s.ask.Close() }

// start runs a statement with its parameters filled in.
func (s *fileSource) start(ctx context.Context, sql string) (*Queried, error) {
	filled, err := s.Values.Fill(sql, "duckdb")
	if err != nil {
		return nil, err
	}
	q, err := s.ask.Ask(ctx, filled.Text, false)
	if err != nil {
		return nil, filled.Explain(err)
	}
	q.given = s.Values.Of(filled)
	return q, nil
}

// Rows implements reports.Source.
func (s *fileSource) Rows(ctx context.Context, sql string, most int) (*reports.Rows, error) {
	q, err := s.start(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	rows, err := reports.ReadRows(q.Rows, most)
	if err == nil {
		rows.Asked = q.asked()
		rows.Asked.Fetch = s.fetch
	}
	return rows, err
}

// Plot implements reports.Source.
func (s *fileSource) Plot(ctx context.Context, kind plot.Kind, sql string) (*reports.Drawing, error) {
	return s.Draw(ctx, plot.Spec{Kind: kind}, sql)
}

// Draw draws the rows of a statement.
func (s *fileSource) Draw(ctx context.Context, spec plot.Spec, sql string) (*reports.Drawing, error) {
	q, err := s.start(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer q.Close()
	chart, err := plot.Read(ctx, q.Rows, spec)
	if err != nil {
		return nil, err
	}
	drawing, err := reports.Draw(chart)
	if err == nil {
		drawing.Asked = q.asked()
		drawing.Asked.Fetch = s.fetch
	}
	return drawing, err
}
