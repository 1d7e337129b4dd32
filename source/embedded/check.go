package embedded

import (
	"context"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/engine/worker"
	"github.com/agnes-data/da/statement"
)

// Check proves a statement by the parser of the engine, for a server whose users it
// must not hurt.
func (e *Engines) Check(ctx context.Context, sql string) (*statement.Select, error) {
	s, err := e.Session(ctx, true)
	if err != nil {
		return nil, err
	}
	sel, err := statement.Check(ctx, worker.Parser{Conn: s.Conn}, sql)
	s.Done(err == nil)
	if err != nil {
		return nil, err
	}
	if sel.Grows != nil {
		return nil, sel.Grows
	}
	if sel.Backtracks {
		return nil, &api.Error{Code: api.CodeStatement, Kind: api.KindUnsupported,
			Message: "this pattern is not matched for others: the engine may try it for ever",
			Hint:    "Write it out as text with % alone, and for ILIKE as LIKE on lower(…); or use regexp_matches, contains or starts_with."}
	}
	return sel, nil
}
