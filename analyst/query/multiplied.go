package query

import (
	"context"
	"slices"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/statement"
	"github.com/agnes-data/da/statement/fanout"
)

// guard adds a caveat for each table whose rows a join of the statement repeats below
// a sum, a count or an average.
func (s *Session) guard(ctx context.Context, r *Result) error {
	if r.Select.Kind != statement.KindSelect || !slices.ContainsFunc(r.Select.Calls, fanout.Counts) {
		return nil
	}
	found, err := fanout.Find(ctx, s.Engine.Conn, r.Select.SQL)
	for _, f := range found {
		c := api.NewCaveat(api.CaveatMultiplied, "%s", f.String())
		c.About, c.Reason, c.Count = api.Subject{Snapshot: f.Table}, "join", &api.Count{N: f.Appear - f.Rows, Of: "rows"}
		if f.Right != "" {
			c.Next = []api.Step{api.Do(api.ActionQuery, "count each row once", "sql", f.Right)}
		}
		r.Known = append(r.Known, c)
	}
	return err
}
