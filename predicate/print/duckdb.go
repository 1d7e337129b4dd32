package print

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/agnes-data/da/predicate"
)

// duckDB is how DuckDB is written.
var duckDB = &dialect{
	rewrite: alternatives, comparison: (*printer).truncated, nanGuard: " AND NOT isnan($1)",
	element: duckDBElement, pattern: duckDBPattern,
	text: quotedText, bytes: duckDBBytes, float: exponentFloat, decimal: pointDecimal, bigIntegers: true, uuids: true,
	datetimeWord: "TIMESTAMP", timestampWord: "TIMESTAMPTZ", timestampZone: "+00", nanosecondWord: "TIMESTAMP_NS", interval: textInterval,
}

// truncated prints date_trunc(part, x) = c and <> as IN and NOT IN, unless c is
// known to be the start of a part. Otherwise DuckDB 1.5 simplifies the comparison
// to a constant and forgets that x may be NULL: date_trunc('month', d) <> DATE
// '2026-01-15' would return rows without a date.
func (p *printer) truncated(e *predicate.Compare) bool {
	if e.Op != predicate.Eq && e.Op != predicate.Ne {
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
	if lit, ok := r.(*predicate.Literal); ok && startsPart(lit.Value, call.Part) || len(predicate.Columns(r)) > 0 {
		return false
	}
	p.expr(l, rankOperand)
	p.b.WriteString(notWord(e.Op == predicate.Ne) + " IN (")
	p.expr(r, rankOr)
	p.b.WriteByte(')')
	return true
}

func truncCall(e predicate.Expr) (*predicate.Call, bool) {
	c, ok := e.(*predicate.Call)
	return c, ok && strings.HasPrefix(c.Op.ID, "date_trunc")
}

// startsPart reports whether a moment is the start of a part.
func startsPart(v any, part predicate.Part) bool {
	t, ok := v.(time.Time)
	if !ok {
		return false
	}
	midnight := t.Hour() == 0 && t.Minute() == 0 && t.Second() == 0 && t.Nanosecond() == 0
	first := midnight && t.Day() == 1
	switch part {
	case predicate.PartMicrosecond:
		return t.Nanosecond()%1000 == 0
	case predicate.PartMillisecond:
		return t.Nanosecond()%1e6 == 0
	case predicate.PartSecond:
		return t.Nanosecond() == 0
	case predicate.PartMinute:
		return t.Second() == 0 && t.Nanosecond() == 0
	case predicate.PartHour:
		return t.Minute() == 0 && t.Second() == 0 && t.Nanosecond() == 0
	case predicate.PartDay:
		return midnight
	case predicate.PartWeek:
		return midnight && t.Weekday() == time.Monday
	case predicate.PartMonth:
		return first
	case predicate.PartQuarter:
		return first && t.Month()%3 == 1
	case predicate.PartYear:
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
func alternatives(e predicate.Expr) predicate.Expr {
	l, ok := e.(*predicate.Logic)
	if !ok {
		return e
	}
	if l.Op == predicate.OpAnd {
		out := l
		for i, t := range l.Terms {
			u := alternatives(t)
			if u == t {
				continue
			}
			if out == l {
				out = &predicate.Logic{Op: predicate.OpAnd, Terms: slices.Clone(l.Terms)}
			}
			out.Terms[i] = u
		}
		return out
	}
	joined := func(t predicate.Expr) bool { _, ok := t.(*predicate.Logic); return ok }
	if len(l.Terms) > longChain && slices.ContainsFunc(l.Terms, joined) {
		return &predicate.IsTruth{X: l, Value: true}
	}
	return e
}

func duckDBBytes(b *strings.Builder, v []byte) {
	b.WriteString("CAST('")
	for _, c := range v {
		fmt.Fprintf(b, `\x%02X`, c)
	}
	b.WriteString("' AS BLOB)")
}

func duckDBElement(b *strings.Builder, s predicate.Step) bool {
	switch {
	case s.Mode == predicate.SafeOffset && s.Index >= 0:
		fmt.Fprintf(b, "[%d]", s.Index+1)
	case s.Mode == predicate.OneBased:
		fmt.Fprintf(b, "[%d]", s.Index)
	default:
		return false
	}
	return true
}

// duckDBPattern adds an ESCAPE clause if a pattern needs one, because DuckDB has
// no default escape.
func duckDBPattern(p *printer, e *predicate.Like, pattern predicate.Expr) {
	text, written := writtenPattern(pattern)
	escape, named := e.Escape, e.Escape != 0
	if written {
		escape = '\\'
		text, named = escapedPattern(text, e.Escape, escape)
		p.text(text)
	} else {
		p.expr(pattern, rankOperand)
	}
	if named {
		p.escapeClause(escape)
	}
}
