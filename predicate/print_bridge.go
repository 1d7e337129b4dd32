package predicate

import "strings"

// bridge makes an engine follow another engine's rules in a comparison, if
// possible; otherwise it rejects the comparison.
func (p *printer) bridge(as Dialect, l, r Expr) (left, right string) {
	if as == "" || as == p.d.name {
		return "", ""
	}
	lt, rt := l.Type(), r.Type()
	switch {
	case lt.Kind == KindString && rt.Kind == KindString && !as.traits().collateC:
		if p.d.collateC {
			return ` COLLATE "C"`, ` COLLATE "C"`
		}
		return "", ""
	case lt.numeric() && rt.numeric() && as.traits().nanOrdered && p.d.nanOrdered:
		return "", ""
	case lt.calendar() && rt.calendar() && as.traits().implicitZone && p.d.implicitZone:
		// Both take a time without zone for one in the session's, which is UTC.
		return "", ""
	}
	p.foreign(as, "this comparison")
	return "", ""
}

// guardedNaN prints a comparison of a float column with a constant for an engine
// that orders NaN differently: for some it is greater than all numbers, for
// others it is unordered.
func (p *printer) guardedNaN(e *Compare) bool {
	if e.As == "" || e.As == p.d.name || e.As.traits().nanOrdered == p.d.nanOrdered {
		return false
	}
	x, other := e.Left, e.Right
	if e.Op == Lt || e.Op == Le {
		x, other = other, x
	} else if e.Op != Gt && e.Op != Ge {
		return false
	}
	col, ok := x.(*Column)
	lit, constant := other.(*Literal)
	if !ok || !constant || lit.Value == nil || !neverNaN(lit) || col.T.Kind != KindFloat {
		return false
	}
	if p.d.nanGuard == "" {
		return false
	}
	p.b.WriteByte('(')
	p.expr(&Compare{Op: e.Op, Left: e.Left, Right: e.Right}, rankTest)
	for i, text := range strings.Split(p.d.nanGuard, "$1") {
		if i > 0 {
			p.expr(col, rankOperand)
		}
		p.b.WriteString(text)
	}
	p.b.WriteByte(')')
	return true
}
