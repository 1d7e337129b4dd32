package cover

import "github.com/agnes-data/da/predicate"

// Relation is the proven relation between the rows that two predicates select.
type Relation uint8

// The relations of asked to held.
const (
	Unproven Relation = iota
	Equal             // both select the same rows
	Within            // held selects every row that asked selects
	Disjoint          // held selects no row that asked selects
)

// Compare returns the relation of the predicate asked to the predicate held, both
// in dialect d and on one table; nil selects all rows. Trees with more than a few
// thousand constants or alternatives are Unproven.
func Compare(d predicate.Dialect, asked, held predicate.Expr) Relation {
	s := newSpace(d)
	s.collect(asked)
	s.collect(held)
	s.cut()
	a, h := s.node(asked), s.node(held)
	switch {
	case !s.possible(a.formula(isTrue), h.formula(notTrue)):
		if !s.possible(h.formula(isTrue), a.formula(notTrue)) {
			return Equal
		}
		return Within
	case !s.possible(a.formula(isTrue), h.formula(isTrue)):
		return Disjoint
	}
	return Unproven
}
