package cover

import (
	"time"

	"github.com/agnes-data/da/predicate"
	"github.com/agnes-data/da/predicate/interval"
)

// tested parses a test of one column against constants. It returns nil for
// anything else, or if the test depends on more than the column's value.
func (s *space) tested(e predicate.Expr) []tested {
	var t tested
	ok := false
	switch e := e.(type) {
	case *predicate.Column:
		if c, plain := plainColumn(e); plain && c.T.Kind == predicate.KindBool {
			t, ok = tested{column: c, op: predicate.Eq, low: interval.Truth(true)}, true
		}
	case *predicate.Compare:
		if t, ok = s.comparison(e.Op, e.Left, e.Right); !ok {
			t, ok = s.comparison(e.Op.Mirrored(), e.Right, e.Left)
		}
	case *predicate.Between:
		return s.both(e.X, e.Low, e.High, e.As)
	case *predicate.In:
		var all []tested
		for _, item := range e.List { // the column may be on either side
			all = append(all, s.tested(&predicate.Compare{Op: predicate.Eq, Left: e.X, Right: item, As: e.As})...)
		}
		return all // for the points; the node is read item by item
	case *predicate.Like:
		t, ok = s.prefix(e)
	case *predicate.Call:
		if e.Op.ID == "starts_with" {
			t, ok = startsWith(e.Args[0], e.Args[1])
		}
	}
	if !ok {
		return nil
	}
	return []tested{t}
}

// both are the two comparisons of a BETWEEN, for their points.
func (s *space) both(x, low, high predicate.Expr, as predicate.Dialect) []tested {
	return append(s.tested(&predicate.Compare{Op: predicate.Ge, Left: x, Right: low, As: as}),
		s.tested(&predicate.Compare{Op: predicate.Le, Left: x, Right: high, As: as})...)
}

// comparison reads "x op constant", x a column or the part of one.
func (s *space) comparison(op predicate.CompareOp, x, y predicate.Expr) (tested, bool) {
	l, ok := y.(*predicate.Literal)
	if !ok || l.Value == nil {
		return tested{}, false
	}
	switch x := x.(type) {
	case *predicate.Column:
		c, ok := plainColumn(x)
		if !ok {
			return tested{}, false
		}
		p, ok := pointOf(c.T, l)
		return tested{column: c, op: op, low: p}, ok && (s.ordered(c.T) || equality(op))
	case *predicate.Cast:
		return dayOf(op, x, l)
	case *predicate.Call:
		return partOf(op, x, l)
	}
	return tested{}, false
}

func equality(op predicate.CompareOp) bool {
	return op == predicate.Eq || op == predicate.Ne || op == predicate.Distinct || op == predicate.NotDistinct
}

// ordered reports whether the order of constants is that of the engine's values.
// For texts it depends on a collation in PostgreSQL, for UUIDs on the engine.
func (s *space) ordered(t predicate.Type) bool {
	switch t.Kind {
	case predicate.KindString:
		return predicate.OrdersByCodePoint(s.dialect)
	case predicate.KindUUID:
		return false
	}
	return true
}

// The largest integers up to which floats represent every integer.
const (
	exactInt32 = 1 << 24
	exactInt64 = 1 << 53
)

// pointOf returns a constant as a point of a column; false if the engine converts
// one of them in a way that may lose precision.
func pointOf(t predicate.Type, l *predicate.Literal) (interval.Point, bool) {
	p, ok := interval.LiteralPoint(l)
	if !ok {
		return p, false
	}
	kind := l.T.Kind
	switch t.Kind {
	case predicate.KindInt:
		small := t.Bits > 0 && t.Bits <= 32 // such a number fits a float
		return p.Exact(), kind == predicate.KindInt || kind == predicate.KindDecimal || kind == predicate.KindFloat && small
	case predicate.KindDecimal:
		return p, kind == predicate.KindInt || kind == predicate.KindDecimal
	case predicate.KindFloat:
		most := int64(exactInt64)
		if t.Bits == 32 {
			most = exactInt32
		}
		if p.IsWholeUpTo(most) || kind == predicate.KindFloat && t.Bits != 32 {
			return p.Exact(), true
		}
		return p.Rough(), kind == predicate.KindInt || kind == predicate.KindDecimal || kind == predicate.KindFloat
	case predicate.KindDate:
		return p, kind == predicate.KindDate || kind == predicate.KindDateTime && l.T.Bits == 0
	case predicate.KindDateTime:
		// With a zone on one side only, the session's would count.
		return p, kind == predicate.KindDateTime && l.T.Bits == t.Bits || kind == predicate.KindDate && t.Bits == 0
	case predicate.KindTimestamp:
		return p, kind == predicate.KindTimestamp && l.T.Bits == t.Bits
	case predicate.KindTime, predicate.KindString, predicate.KindBool, predicate.KindUUID:
		return p, kind == t.Kind
	}
	return p, false
}

