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
	found, _ := fanout.Find(within, s.Engine.Conn, r.Select.SQL, keys{s.a.Store, r.Inputs}) // only the time can be over
	for _, f := range found {
		c := api.NewCaveat(api.CaveatMultiplied, "%s", f.String())
		c.About, c.Reason, c.Count = api.Subject{Snapshot: f.Table}, "join", &api.Count{N: max(f.Appear-f.Rows, f.Rows-f.Appear), Of: "rows"}
		if f.Right != "" {
			c.Next = []api.Step{api.Do(api.ActionQuery, "count each row once", "sql", f.Right)}
		}
		r.Known = append(r.Known, c)
	}
	return ctx.Err()
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

// rows are those of a snapshot that the statement reads; without a name for what is none.
func (k keys) rows(table string) snapshot.Meta {
	for _, in := range k.inputs {
		if m, err := k.store.Get(table); in.Name == table && err == nil && m.ContentHash == in.ContentHash {
			return m
		}
	}
	return snapshot.Meta{}
}
