package predicate

import (
	"slices"
	"strings"
	"time"
)

// truncated prints date_trunc(part, x) = c and <> as IN and NOT IN, unless c is
// known to be the start of a part. Otherwise DuckDB 1.5 simplifies the comparison
// to a constant and forgets that x may be NULL: date_trunc('month', d) <> DATE
// '2026-01-15' would return rows without a date.
func (p *printer) truncated(e *Compare) bool {
	if e.Op != Eq && e.Op != Ne {
		return false
	}
	l, r := e.Left, e.Right
	call, ok := truncCall(l)
	if !ok {
		l, r = r, l
		if call, ok = truncCall(l); !ok {
			return false
		}
	}
	if lit, ok := r.(*Literal); ok && startsPart(lit.Value, call.Part) || len(Columns(r)) > 0 {
		return false
	}
	p.expr(l, rankOperand)
	p.b.WriteString(notWord(e.Op == Ne) + " IN (")
	p.expr(r, rankOr)
	p.b.WriteByte(')')
	return true
}

func truncCall(e Expr) (*Call, bool) {
	c, ok := e.(*Call)
	return c, ok && strings.HasPrefix(c.Op.ID, "date_trunc")
}

// startsPart reports whether a moment is the start of a part.
func startsPart(v any, part Part) bool {
	t, ok := v.(time.Time)
	if !ok {
		return false
	}
	midnight := t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 && t.Nanosecond() == 0
	first := midnight && t.Day() == 1
	switch part {
	case PartMicrosecond:
		return t.Nanosecond()%1000 == 0
	case PartMillisecond:
		return t.Nanosecond()%1e6 == 0
	case PartSecond:
		return t.Nanosecond() == 0
	case PartMinute:
		return t.Second() == 0 && t.Nanosecond() == 0
	case PartHour:
		return t.Minute() == 0 && t.Second() == 0 && t.Nanosecond() == 0
	case PartDay:
		return midnight
	case PartWeek:
		return midnight && t.Weekday() == time.Monday
	case PartMonth:
		return first
	case PartQuarter:
		return first && t.Month()%3 == 1
	case PartYear:
		return first && t.Month() == time.January
	}
	return false
}

// longChain is how many alternatives are printed as they are.
const longChain = 32

// alternatives wraps long chains of alternatives that select rows in a test for
// TRUE, so that NULL means the same as FALSE. DuckDB 1.5 searches alternatives
// for common parts in time that grows with the cube of their number, but it does
// not look inside such a test.
func alternatives(e Expr) Expr {
	l, ok := e.(*Logic)
	if !ok {
		return e
	}
	if l.Op == OpAnd {
		out := l
		for i, t := range l.Terms {
			u := alternatives(t)
			if u == t {
				continue
			}
			if out == l {
				out = &Logic{Op: OpAnd, Terms: slices.Clone(l.Terms)}
			}
			out.Terms[i] = u
		}
		return out
	}
	joined := func(t Expr) bool { _, ok := t.(*Logic); return ok }
	if len(l.Terms) > longChain && slices.ContainsFunc(l.Terms, joined) {
		return &IsTruth{X: l, Value: true}
	}
	return e
}
