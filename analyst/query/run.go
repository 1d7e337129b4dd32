package query

import (
	"context"
	"strings"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/statement"
)

// Open starts an engine for several statements. The caller closes it.
func Open(ctx context.Context, a *analyst.Analyst, brief Brief) (*Session, error) {
	return openWith(ctx, a, brief, nil)
}

// openWith is Open of a session that reads parts as well, and owns them.
func openWith(ctx context.Context, a *analyst.Analyst, brief Brief, parts []*Part) (*Session, error) {
	s, err := NewSession(a, brief)
	if err != nil {
		closeAll(parts)
		return nil, err
	}
	// Later statements are not known yet, but the folders that they can read are.
	dirs := []string{a.Store.Dir(), synced.At(a.Home).Dir(), a.Results().Dir(), a.Store.RunDir()}
	s.have(parts)
	for _, p := range parts {
		if p.Links != nil && p.Links.Dir != "" {
			dirs = append(dirs, p.Links.Dir)
		}
	}
	if err := s.Engine.Lockdown(ctx, dirs); err != nil {
		s.Close()
		return nil, err
	}
	s.confined = true
	return s, nil
}

// NewSession starts a session that is not confined: its engine may read files. The
// caller closes it.
func NewSession(a *analyst.Analyst, brief Brief) (*Session, error) {
	eng, err := a.OpenEngine(true)
	if err != nil {
		return nil, err
	}
	return &Session{a: a, brief: brief, Engine: eng, stored: map[string][]api.Caveat{}}, nil
}

// Query runs one SELECT as Run does; it can read the steps defined
// before. Close the result before the next call.
func (s *Session) Query(ctx context.Context, sql string, portable bool) (*Result, error) {
	r, err := s.prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	if err = s.guard(ctx, r); err == nil {
		err = s.run(ctx, r, portable)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Explain returns the engine's plan of a statement as rows: explain_key, and
// explain_value with a plan drawn over several lines. It does not run the
// statement.
func (s *Session) Explain(ctx context.Context, sql string) (*Result, error) {
	r, err := s.prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx, r, "EXPLAIN "+r.Select.SQL); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Define names a step. The caveats of a stored step come back, and are also those
// of each statement that reads it; for a view, only the latter.
//
// Positions in errors refer to the whole statement.
func (s *Session) Define(ctx context.Context, d statement.Definition) ([]api.Caveat, error) {
	caveats, err := s.define(ctx, d)
	return caveats, statement.Behind(d.Lead, err)
}

func (s *Session) define(ctx context.Context, d statement.Definition) ([]api.Caveat, error) {
	if err := nameStep(s.a, &s.steps, d); err != nil {
		return nil, err
	}
	return s.step(ctx, d)
}

// step makes a step whose name is free.
func (s *Session) step(ctx context.Context, d statement.Definition) ([]api.Caveat, error) {
	r, err := s.prepare(ctx, d.Query)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// Report an unknown name here, not when the step is read.
	if _, err := s.Engine.Describe(ctx, r.Select.SQL); err != nil {
		return nil, r.Explain(ctx, err)
	}
	if !d.Table {
		return nil, s.defineView(ctx, d, r.checked)
	}
	if err := s.guard(ctx, r); err != nil {
		return nil, err
	}
	create := "CREATE OR REPLACE TEMP TABLE " + duckdb.Quote(d.Name) + " AS " + r.Select.SQL
	if err := s.Engine.Exec(ctx, create); err != nil {
		return nil, r.Explain(ctx, duckdb.Within(create, r.Select.SQL, err))
	}
	s.steps.Add(d, r.checked)
	s.stored[strings.ToLower(d.Name)] = derived(r.Known)
	return r.Known, nil
}

func (s *Session) defineView(ctx context.Context, d statement.Definition, query *statement.Select) error {
	replaces := s.steps.IsTable(d.Name)
	if err := addView(&s.steps, d, query); err != nil || !replaces {
		return err
	}
	return s.Engine.Exec(ctx, "DROP TABLE temp.main."+duckdb.Quote(d.Name))
}

// prepare proves a statement and gives the engine access to what it reads.
func (s *Session) prepare(ctx context.Context, sql string) (*Result, error) {
	s.runs++
	r := &Result{sql: sql}
	if err := s.see(ctx, r); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// see proves the statement of r, links what it reads, and restricts the engine to
// that.
func (s *Session) see(ctx context.Context, r *Result) (err error) {
	if r.checked, err = statement.CheckWithResults(ctx, s.Engine.Conn, r.sql); err != nil {
		return statement.HintSteps(HintFiles(err))
	}
	if r.Select, err = s.steps.Within(ctx, s.Engine.Conn, r.checked); err != nil {
		return err
	}
	r.readers = s.steps.Readers(r.checked)
	steps, names := partition(r.Select.Tables, s.steps.IsTable) // steps are in the engine
	for _, step := range steps {
		r.tell(step, s.stored[step]...)
	}
	dirs, err := s.Link(ctx, r, names)
	if err != nil {
		return err
	}
	if !s.confined {
		if err := s.Engine.Lockdown(ctx, dirs); err != nil {
			return err
		}
		s.confined = true
	}
	return s.configure(ctx, r.Select.Settings)
}
