package source

import (
	"slices"

	"github.com/agnes-data/da/predicate"
)

// CannotFail reports whether a predicate is true, false or NULL on any row.
// Where it does not know, it says no.
func CannotFail(e predicate.Expr) bool { return e == nil || cannotFail(e) }

// Apart splits a predicate into terms that cannot fail, which may be evaluated on
// any row, and the others. A source evaluates the others only on rows that the
// caller can see, because a failure would reveal something about a row. Either
// result can be nil.
func Apart(where predicate.Expr) (safe, risky predicate.Expr) {
	terms := []predicate.Expr{where}
	if l, ok := where.(*predicate.Logic); ok && l.Op == predicate.OpAnd {
		terms = l.Terms
	}
	for _, t := range terms {
		switch {
		case t == nil:
		case cannotFail(t):
			safe = predicate.And(safe, t)
		default:
			risky = predicate.And(risky, t)
		}
	}
	return safe, risky
}

// cannotFail recognises conditions that are true, false or NULL on any row. All
// others may fail.
func cannotFail(e predicate.Expr) bool {
	switch e := e.(type) {
	case *predicate.Logic:
		for _, t := range e.Terms {
			if !cannotFail(t) {
				return false
			}
		}
		return true
	case *predicate.Not:
		return cannotFail(e.X)
	case *predicate.Compare:
		return plain(e.Left, e.Right)
	case *predicate.Between:
		return plain(e.X, e.Low, e.High)
	case *predicate.In:
		return plain(append([]predicate.Expr{e.X}, e.List...)...)
	case *predicate.IsNull:
		return plain(e.X)
	case *predicate.IsTruth:
		return cannotFail(e.X)
	case *predicate.Column:
		return e.T.Kind == predicate.KindBool && !mayFail(e)
	}
	return false
}

// plain reports whether the operands are columns and constants of one kind, which
// the engine compares without conversion. Decimals of different scales are
// converted.
func plain(operands ...predicate.Expr) bool {
	kind := operands[0].Type().Kind
	for _, o := range operands {
		switch o := o.(type) {
		case *predicate.Column:
			if mayFail(o) {
				return false
			}
		case *predicate.Literal:
		default:
			return false
		}
		if o.Type().Kind != kind && o.Type().Kind != predicate.KindNull {
			return false
		}
	}
	switch kind {
	case predicate.KindBool, predicate.KindInt, predicate.KindFloat, predicate.KindString, predicate.KindDate, predicate.KindDateTime,
		predicate.KindTimestamp:
		return true
	}
	return len(operands) == 1 // IS NULL
}

// mayFail reports whether a path picks an element that need not be there, which
// GoogleSQL fails at.
func mayFail(c *predicate.Column) bool { return slices.ContainsFunc(c.Path, predicate.Step.MayFail) }
