package table

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/internal/words/lazyregexp"
	"github.com/agnes-data/da/statement"
)

// countAhead is how many rows behind a window are read to count them all.
const countAhead = 1_000_000

// QueryRequest is a SELECT over one or more files.
type QueryRequest struct {
	Source
	Query        string            `json:"query"`
	WindowRows   *int64            `json:"window_rows,omitempty"` // nil: DefaultWindowRows
	WindowOffset int64             `json:"window_offset,omitempty"`
	Tables       map[string]Source `json:"tables,omitempty"` // further files, by the name they have in the query
	Timeout      time.Duration     `json:"-"`                // 0: ReadTimeout for reading the files, then DefaultTimeout
	MemoryLimit  string            `json:"memory_limit,omitempty"`
	Take         Taker             `json:"-"`
	// Named, if set, is called with the columns and their types before Take.
	Named func(columns, types []string) `json:"-"`
}

// Result is a window of the rows of a query.
type Result struct {
	Columns        []string            `json:"columns"`
	ColumnTypes    []string            `json:"column_types"`
	Rows           [][]json.RawMessage `json:"rows"`
	RowCount       int64               `json:"row_count"`       // rows returned
	TotalRowCount  *int64              `json:"total_row_count"` // null: not counted
	WindowRows     int64               `json:"window_rows"`
	WindowOffset   int64               `json:"window_offset"`
	HasMore        bool                `json:"has_more"`
	QueryElapsedMS int64               `json:"query_elapsed_ms"`
	Caveats        []api.Caveat        `json:"caveats"`
}

// Query runs one SELECT; the first file is the table data.
func (t *Tables) Query(ctx context.Context, r QueryRequest) (*Result, error) {
	rows := int64(DefaultWindowRows)
	if r.WindowRows != nil {
		rows = *r.WindowRows
	}
	if rows < 0 || r.WindowOffset < 0 {
		return nil, &api.Error{Code: api.CodeValidation, Message: "the window of rows has a negative size or offset",
			Next: []api.Step{api.Set(api.OptionWindowRows, "give 0 or more"), api.Set(api.OptionWindowOffset, "give 0 or more")}}
	}
	rows = min(rows, math.MaxInt64/4)
	r.WindowOffset = min(r.WindowOffset, math.MaxInt64/4)
	// What is read is kept, so that its time is not the statement's.
	reading, cancel := limitTime(ctx, r.Timeout, ReadTimeout)
	defer cancel()
	q, err := t.prepare(reading, r.Source, r.Tables, r.Query, limits{memory: r.MemoryLimit, threads: 1})
	if err != nil {
		return nil, notRead(reading, err)
	}
	defer q.Close()
	if r.Timeout != 0 {
		ctx = reading
	} else {
		ctx, cancel = limitTime(ctx, 0, q.time())
		defer cancel()
	}
	start := t.cfg.Now()
	out := &Result{Columns: []string{}, ColumnTypes: []string{}, WindowRows: rows, WindowOffset: r.WindowOffset, Caveats: q.caveats}
	columns, err := q.session.conn.Describe(ctx, q.sel.SQL)
	if err != nil {
		return nil, queryError(ctx, q.sel, err)
	}
	for _, c := range columns {
		out.Columns = append(out.Columns, c.Name)
		out.ColumnTypes = append(out.ColumnTypes, typeName(c.Type))
	}
	run, warned, err := q.session.conn.Legible(ctx, q.sel.SQL)
	if err != nil {
		return nil, queryError(ctx, q.sel, err)
	}
	out.Caveats = append(out.Caveats, api.CaveatsOf(api.CaveatNarrowed, warned...)...)
	stream, err := q.session.conn.Query(ctx, run)
	if err != nil {
		return nil, queryError(ctx, q.sel, duckdb.Within(run, q.sel.SQL, err))
	}
	defer stream.Release()
	if r.Named != nil {
		r.Named(out.Columns, out.ColumnTypes)
	}
	w := &window{skip: r.WindowOffset, most: rows, extra: countAhead}
	if r.Take != nil {
		head := *out
		head.Columns, head.ColumnTypes = nil, nil
		w.take = r.Take(head)
	}
	if err := w.read(stream); err != nil {
		return nil, queryError(ctx, q.sel, duckdb.Within(run, q.sel.SQL, err))
	}
	out.Rows, out.RowCount = w.rows, w.kept
	if w.whole {
		out.TotalRowCount = &w.seen
	}
	out.HasMore = w.seen > r.WindowOffset+out.RowCount
	if !q.sel.Ordered && out.HasMore {
		out.Caveats = append(out.Caveats, api.Caveat{Kind: api.CaveatUnordered,
			Text: "the query has no ORDER BY: the order of its rows is repeatable but arbitrary"})
	}
	out.QueryElapsedMS = t.cfg.Now().Sub(start).Milliseconds()
	return out, nil
}

