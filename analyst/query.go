package analyst

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/humanize"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/statement"
)

// QueryResult is a running local query.
type QueryResult struct {
	// batches are the rows; see Rows.
	batches array.RecordReader
	// Known are the caveats of the snapshots and tables that the query reads.
	Known []api.Caveat
	// Total is the number of rows, if it is known in advance; otherwise 0.
	Total int64

	sql     string
	checked *statement.Select   // the statement alone
	sel     *statement.Select   // with the steps that it reads
	readers []*statement.Select // the statement and the views that it reads
	columns []string            // of the snapshots that are read
	links   *snapshot.Links
	folders []string // of links to other data
	session *Session // nil if the session outlives the result
}

// Close releases what the query reads, and the engine if it was started only for
// this query. It can be called more than once.
func (r *QueryResult) Close() {
	if r.batches != nil {
		r.batches.Release()
		r.batches = nil
	}
	if r.links != nil {
		r.links.Close()
		r.links = nil
	}
	for _, dir := range r.folders {
		_ = os.RemoveAll(dir) // the session's folder goes with all in it
	}
	if r.session != nil {
		r.session.Close()
		r.session = nil
	}
}

// Rows returns the rows with their caveats.
func (r *QueryResult) Rows() api.Rows {
	return api.WithCaveats(r.batches, func() []api.Caveat { return r.Known })
}

// tell adds caveats of the input of that name, as far as they concern what the
// statement and the views in it read of it.
func (r *QueryResult) tell(name string, caveats ...api.Caveat) {
	for _, reader := range r.readers {
		switch {
		case !slices.Contains(reader.Tables, name):
		case reader.Whole:
			r.Known = append(r.Known, caveats...)
		default:
			r.Known = append(r.Known, api.CaveatsAbout(reader.Reads, caveats)...)
		}
	}
}

