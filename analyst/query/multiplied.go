package query

import (
	"context"
	"slices"
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
	sql, read := r.Select.SQL, keys{s.a.Store, r.Inputs}
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

// keys are those of the snapshots that a statement reads.
type keys struct {
	store  *snapshot.Store
	inputs []Input
}

func (k keys) Has(table string, columns []string) bool {
	m := k.rows(table)
	return m.Name != "" && k.store.HasKey(m, columns)
}

func (k keys) Put(table string, columns []string) {
	if m := k.rows(table); m.Name != "" {
		k.store.PutKey(m, columns)
	}
}

// rows is the record of the snapshot that the statement reads by this name; it has no name
// if the statement reads no such snapshot.
func (k keys) rows(table string) snapshot.Meta {
	for _, in := range k.inputs {
		if m, err := k.store.Get(table); in.Name == table && err == nil && m.ContentHash == in.ContentHash {
			return m
		}
	}
	return snapshot.Meta{}
}
