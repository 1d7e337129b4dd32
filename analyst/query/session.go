package query

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement"
)

// Brief says what a statement needs of tables that are not here.
type Brief func(ctx context.Context, a *analyst.Analyst, sql string) (string, error)

// Session runs statements one after the other in one engine, where steps can be
// named. It is for one goroutine, and for one result at a time.
type Session struct {
	a      *analyst.Analyst
	brief  Brief
	Engine *analyst.Engine
	steps  statement.Steps
	// confined says that the engine has already been restricted to the folders of
	// all statements.
	confined bool
	settings map[string]string // that the last statement needed
	runs     int
	parts    map[string]*Part // fetched tables, by name
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

// Close ends the engine and drops its steps.
func (s *Session) Close() {
	s.Engine.Close()
	for _, p := range s.parts {
		p.Close()
	}
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
	return s.Engine.Configure(ctx, all)
}

// folder makes a folder for a statement's links; it returns "" if that is
// impossible.
func (s *Session) folder(r *Result, kind string) string {
	if s.Engine.Scratch.Path == "" {
		return ""
	}
	dir := filepath.Join(s.Engine.Scratch.Path, kind+strconv.Itoa(s.runs))
	if os.Mkdir(dir, 0o700) != nil {
		return ""
	}
	r.folders = append(r.folders, dir)
	return dir
}
