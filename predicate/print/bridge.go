package print

import (
	"strings"

	"github.com/agnes-data/da/predicate"
)

// bridge makes an engine follow another engine's rules in a comparison, if
// possible; otherwise it rejects the comparison.
func (p *printer) bridge(as predicate.Dialect, l, r predicate.Expr) (left, right string) {
	if as == "" || as == p.t.Name {
		return "", ""
	}
	lt, rt := l.Type(), r.Type()
	switch {
	case lt.Kind == predicate.KindString && rt.Kind == predicate.KindString && !as.Traits().CollateC:
		if p.t.CollateC {
			return ` COLLATE "C"`, ` COLLATE "C"`
		}
		return "", ""
	case lt.Numeric() && rt.Numeric() && as.Traits().NanOrdered && p.t.NanOrdered:
		return "", ""
	case lt.Calendar() && rt.Calendar() && as.Traits().ImplicitZone && p.t.ImplicitZone:
		// Both take a time without zone for one in the session's, which is UTC.
		return "", ""
	}
	p.foreign(as, "this comparison")
	return "", ""
}

// guardedNaN prints a comparison of a float column with a constant for an engine
// that orders NaN differently: for some it is greater than all numbers, for
// others it is unordered.
func (p *printer) guardedNaN(e *predicate.Compare) bool {
	if e.As == "" || e.As == p.t.Name || e.As.Traits().NanOrdered == p.t.NanOrdered {
		return false
	}
	x, other := e.Left, e.Right
	if e.Op == predicate.Lt || e.Op == predicate.Le {
		x, other = other, x
	} else if e.Op != predicate.Gt && e.Op != predicate.Ge {
		return false
	}
	col, ok := x.(*predicate.Column)
	lit, constant := other.(*predicate.Literal)
	if !ok || !constant || lit.Value == nil || !predicate.NeverNaN(lit) || col.T.Kind != predicate.KindFloat {
		return false
	}
	if p.d.nanGuard == "" {
		return false
	}
	p.b.WriteByte('(')
	p.expr(&predicate.Compare{Op: e.Op, Left: e.Left, Right: e.Right}, rankTest)
	for i, text := range strings.Split(p.d.nanGuard, "$1") {
		if i > 0 {
			p.expr(col, rankOperand)
		}
		p.b.WriteString(text)
	}
	p.b.WriteByte(')')
	return true
}
