package cover

import "github.com/agnes-data/da/predicate"

// Relation is what is proven of the rows that two predicates select.
type Relation uint8

// The relations of asked to held.
const (
	Unproven Relation = iota
	Equal             // both select the same rows
	Within            // each row that asked selects, held selects, too
	Disjoint          // no row that asked selects, held selects
)

// Compare relates the predicate asked to the predicate held, both read in the
// dialect d on one table; nil selects all rows. Trees that hold more than some
// thousand constants or alternatives are not proven.
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