// prefix parses x LIKE 'text%', and x LIKE 'text', which is an equality.
func (s *space) prefix(e *predicate.Like) (tested, bool) {
	text, whole, ok := e.Prefix()
	if !ok {
		return tested{}, false
	}
	if whole {
		return s.comparison(predicate.Eq, e.X, &predicate.Literal{Value: text, T: predicate.Type{Kind: predicate.KindString}})
	}
	return startsWith(e.X, &predicate.Literal{Value: text, T: predicate.Type{Kind: predicate.KindString}})
}

// startsWith returns the texts that start with a constant: those from the
// constant up to the first text that does not. The order is that of bytes,
// whatever the engine's is.
func startsWith(x, prefix predicate.Expr) (tested, bool) {
	c, ok := plainColumn(x)
	l, written := prefix.(*predicate.Literal)
	if !ok || !written || c.T.Kind != predicate.KindString || l.T.Kind != predicate.KindString {
		return tested{}, false
	}
	low, ok := interval.LiteralPoint(l)
	if !ok {
		return tested{}, false
	}
	high, ok := low.AfterPrefix()
	return tested{column: c, op: inRange, low: low, high: high}, ok
}

// dayOf reads CAST(x AS DATE) op constant for a time without zone.
func dayOf(op predicate.CompareOp, x *predicate.Cast, l *predicate.Literal) (tested, bool) {
	c, ok := plainColumn(x.X)
	at, isDate := l.Value.(time.Time)
	if !ok || !isDate || x.To.Kind != predicate.KindDate || l.T.Kind != predicate.KindDate || c.T.Kind != predicate.KindDateTime ||
		c.T.Bits != 0 {
		return tested{}, false
	}
	begin, end := interval.Moment(at), interval.Moment(at.AddDate(0, 0, 1))
	switch op {
	case predicate.Eq:
		return tested{column: c, op: inRange, low: begin, high: end}, true
	case predicate.Lt, predicate.Ge:
		return tested{column: c, op: op, low: begin}, true
	case predicate.Le:
		return tested{column: c, op: predicate.Lt, low: end}, true
	case predicate.Gt:
		return tested{column: c, op: predicate.Ge, low: end}, true
	}
	return tested{}, false
}

// partOf reads EXTRACT(year FROM x) = 2026 and date_trunc('month', x) = a date:
// of dates, and of times without zone.
func partOf(op predicate.CompareOp, x *predicate.Call, l *predicate.Literal) (tested, bool) {
	if op != predicate.Eq || len(x.Args) != 1 {
		return tested{}, false
	}
	c, ok := plainColumn(x.Args[0])
	if !ok || c.T.Bits != 0 || c.T.Kind != predicate.KindDate && c.T.Kind != predicate.KindDateTime {
		return tested{}, false
	}
	var begin, end time.Time
	switch v := l.Value.(type) {
	case int64:
		if x.Op.ID != "extract" || x.Part != predicate.PartYear || v < 1 || v > 9998 {
			return tested{}, false
		}
		begin = time.Date(int(v), 1, 1, 0, 0, 0, 0, time.UTC)
		end = begin.AddDate(1, 0, 0)
	case time.Time:
		if !truncates[x.Op.ID] || l.T.Kind != predicate.KindDate && l.T.Kind != predicate.KindDateTime || v.Year() < 1 || v.Year() > 9998 {
			return tested{}, false
		}
		if begin, end, ok = partFrom(x.Part, v); !ok {
			return tested{}, false
		}
	default:
		return tested{}, false
	}
	return tested{column: c, op: inRange, low: interval.Moment(begin), high: interval.Moment(end), loose: true}, true
}

// truncates are the operations that return the start of a part.
var truncates = map[string]bool{"date_trunc_date": true, "date_trunc_datetime": true}

// partFrom returns the part that starts at a time; false if there is none.
func partFrom(part predicate.Part, at time.Time) (begin, end time.Time, ok bool) {
	y, m, d := at.Date()
	switch part {
	case predicate.PartYear:
		begin, end = time.Date(y, 1, 1, 0, 0, 0, 0, time.UTC), time.Date(y+1, 1, 1, 0, 0, 0, 0, time.UTC)
	case predicate.PartMonth:
		begin, end = time.Date(y, m, 1, 0, 0, 0, 0, time.UTC), time.Date(y, m+1, 1, 0, 0, 0, 0, time.UTC)
	case predicate.PartDay:
		begin, end = time.Date(y, m, d, 0, 0, 0, 0, time.UTC), time.Date(y, m, d+1, 0, 0, 0, 0, time.UTC)
	}
	return begin, end, !begin.IsZero() && begin.Equal(at)
}
