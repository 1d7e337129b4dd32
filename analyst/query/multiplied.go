package query

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/snapshot"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/statement/fanout"
)

// longestGuard bounds the time in which joins are looked at; what is not known by then
// is not told.
const longestGuard = time.Minute

// guard adds a caveat for each table whose rows a join of the statement repeats below
// a sum, a count or an average.
func (s *Session) guard(ctx context.Context, r *Result) error {
	if r.Select.Kind != statement.KindSelect || !slices.ContainsFunc(r.Select.Calls, fanout.Counts) {
		return nil
	}
	within, done := context.WithTimeout(ctx, longestGuard)
	defer done()
	sql, read := r.Select.SQL, tables{s, r.Inputs}
	if opened, whole := s.opened(ctx, r); opened != nil {
		defer opened.Close()
		sql, read.inputs = whole, slices.Concat(r.Inputs, opened.Inputs)
	}
	found, _ := fanout.Find(within, s.Engine.Conn, sql, read) // only the time can be over
	for _, f := range found {
		if slices.ContainsFunc(r.Known, func(c api.Caveat) bool { return c.Text == f.String() }) {
			continue // told of a step with stored rows when it was made
		}
		c := api.NewCaveat(api.CaveatMultiplied, "%s", f.String())
		c.About, c.Reason, c.Count = api.Subject{Snapshot: f.Table}, "join",
			&api.Count{N: max(f.Appear-f.Rows, f.Rows-f.Appear), AtLeast: f.Part, Of: "rows"}
		if f.Right != "" {
			c.Next = []api.Step{api.Do(api.ActionQuery, "count each row once", "sql", f.Right)}
		}
		r.Known = append(r.Known, c)
	}
	return ctx.Err()
}

// opened is the statement with its stored steps replaced by their definitions, since a join
// in a definition repeats rows, too. The links keep what the definitions read; they are nil
// if there are no such steps, or if what they read is gone.
func (s *Session) opened(ctx context.Context, r *Result) (links *Result, sql string) {
	if !slices.ContainsFunc(r.Select.Tables, s.steps.IsTable) {
		return nil, ""
	}
	sel, err := s.steps.Opened(ctx, s.Engine.Conn, r.checked)
	if err != nil {
		return nil, ""
	}
	links = &Result{}
	here := func(name string) bool { return slices.Contains(r.Select.Tables, name) || s.steps.IsTable(name) }
	if _, err := s.Link(ctx, links, slices.DeleteFunc(slices.Clone(sel.Tables), here)); err != nil {
		links.Close()
		return nil, ""
	}
	return links, sel.SQL
}

// tables are those that a statement reads.
type tables struct {
	s      *Session
	inputs []Input
}

func (t tables) Known(table string) fanout.Known {
	store, m, err := t.find(table)
	if err != nil {
		return fanout.Known{Rows: -1}
	}
	out := fanout.Known{Rows: m.Rows, Once: store.Keys(m)}
	if t.s.parts[table] == nil && m.Schema != nil { // a part shows columns that are not here, too
		out.Columns = m.Columns()
	}
	for _, c := range m.Once {
		out.Once = append(out.Once, []string{strings.ToLower(c)})
	}
	for _, c := range m.Twice {
		out.Twice = append(out.Twice, strings.ToLower(c))
	}
	return out
}

func (t tables) Put(table string, columns []string) {
	if store, m, err := t.find(table); err == nil {
		store.PutKey(m, columns)
	}
}

// errNotKept says that the store has no record of the rows that a statement reads.
var errNotKept = errors.New("no record of these rows")

// find returns the record of what the statement reads by a name, and the store that keeps what
// is known of it.
func (t tables) find(table string) (*snapshot.Store, snapshot.Meta, error) {
	store := t.s.a.Store
	if p := t.s.parts[table]; p != nil && p.Links != nil {
		if parts := t.s.a.PartsStore(); parts != nil {
			store = parts
		}
		return store, p.Links.Metas[0], nil
	}
	i := slices.IndexFunc(t.inputs, func(in Input) bool { return in.Name == table })
	if i < 0 {
		return nil, snapshot.Meta{}, errNotKept
	}
	in := t.inputs[i]
	if !in.Snapshot { // a synced table
		return store, snapshot.Meta{Name: table, ContentHash: in.ContentHash, Rows: in.Rows}, nil
	}
	m, err := store.Get(table)
	if err == nil && m.ContentHash != in.ContentHash {
		err = errNotKept // other rows have been installed meanwhile
	}
	return store, m, err
}
