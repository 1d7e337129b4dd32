package interval

import "github.com/agnes-data/da/predicate"

// Constants returns the operands of comparisons that contain no column but are
// not literals, such as CURRENT_DATE - 7. Facts can use their values, which only
// an engine can compute.
func Constants(where predicate.Expr) []predicate.Expr {
	var found []predicate.Expr
	operands(where, func(e predicate.Expr) {
		if _, literal := e.(*predicate.Literal); !literal && len(predicate.Columns(e)) == 0 && classOf(e.Type().Kind) != incomparable {
			found = append(found, e)
		}
	})
	return found
}

// operands visits the operands of comparisons.
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
