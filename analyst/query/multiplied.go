package query

import (
	"context"
	"slices"
	"time"

	"github.com/agnes-data/da/api"
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
	found, _ := fanout.Find(within, s.Engine.Conn, r.Select.SQL) // only the time can be over
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