// Query runs one SELECT over snapshots and synced tables, in an engine of its own
// that can read nothing else. It does not see changes to the snapshots by other
// commands while it runs.
//
// portable casts values that neither Arrow nor parquet can represent, with a
// warning for each: use it for results that leave da in these formats.
func (a *Analyst) Query(ctx context.Context, sql string, portable bool) (*QueryResult, error) {
	// Do not touch the user's data before the statement is proven.
	s, err := a.session()
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

// link creates views of what a statement reads. They use hard links, so changes
// by other commands do not affect them. It returns the folders that the engine
// must be able to read.
func (s *Session) link(ctx context.Context, r *QueryResult, kept, names []string) (dirs []string, err error) {
	parts, names := partition(names, func(name string) bool { return s.parts[name] != nil })
	snapshots, tables, caveats := s.a.splitNames(names)
	r.Known = append(r.Known, caveats...)
	if r.links, err = s.a.Store.Link(snapshots); err != nil {
		return nil, s.a.explainMissing(ctx, r, err)
	}
	for _, m := range r.links.Metas {
		for _, c := range m.Schema {
			r.columns = append(r.columns, c.Name)
		}
		if err := s.view(ctx, m.Name, r.links.Path(m.Name)); err != nil {
			return nil, unreadable(m, err)
		}
		r.tell(m.Name, s.a.inUse(m)...)
	}
	if dirs, err = s.viewTables(ctx, r, tables); err != nil {
		return nil, err
	}
	for _, name := range parts {
		if err := s.viewPart(ctx, r, s.parts[name]); err != nil {
			return nil, err
		}
		if links := s.parts[name].links; links != nil {
			r.tell(name, caveatsOf(links.Metas[0])...)
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
	return s.engine.Exec(ctx, fmt.Sprintf("CREATE OR REPLACE VIEW %s AS SELECT * FROM read_parquet(%s)", duckdb.Quote(name), duckdb.PathLiteral(path)))
}

// run starts a prepared statement.
func (s *Session) run(ctx context.Context, r *QueryResult, portable bool) error {
	run := r.sel.SQL
	if portable {
		carried, warnings, err := s.engine.Carry(ctx, run)
		if err != nil {
			return r.explain(ctx, err)
		}
		run, r.Known = carried, append(r.Known, api.CaveatsOf(api.CaveatNarrowed, warnings...)...)
	}
	return s.start(ctx, r, run)
}

// start starts the final SQL of a statement.
func (s *Session) start(ctx context.Context, r *QueryResult, run string) error {
	stream, err := s.engine.Query(ctx, run)
	if err != nil {
		return r.explain(ctx, duckdb.Within(run, r.sel.SQL, err))
	}
	r.batches = &queryRows{Stream: stream, ctx: ctx, result: r, ran: run}
	if metas := r.links.Metas; run == r.sel.SQL && len(r.sel.Tables) == 1 && len(metas) == 1 && metas[0].Name == r.sel.Tables[0] && statement.Plain(r.sql) {
		r.Total = metas[0].Rows
	}
	return nil
}

// explain turns an engine's error into one about the user's statement.
func (r *QueryResult) explain(ctx context.Context, err error) error {
	lead := r.sql[:len(r.sql)-len(strings.TrimLeftFunc(r.sql, unicode.IsSpace))]
	return statement.Behind(lead, queryError(ctx, r.sel, r.columns, err))
}

// Caveats returns all that is known of a snapshot whose rows leave it otherwise than
// by a statement, the most serious first.
func (a *Analyst) Caveats(m snapshot.Meta) []api.Caveat { return api.Arranged(a.inUse(m)) }

// inUse returns the caveats of a snapshot for a statement that names it.
func (a *Analyst) inUse(m snapshot.Meta) []api.Caveat {
	caveats := caveatsOf(m)
	about := api.Subject{Snapshot: m.Name}
	if age := a.Now().Sub(m.FetchedAt); a.StaleAfter > 0 && age > a.StaleAfter {
		again := api.Do(api.ActionRefresh, "fetch it again", "name", m.Name)
		if path, imported := m.Imported(); imported {
			again = importStep("import it again", m.Name, path)
		}
		caveats = append(caveats, api.Caveat{Kind: api.CaveatStale, About: about, Reason: "age",
			Text: fmt.Sprintf("snapshot '%s' is %s old", m.Name, humanize.Duration(age)), Next: []api.Step{again}})
	}
	if part := m.Part(); part != "" && m.Name == m.TableID {
		caveats = append(caveats, api.Caveat{Kind: api.CaveatNotTheTable, About: api.Subject{Table: m.TableID, Snapshot: m.Name}, Reason: "part",
			Text: fmt.Sprintf("'%s' is not the whole table: the snapshot of that name has %s", m.Name, part),
			Next: []api.Step{api.Set(api.OptionFetch, "ask the table itself")}})
	}
	return caveats
}

// explainMissing says how to get a table that the query names but that is not
// here.
func (a *Analyst) explainMissing(ctx context.Context, r *QueryResult, err error) error {
	var unknown *api.Error
	if !errors.As(err, &unknown) || unknown.Code != api.CodeUnknownSnapshot {
		return err
	}
	remote, connectErr := a.Connect()
	if connectErr != nil {
		return err // no service to ask
	}
	name, _ := unknown.Details["snapshot"].(string)
	schema, lookupErr := remote.Schema(ctx, name)
	if lookupErr != nil {
		// It is not a table either, or the service cannot be reached: the first
		// error is enough.
		return err
	}
	if err := notSynced(ctx, remote, name, err); err != nil {
		return err
	}
	columns := namedColumns(schema, r.checked)
	part := []any{"table_id", name}
	if len(columns) > 0 {
		part = append(part, "select", quoteItems(columns))
	}
	what := "a remote table"
	if strings.HasPrefix(remote.Name, EmbeddedPrefix) {
		what = "a table of the instance"
	}
	hint := "Fetch the part that you need, then query again; a predicate gets fewer rows."
	if plan, err := a.planSoon(ctx, r.sql); err == nil {
		hint = plan.brief()
	}
	return &api.Error{Code: api.CodeNotLocal, Message: fmt.Sprintf("'%s' is %s, not a snapshot", name, what),
		Hint: hint,
		Next: []api.Step{api.Set(api.OptionFetch, "fetch it and run the statement"), api.Do(api.ActionFetch, "get what the statement needs", part...), api.Do(api.ActionEstimate, "see the cost first", part...),
			api.Do(api.ActionQueryRemote, "run one aggregate at the source")},
		Details: map[string]any{"table_id": name}, Err: err}
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
