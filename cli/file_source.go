package cli

import (
	"bytes"
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/cli/app"
	"github.com/agnes-data/da/document/reports"
	"github.com/agnes-data/da/plot"
	"github.com/agnes-data/da/statement/params"
)

// fileSource runs statements whose rows go into a file.
type fileSource struct {
	a      *app.App
	ask    asker
	values *params.Filler
}

// openFileSource opens a source with the parameters of a call. The caller closes
// it.
func openFileSource(ctx context.Context, a *app.App, given paramFlags, fetch bool) (*fileSource, error) {
	values, err := given.filler(a)
	if err != nil {
		return nil, err
	}
	ask, err := newAsker(ctx, a, queryOptions{fetch: fetch}, 2)
	if err != nil {
		return nil, err
	}
	return &fileSource{a, ask, values}, nil
}

func (s *fileSource) close() { s.ask.close() }

// start runs a statement with its parameters filled in.
func (s *fileSource) start(ctx context.Context, sql string) (*queried, error) {
	filled, err := s.values.Fill(sql, "duckdb")
	if err != nil {
		return nil, err
	}
	q, err := s.ask.ask(ctx, filled.Text, false)
	if err != nil {
		return nil, filled.Explain(err)
	}
	return q, nil
}

// Rows implements reports.Source.
func (s *fileSource) Rows(ctx context.Context, sql string, most int) (*reports.Rows, error) {
	q, err := s.start(ctx, sql)
	if err != nil {
		return nil, err
	}
	defer q.close()
	return reports.ReadRows(q.rows, most)
}

// Plot implements reports.Source.
func (s *fileSource) Plot(ctx context.Context, kind plot.Kind, sql string) ([]byte, []api.Caveat, error) {
	return s.draw(ctx, plot.Spec{Kind: kind}, sql)
}

// draw draws the rows of a statement as a PNG.
func (s *fileSource) draw(ctx context.Context, spec plot.Spec, sql string) (picture []byte, caveats []api.Caveat, err error) {
	q, err := s.start(ctx, sql)
	if err != nil {
		return nil, nil, err
	}
	defer q.close()
	chart, err := plot.Read(ctx, q.rows, spec)
	if err != nil {
		return nil, nil, err
	}
	var b bytes.Buffer
	notes, err := chart.PNG(&b)
	caveats = append(chart.Caveats, notes...)
	return b.Bytes(), caveats, err
}
