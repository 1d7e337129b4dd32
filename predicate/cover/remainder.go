package cover

import "github.com/agnes-data/da/predicate"

// maxConditions bounds the conditions of held that a remainder is made simpler by.
const maxConditions = 64

// Remainder selects the rows that asked selects and held does not: those of the
// two together are the rows of asked, each as often as it is there. There is none
// if held is proven to have all of them. Both predicates are of the dialect d, and
// nil selects all rows.
//
// It is asked AND (held) IS NOT TRUE, in words that sources can skip rows by where
// these are proven to mean the same: day < '2026-03-01' of all days leaves
// day >= '2026-03-01'.
func Remainder(d predicate.Dialect, asked, held predicate.Expr) (rest predicate.Expr, some bool) {
	lacking := notImplied(d, asked, held)
	if lacking == nil {
		return nil, false
	}
	exact := predicate.And(asked, &predicate.IsTruth{X: lacking, Value: true, Negated: true})
	if plain := predicate.And(asked, opposite(lacking)); Compare(d, plain, exact) == Equal {
		return plain, true
	}
	return exact, true
}

// notImplied leaves out the conditions of held that are TRUE for each row of asked;
// nil if all of them are.
func notImplied(d predicate.Dialect, asked, held predicate.Expr) predicate.Expr {
	conditions := []predicate.Expr{held}
	if l, ok := held.(*predicate.Logic); ok && l.Op == predicate.OpAnd && len(l.Terms) <= maxConditions {
		conditions = l.Terms
	}
	var lacking predicate.Expr
	for _, c := range conditions {
		if r := Compare(d, asked, c); r != Equal && r != Within {
			lacking = predicate.And(lacking, c)
		}
	}
	return lacking
}

// contrary are the comparisons that are TRUE where others are FALSE, and NULL where
// these are.
var contrary = map[predicate.CompareOp]predicate.CompareOp{
	predicate.Eq: predicate.Ne, predicate.Ne: predicate.Eq, predicate.Lt: predicate.Ge, predicate.Ge: predicate.Lt,
	predicate.Le: predicate.Gt, predicate.Gt: predicate.Le, predicate.Distinct: predicate.NotDistinct, predicate.NotDistinct: predicate.Distinct,
}

// opposite is NOT e without the word, as far as there is a form for it. It may
// differ where an engine's NaN is neither below nor above a number.
func opposite(e predicate.Expr) predicate.Expr {
	switch e := e.(type) {
	case *predicate.Logic:
		terms := make([]predicate.Expr, len(e.Terms))
		for i, t := range e.Terms {
			terms[i] = opposite(t)
		}
		if e.Op == predicate.OpAnd {
			return &predicate.Logic{Op: predicate.OpOr, Terms: terms}
		}
		return &predicate.Logic{Op: predicate.OpAnd, Terms: terms}
	case *predicate.Not:
		return e.X
	case *predicate.Compare:
		other := *e
		other.Op = contrary[e.Op]
		return &other
	case *predicate.In:
		other := *e
		other.Negated = !e.Negated
		return &other
	case *predicate.Between:
		other := *e
		other.Negated = !e.Negated
		return &other
	case *predicate.IsNull:
		return &predicate.IsNull{X: e.X, Negated: !e.Negated}
	}
	return &predicate.Not{X: e}
}
