package predicate

// bridge makes an engine follow another one's rules in a comparison, where it
// can; else it refuses.
func (p *printer) bridge(as Dialect, l, r Expr) (left, right string) {
	if as == "" || as == p.d {
		return "", ""
	}
	lt, rt := l.Type(), r.Type()
	switch {
	case lt.Kind == KindString && rt.Kind == KindString && as != Postgres:
		// DuckDB and GoogleSQL order texts by code point.
		if p.d == Postgres {
			return ` COLLATE "C"`, ` COLLATE "C"`
		}
		return "", ""
	case lt.numeric() && rt.numeric() && as != GoogleSQL && p.d != GoogleSQL:
		// NaN is equal to itself and above all other numbers in both.
		return "", ""
	case lt.calendar() && rt.calendar() && as != GoogleSQL && p.d != GoogleSQL:
		// Both take a time without zone for one in the session's, which is UTC.
		return "", ""
	}
	p.foreign(as, "this comparison")
	return "", ""
}

// guardedNaN prints a comparison of a float column with a constant for an
// engine that orders NaN differently. In GoogleSQL NaN is below, above and
// beside everything; elsewhere it is above all numbers.
func (p *printer) guardedNaN(e *Compare) bool {
	if e.As == "" || e.As == p.d || (e.As == GoogleSQL) == (p.d == GoogleSQL) {
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
	p.b.WriteByte('(')
	p.expr(&Compare{Op: e.Op, Left: e.Left, Right: e.Right}, rankTest)
	switch p.d {
	case GoogleSQL:
		p.b.WriteString(" OR ")
		p.expr(&Compare{Op: Ne, Left: col, Right: col}, rankTest)
	case Postgres:
		p.b.WriteString(" AND ")
		p.expr(col, rankOperand)
		p.b.WriteString(" <> CAST('NaN' AS DOUBLE PRECISION)")
	default:
		p.b.WriteString(" AND NOT isnan(")
		p.expr(col, rankOr)
		p.b.WriteByte(')')
	}
	p.b.WriteByte(')')
	return true
}