// limitTime bounds a request's work: 0 means otherwise, less than 0 no bound.
func limitTime(ctx context.Context, d, otherwise time.Duration) (context.Context, context.CancelFunc) {
	if d == 0 {
		d = otherwise
	}
	if d < 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d)
}

// prepared is a statement that may run, with its engine.
type prepared struct {
	session *session
	files   map[string]*looked
	sel     *statement.Select
	caveats []api.Caveat
}

func (q *prepared) Close() {
	if q.session != nil {
		q.session.Close()
	}
	for _, l := range q.files {
		l.Close()
	}
}

// prepare proves that a statement is one SELECT over the named files, before it
// reads any of them, and opens an engine that sees only these files.
func (t *Tables) prepare(ctx context.Context, main Source, more map[string]Source, sql string, l limits,
	dirs ...string) (*prepared, error) {
	sources := map[string]Source{dataTable: main}
	for name, s := range more {
		name = strings.ToLower(name)
		if !tableName().MatchString(name) || sources[name].Path != "" {
			return nil, &api.Error{
				Code: api.CodeValidation, Message: fmt.Sprintf("%q cannot name a table of its own", api.Clip(name, 80)),
				Hint: "Names are letters, digits and underscores; the first file is 'data'.",
			}
		}
		sources[name] = s
	}
	sel, err := check(ctx, sql)
	if err != nil {
		return nil, err
	}
	q := &prepared{files: map[string]*looked{}, sel: sel, caveats: []api.Caveat{}}
	if err := t.openTables(ctx, q, sel.Tables, sources); err != nil {
		q.Close()
		return nil, err
	}
	if err := t.engine(ctx, q, l, dirs); err != nil {
		q.Close()
		return nil, err
	}
	return q, nil
}

// engine opens the engine of a statement with the columns that the statement
// names. If a name cannot be resolved, it opens all columns, because only then
// can the engine suggest the right one.
func (t *Tables) engine(ctx context.Context, q *prepared, l limits, dirs []string) (err error) {
	l.settings = q.sel.Settings
	if q.session, err = t.session(ctx, q.files, l, dirs...); err != nil || !q.inPart() {
		return err
	}
	scans, known, err := q.session.conn.Scans(ctx, q.sel.SQL)
	if ctx.Err() != nil {
		return nil //nolint:nilerr // running the statement tells why the time is up
	}
	if err == nil && known && scans <= mostScans {
		return nil
	}
	q.session.Close()
	for _, file := range q.files {
		file.direct = false
		if err != nil {
			file.reads = nil
		}
	}
	q.session, err = t.session(ctx, q.files, l, dirs...)
	return err
}

// time is how long the statement may take: as long as reading, if it reads a file itself.
func (q *prepared) time() time.Duration {
	for _, file := range q.files {
		if file.reads != nil && file.direct {
			return ReadTimeout
		}
	}
	return DefaultTimeout
}

// inPart reports whether the engine has only some columns of a file.
func (q *prepared) inPart() bool {
	for _, file := range q.files {
		if file.reads != nil {
			return true
		}
	}
	return false
}

var tableName = lazyregexp.New(`^[a-z_][a-z0-9_]{0,63}$`)

// openTables examines the files that the statement names.
func (t *Tables) openTables(ctx context.Context, q *prepared, names []string, sources map[string]Source) error {
	for _, name := range names {
		s, ok := sources[name]
		if !ok {
			return &api.Error{
				Code: api.CodeValidation, Kind: api.KindUnknownTable, Message: fmt.Sprintf("there is no table %q", name),
				Hint:    "The file is the table 'data'.",
				Next:    []api.Step{api.Set(api.OptionTables, "name further files as tables: NAME=PATH")},
				Details: map[string]any{"table": name},
			}
		}
		l, err := t.examine(ctx, s)
		if err != nil {
			return err
		}
		if q.files[name] = l; !q.sel.Whole {
			l.reads, l.direct = append([]string{}, q.sel.Reads...), l.file.Ours()
		}
		caveats := Caveats(l.profile())
		if !q.sel.Whole {
			caveats = api.CaveatsAbout(q.sel.Reads, caveats)
		}
		for _, c := range caveats {
			if len(sources) > 1 {
				c.Text = name + ": " + c.Text
			}
			q.caveats = append(q.caveats, c)
		}
	}
	for name, s := range sources {
		if q.files[name] == nil { // not read, but what is named must be there
			_, file, err := t.open(ctx, s)
			if err != nil {
				return err
			}
			file.Close()
		}
	}
	return nil
}

// check proves a statement with the engine's own parser, in an empty engine.
func check(ctx context.Context, sql string) (*statement.Select, error) {
	s, err := (&Tables{}).session(ctx, nil, limits{threads: 1})
	if err != nil {
		return nil, err
	}
	defer s.Close()
	sel, err := statement.Check(ctx, s.conn, sql)
	if err != nil {
		return nil, rejected(err)
	}
	return sel, nil
}
