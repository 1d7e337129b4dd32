package analyst

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"

	"github.com/apache/arrow-go/v18/arrow/array"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/internal/humanize"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/statement"
)

// QueryResult is a running local query.
type QueryResult struct {
	// Batches are the rows; read them to the end, then Close.
	Batches array.RecordReader
	// Warnings are about the snapshots and tables that the query reads.
	Warnings []api.Note

	engine *engine
	links  *snapshot.Links
}

// Close frees the engine and lets go of the snapshots. It may be called more
// than once.
func (r *QueryResult) Close() {
	if r.Batches != nil {
		r.Batches.Release()
		r.Batches = nil
	}
	if r.links != nil {
		r.links.Close()
		r.links = nil
	}
	if r.engine != nil {
		r.engine.Close()
		r.engine = nil
	}
}

// Query runs one SELECT over snapshots and synced tables, in an engine of its own that can read
// nothing else. What other commands do to the snapshots meanwhile does not
// show.
//
// portable casts what neither Arrow nor parquet can hold, with a warning each:
// for results that leave da in these formats.
func (a *Analyst) Query(ctx context.Context, sql string, portable bool) (*QueryResult, error) {
	// Until the statement is proven, nothing of the user's has been touched.
	eng, err := a.openEngine(true)
	if err != nil {
		return nil, err
	}
	result := &QueryResult{engine: eng}
	if err := a.start(ctx, result, sql, portable); err != nil {
		result.Close()
		return nil, err
	}
	return result, nil
}

// start proves the statement, links what it reads and runs it.
func (a *Analyst) start(ctx context.Context, r *QueryResult, sql string, portable bool) error {
	sel, err := statement.CheckWithResults(ctx, r.engine.Conn, sql)
	if err != nil {
		return HintFiles(err)
	}
	lead := sql[:len(sql)-len(strings.TrimLeftFunc(sql, unicode.IsSpace))]
	kept, names := partition(sel.Tables, statement.IsResult)
	snapshots, tables, warnings := a.splitNames(names)
	r.Warnings = warnings
	if r.links, err = a.Store.Link(snapshots); err != nil {
		return a.explainMissing(ctx, sel, err)
	}
	var columns []string
	for _, m := range r.links.Metas {
		for _, c := range m.Schema {
			columns = append(columns, c.Name)
		}
		view := fmt.Sprintf("CREATE VIEW %s AS SELECT * FROM read_parquet(%s)", duckdb.Quote(m.Name), duckdb.PathLiteral(r.links.Path(m.Name)))
		if err := r.engine.Exec(ctx, view); err != nil {
			return unreadable(m, err)
		}
		r.Warnings = append(r.Warnings, a.usageWarnings(m)...)
	}
	dirs, err := a.viewTables(ctx, r, tables)
	if err != nil {
		return err
	}
	if r.links.Dir != "" {
		dirs = append(dirs, r.links.Dir)
	}
	if dirs, err = a.viewResults(ctx, r, kept, dirs); err != nil {
		return err
	}
	if err := r.engine.Configure(ctx, sel.Settings); err != nil {
		return err
	}
	if err := r.engine.Lockdown(ctx, dirs); err != nil {
		return err
	}
	run := sel.SQL
	if portable {
		var warnings []string
		if run, warnings, err = r.engine.Carry(ctx, sel.SQL); err != nil {
			return queryError(ctx, sel, lead, columns, err)
		}
		r.Warnings = append(r.Warnings, api.Notes(warnings)...)
	}
	stream, err := r.engine.Query(ctx, run)
	if err != nil {
		return queryError(ctx, sel, lead, columns, err)
	}
	r.Batches = &queryRows{Stream: stream, ctx: ctx, sel: sel, lead: lead, columns: columns}
	return nil
}

// usageWarnings is what a user of a snapshot should know about it.
func (a *Analyst) usageWarnings(m snapshot.Meta) []api.Note {
	var warnings []api.Note
	if age := a.Now().Sub(m.FetchedAt); a.StaleAfter > 0 && age > a.StaleAfter {
		again := api.Do(api.ActionRefresh, "fetch it again", "name", m.Name)
		if path, imported := m.Imported(); imported {
			again = api.Do(api.ActionImport, "import it again", "path", path, "as", m.Name, "force", true)
		}
		warnings = append(warnings, api.Note{Text: fmt.Sprintf("snapshot '%s' is %s old", m.Name, humanize.Duration(age)), Next: []api.Step{again}})
	}
	if m.Truncated {
		warnings = append(warnings, truncationWarning(m))
	}
	return warnings
}

// explainMissing tells how to get a table that the query names and that is not
// here.
func (a *Analyst) explainMissing(ctx context.Context, sel *statement.Select, err error) error {
	var unknown *api.Error
	if !errors.As(err, &unknown) || unknown.Code != api.CodeUnknownSnapshot {
		return err
	}
	remote, connectErr := a.Connect()
	if connectErr != nil {
		return err // nobody to ask
	}
	name, _ := unknown.Details["snapshot"].(string)
	schema, lookupErr := remote.Schema(ctx, name)
	if lookupErr != nil {
		// Not a table either, or out of reach: the first error says all there is.
		return err
	}
	if err := notSynced(ctx, remote, name, err); err != nil {
		return err
	}
	columns := namedColumns(schema, sel)
	part := []any{"table_id", name}
	if len(columns) > 0 {
		part = append(part, "select", quoteItems(columns))
	}
	what := "a remote table"
	if strings.HasPrefix(remote.Name, EmbeddedPrefix) {
		what = "a table of the instance"
	}
	return &api.Error{Code: api.CodeNotLocal, Message: fmt.Sprintf("'%s' is %s, not a snapshot", name, what),
		Hint: "Fetch the part that you need, then query again; a predicate gets fewer rows.",
		Next: []api.Step{api.Do(api.ActionFetch, "get what the statement needs", part...), api.Do(api.ActionEstimate, "see the cost first", part...),
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
