package cover

import "github.com/agnes-data/da/predicate"

// maxConditions limits how many conditions of held are used to simplify a
// remainder.
const maxConditions = 64

// Remainder selects the rows that asked selects but held does not. Those rows
// plus the rows that both select are exactly the rows of asked, including
// duplicates. some is false if held is proven to have all rows of asked. Both
// predicates are in dialect d; nil selects all rows.
//
// The result means asked AND (held) IS NOT TRUE. Where possible, it is written so
// that sources can use it to skip rows: if held is day < '2026-03-01' and asked
// is all days, it is day >= '2026-03-01'.
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

// notImplied returns the conditions of held that are not TRUE for each row of
// asked; nil if all are.
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
	predicate.Le: predicate.Gt, predicate.Gt: predicate.Le, predicate.Distinct: predicate.NotDistinct,
	predicate.NotDistinct: predicate.Distinct,
}

// opposite is NOT e without the word NOT, if there is such a form. It can differ
// for NaN in engines where NaN is unordered.
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
