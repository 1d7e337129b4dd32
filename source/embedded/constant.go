package embedded

import (
	"context"
	"errors"

	"github.com/agnes-data/da/internal/engine/duckdb"
	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
	"github.com/agnes-data/da/predicate/print"
)

// Constants computes the operands of a predicate that contain no column and are
// not literals. It lets the engine do so, because the engine's date arithmetic is
// the one that matters. It leaves out what the engine cannot compute.
func (e *Engines) Constants(ctx context.Context, where predicate.Expr,
	env predicate.Env) (_ map[predicate.Expr]*interval.Point, err error) {
	found := interval.Constants(where)
	if len(found) == 0 {
		return nil, nil
	}
	s, err := e.Session(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() { s.Done(err == nil) }()
	values := map[predicate.Expr]*interval.Point{}
	for _, x := range found {
		if Heavy(x) {
			continue
		}
		text, err := print.SQL(predicate.DuckDB, x, env)
		if err != nil {
			return nil, err
		}
		err = s.Rows(ctx, "SELECT CAST("+text+" AS VARCHAR)", func(v []any) error {
			said, ok := v[0].(string)
			if !ok {
				values[x] = nil
			} else if p, ok := interval.ParsePoint(x.Type().Kind, said); ok {
				values[x] = &p
			}
			return nil
		})
		var refused *duckdb.Error
		if err != nil && (ctx.Err() != nil || !errors.As(err, &refused)) {
			return nil, err
		}
	}
	return values, nil
}
