// Package query runs statements over what is on this machine, in an engine that can
// read nothing else. It reads nothing at a source.
package query

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/agnes-data/da/analyst"
	"github.com/agnes-data/da/analyst/keep"
	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/statement"
)

// Run runs one SELECT over snapshots and synced tables, in an engine of its own
// that can read nothing else. It does not see changes to the snapshots by other
// commands while it runs.
//
// portable casts values that neither Arrow nor parquet can represent, with a
// warning for each: use it for results that leave da in these formats.
func Run(ctx context.Context, a *analyst.Analyst, sql string, portable bool, brief Brief) (*Result, error) {
	// Do not touch the user's data before the statement is proven.
	s, err := NewSession(a, brief)
	if err != nil {
		return nil, err
	}
	result, err := s.Query(ctx, sql, portable)
	if err != nil {
		s.Close()
		return nil, err
	}
	result.session = s
	return result, nil
}

// Link creates views of what a statement reads. They use hard links, so changes
// by other commands do not affect them. It returns the folders that the engine
// must be able to read.
func (s *Session) Link(ctx context.Context, r *Result, names []string) (dirs []string, err error) {
	kept, names := partition(names, statement.IsResult)
	parts, names := partition(names, func(name string) bool { return s.parts[name] != nil })
	snapshots, tables, caveats := splitNames(s.a, names)
	r.Known = append(r.Known, caveats...)
	if r.links, err = s.a.Store.Link(snapshots); err != nil {
		return nil, s.explainMissing(ctx, r, err)
	}
	for _, m := range r.links.Metas {
		for _, c := range m.Schema {
			r.columns = append(r.columns, c.Name)
		}
		if err := s.view(ctx, m.Name, r.links.Path(m.Name)); err != nil {
			return nil, unreadable(m, err)
		}
		r.read(m.Name, m, true)
		r.tell(m.Name, keep.Caveats(s.a, m)...)
	}
	if dirs, err = s.viewTables(ctx, r, tables); err != nil {
		return nil, err
	}
	for _, name := range parts {
		if path := s.parts[name].path; path != "" {
			if err := s.view(ctx, name, path); err != nil {
				return nil, err
			}
			continue
		}
		if err := s.viewPart(ctx, r, s.parts[name]); err != nil {
			return nil, err
		}
		if links := s.parts[name].Links; links != nil {
			r.read(name, links.Metas[0], false)
			r.tell(name, keep.RowCaveats(links.Metas[0])...)
			if links.Dir != "" {
				dirs = append(dirs, links.Dir)
			}
		}
	}
	if r.links.Dir != "" {
		dirs = append(dirs, r.links.Dir)
	}
	return s.viewResults(ctx, r, kept, dirs)
}

// view makes a parquet file a view of the engine.
func (s *Session) view(ctx context.Context, name, path string) error {
	return s.Engine.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE VIEW %s AS SELECT * FROM read_parquet(%s)", duckdb.Quote(name),
		duckdb.PathLiteral(path)))
}

// run starts a prepared statement.
func (s *Session) run(ctx context.Context, r *Result, portable bool) error {
	run := r.Select.SQL
	var warnings []string
	var err error
	if portable {
		run, warnings, err = s.Engine.Carry(ctx, run)
	} else {
		warnings, err = s.Engine.Middles(ctx, run)
	}
	if err != nil {
		return r.Explain(ctx, err)
	}
	r.Known = append(r.Known, api.CaveatsOf(api.CaveatNarrowed, warnings...)...)
	return s.start(ctx, r, run)
}

// start starts the final SQL of a statement.
func (s *Session) start(ctx context.Context, r *Result, run string) error {
	stream, err := s.Engine.Query(ctx, run)
	if err != nil {
		return r.Explain(ctx, duckdb.Within(run, r.Select.SQL, err))
	}
	r.batches = &queryRows{Stream: stream, ctx: ctx, result: r, ran: run}
	if metas := r.links.Metas; run == r.Select.SQL && len(r.Select.Tables) == 1 && len(metas) == 1 && metas[0].Name == r.Select.Tables[0] &&
		statement.Plain(r.sql) {
		r.Total = metas[0].Rows
	}
	return nil
}

