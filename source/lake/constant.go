package lake

import (
	"context"
	"errors"

	"github.com/agnes-data/da/internal/duckdb"
	"github.com/agnes-data/da/predicate"
)

// constants computes the operands of a predicate that name no column and are
// no literals, by asking the engine: its date arithmetic is the one that will
// count. What it cannot compute is left out.
func (l *Lake) constants(ctx context.Context, where predicate.Expr, env predicate.Env) (_ map[predicate.Expr]*point, err error) {
	var found []predicate.Expr
	operands(where, func(e predicate.Expr) {
		if _, literal := e.(*predicate.Literal); !literal && len(predicate.Columns(e)) == 0 && classOf(e.Type().Kind) != incomparable {
			found = append(found, e)
		}
	})
	if len(found) == 0 {
		return nil, nil
	}
	s, err := l.engines.session(ctx, false)
	if err != nil {
		return nil, err
	}
	defer func() { s.done(err == nil) }()
	values := map[predicate.Expr]*point{}
	for _, e := range found {
		text, err := predicate.Print(predicate.DuckDB, e, env)
		if err != nil {
			return nil, err
		}
		err = s.rows(ctx, "SELECT CAST("+text+" AS VARCHAR)", func(v []any) error {
			said, ok := v[0].(string)
			if !ok {
				values[e] = nil
			} else if p, ok := parsePoint(e.Type().Kind, said); ok {
				values[e] = &p
			}
			return nil
		})
		var refused *duckdb.Error
		if err != nil && (ctx.Err() != nil || !errors.As(err, &refused)) {
			return nil, l.failure(ctx, nil, err, asking{computes: true})
		}
	}
	return values, nil
}

// operands visits what a predicate compares.
func operands(e predicate.Expr, visit func(predicate.Expr)) {
	switch e := e.(type) {
	case *predicate.Logic:
		for _, t := range e.Terms {
			operands(t, visit)
		}
	case *predicate.Not:
		operands(e.X, visit)
	case *predicate.IsTruth:
		operands(e.X, visit)
	case *predicate.Compare:
		visit(e.Left)
		visit(e.Right)
	case *predicate.Between:
		visit(e.Low)
		visit(e.High)
	case *predicate.In:
		for _, item := range e.List {
			visit(item)
		}
	}
}
