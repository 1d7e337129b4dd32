package analyst

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/agnes-data/da/analyst/synced"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/statement"
)

// Session runs statements one after the other in one engine, where steps can be
// named. It is for one goroutine, and for one result at a time.
type Session struct {
	a      *Analyst
	engine *engine
	steps  statement.Steps
	// confined says that the engine has already been restricted to the folders of
	// all statements.
	confined bool
	settings map[string]string // that the last statement needed
	runs     int
	parts    map[string]*part // fetched tables, by name
	// stored are the caveats of the steps that are tables, by name.
	stored map[string][]api.Caveat
}

// derived returns caveats of rows that were computed from others: a column may
// have another name there, so they concern all columns.
func derived(caveats []api.Caveat) []api.Caveat {
	caveats = slices.Clone(caveats)
	for i := range caveats {
		caveats[i].About.Columns = nil
	}
	return caveats
}

// Session starts an engine for several statements. The caller closes it.
func (a *Analyst) Session(ctx context.Context) (*Session, error) {
	s, err := a.session()
	if err != nil {
		return nil, err
	}
	// Later statements are not known yet, but the folders that they can read are.
	dirs := []string{a.Store.Dir(), synced.At(a.Home).Dir(), a.Results().Dir(), a.Store.RunDir()}
	if err := s.engine.Lockdown(ctx, dirs); err != nil {
		s.Close()
		return nil, err
	}
	s.confined = true
	return s, nil
}

func (a *Analyst) session() (*Session, error) {
	eng, err := a.openEngine(true)
	if err != nil {
		return nil, err
	}
	return &Session{a: a, engine: eng, stored: map[string][]api.Caveat{}}, nil
}

// Close ends the engine and drops its steps.
func (s *Session) Close() {
	s.engine.Close()
	for _, p := range s.parts {
		p.close()
	}
}

// Query runs one SELECT as Analyst.Query does; it can read the steps defined
// before. Close the result before the next call.
func (s *Session) Query(ctx context.Context, sql string, portable bool) (*QueryResult, error) {
	r, err := s.prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	if err := s.run(ctx, r, portable); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Explain returns the engine's plan of a statement as rows: explain_key, and
// explain_value with a plan drawn over several lines. It does not run the
// statement.
func (s *Session) Explain(ctx context.Context, sql string) (*QueryResult, error) {
	r, err := s.prepare(ctx, sql)
	if err != nil {
		return nil, err
	}
	if err := s.start(ctx, r, "EXPLAIN "+r.sel.SQL); err != nil {
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
	if err := s.a.nameStep(&s.steps, d); err != nil {
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
	if _, err := s.engine.Describe(ctx, r.sel.SQL); err != nil {
		return nil, r.explain(ctx, err)
	}
	if !d.Table {
		return nil, s.defineView(ctx, d, r.checked)
	}
	create := "CREATE OR REPLACE TEMP TABLE " + duckdb.Quote(d.Name) + " AS " + r.sel.SQL
	if err := s.engine.Exec(ctx, create); err != nil {
		return nil, r.explain(ctx, duckdb.Within(create, r.sel.SQL, err))
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
	return s.engine.Exec(ctx, "DROP TABLE temp.main."+duckdb.Quote(d.Name))
}

// prepare proves a statement and gives the engine access to what it reads.
func (s *Session) prepare(ctx context.Context, sql string) (*QueryResult, error) {
	s.runs++
	r := &QueryResult{sql: sql}
	if err := s.see(ctx, r); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// see proves the statement of r, links what it reads, and restricts the engine to
// that.
func (s *Session) see(ctx context.Context, r *QueryResult) (err error) {
	if r.checked, err = statement.CheckWithResults(ctx, s.engine.Conn, r.sql); err != nil {
		return statement.HintSteps(HintFiles(err))
	}
	if r.sel, err = s.steps.Within(ctx, s.engine.Conn, r.checked); err != nil {
		return err
	}
	r.readers = s.steps.Readers(r.checked)
	steps, names := partition(r.sel.Tables, s.steps.IsTable) // steps are in the engine
	for _, step := range steps {
		r.tell(step, s.stored[step]...)
	}
	kept, names := partition(names, statement.IsResult)
	dirs, err := s.link(ctx, r, kept, names)
	if err != nil {
		return err
	}
	if !s.confined {
		if err := s.engine.Lockdown(ctx, dirs); err != nil {
			return err
		}
		s.confined = true
	}
	return s.configure(ctx, r.sel.Settings)
}

// configure applies the settings that a statement needs, and resets those of the
// statement before.
func (s *Session) configure(ctx context.Context, settings map[string]string) error {
	all := map[string]string{}
	for name := range s.settings {
		all[name] = ""
	}
	maps.Copy(all, settings)
	s.settings = settings
	return s.engine.Configure(ctx, all)
}

// folder makes a folder for a statement's links; it returns "" if that is
// impossible.
func (s *Session) folder(r *QueryResult, kind string) string {
	if s.engine.scratch.Path == "" {
		return ""
	}
	dir := filepath.Join(s.engine.scratch.Path, kind+strconv.Itoa(s.runs))
	if os.Mkdir(dir, 0o700) != nil {
		return ""
	}
	r.folders = append(r.folders, dir)
	return dir
}

// holds reports whether a snapshot or a synced table has the name.
func (a *Analyst) holds(name string) bool {
	if _, here := synced.At(a.Home).Get(name); here {
		return true
	}
	_, err := a.Store.Get(name)
	return !api.CodeUnknownSnapshot.Is(err)
}