// Explain turns an engine's error into one about the user's statement.
func (r *Result) Explain(ctx context.Context, err error) error {
	lead := r.sql[:len(r.sql)-len(strings.TrimLeftFunc(r.sql, unicode.IsSpace))]
	return statement.Behind(lead, queryError(ctx, r.Select, r.columns, err))
}

// explainMissing says how to get a table that the query names but that is not
// here.
func (s *Session) explainMissing(ctx context.Context, r *Result, err error) error {
	var unknown *api.Error
	if !errors.As(err, &unknown) || unknown.Code != api.CodeUnknownSnapshot {
		return err
	}
	remote, connectErr := s.a.Connect()
	if connectErr != nil {
		return err // no service to ask
	}
	name, _ := unknown.Details["snapshot"].(string)
	schema, lookupErr := remote.Schema(ctx, name)
	if lookupErr != nil {
		// It is not a table either, or the service cannot be reached: the first
		// error is enough, unless a table is called much the same.
		var none *api.Error
		if !errors.As(lookupErr, &none) {
			return err
		}
		near := suggested(none)
		if len(near) == 0 {
			return err
		}
		meant := *unknown
		meant.Message = fmt.Sprintf("there is no snapshot or table '%s'", name)
		if here := suggested(unknown); !slices.Equal(near, here) { // a fetch gives a snapshot its table's name
			meant.Hint = strings.TrimSpace(fmt.Sprintf("Did you mean the table '%s'? %s", strings.Join(near, "' or '"), unknown.Hint))
		}
		meant.Next = append([]api.Step{api.Set(api.OptionFetch, "read the table from the catalog, after correcting its name")}, unknown.Next...)
		return &meant
	}
	if err := NotSynced(ctx, remote, name, err); err != nil {
		return err
	}
	columns := namedColumns(schema, r.checked)
	part := []any{"table_id", name}
	if len(columns) > 0 {
		part = append(part, "select", quoteItems(columns))
	}
	what := "a remote table"
	if strings.HasPrefix(remote.Name, analyst.EmbeddedPrefix) {
		what = "a table of the instance"
	}
	hint := "Fetch the part that you need, then query again; a predicate gets fewer rows."
	if s.brief != nil {
		if said, err := s.brief(ctx, s.a, r.sql); err == nil {
			hint = said
		}
	}
	return &api.Error{Code: api.CodeNotLocal, Message: fmt.Sprintf("'%s' is %s, not a snapshot", name, what),
		Hint: hint,
		Next: []api.Step{api.Set(api.OptionFetch, "fetch it and run the statement"),
			api.Do(api.ActionFetch, "get what the statement needs", part...), api.Do(api.ActionEstimate, "see the cost first", part...),
			api.Do(api.ActionQueryRemote, "run one aggregate at the source")},
		Details: map[string]any{"table_id": name}, Err: err}
}

// suggested returns the names that an error suggests. Decoded from JSON, they are []any.
func suggested(e *api.Error) (names []string) {
	switch list := e.Details["suggestions"].(type) {
	case []string:
		return list
	case []any:
		for _, name := range list {
			names = append(names, fmt.Sprint(name))
		}
	}
	return names
}

// namedColumns are the columns of a table that the statement names; empty: all.
func namedColumns(schema *api.TableSchema, sel *statement.Select) []string {
	named := map[string]bool{}
	for _, c := range sel.Columns {
		named[strings.ToLower(c)] = true
	}
	columns := []string{}
	if sel.Star {
		return columns
	}
	for _, c := range schema.Columns {
		if named[strings.ToLower(c.Name)] {
			columns = append(columns, c.Name)
		}
	}
	return columns
}
