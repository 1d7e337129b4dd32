package print

import (
	"slices"

	"github.com/agnes-data/da/predicate"
)

func (p *printer) in(e *predicate.In) {
	if e.As != "" && e.As != p.t.Name {
		for _, item := range e.List {
			p.bridge(e.As, e.X, item)
		}
	}
	if p.d.plainLists && !plainList(e) {
		p.compared(e)
		return
	}
	p.expr(e.X, rankOperand)
	p.b.WriteString(notWord(e.Negated))
	p.b.WriteString(" IN (")
	for i, item := range e.List {
		if i > 0 {
			p.b.WriteString(", ")
		}
		p.expr(item, rankOr)
	}
	p.b.WriteByte(')')
}

// plainList reports whether a list has only whole numbers or only texts.
func plainList(e *predicate.In) bool {
	kind := e.X.Type().Kind
	return (kind == predicate.KindInt || kind == predicate.KindString) && !slices.ContainsFunc(e.List, func(item predicate.Expr) bool {
		l, ok := item.(*predicate.Literal)
		return !ok || l.Value == nil || l.T.Kind != kind
	})
}

// compared prints IN as a comparison with each item.
func (p *printer) compared(e *predicate.In) {
	if !predicate.Repeatable([]predicate.Expr{e.X}) {
		p.refuse("IN with such a list, of a computed value")
		return
	}
	any := &predicate.Logic{Op: predicate.OpOr}
	for _, item := range e.List {
		any.Terms = append(any.Terms, &predicate.Compare{Op: predicate.Eq, Left: e.X, Right: item})
	}
	if e.Negated {
		p.b.WriteString("NOT ")
	}
	p.b.WriteByte('(')
	p.expr(any, rankOr)
	p.b.WriteByte(')')
}

// truth prints x IS TRUE, and the like, as a function.
func (p *printer) truth(e *predicate.IsTruth) {
	p.b.WriteString(map[bool]string{true: "(NOT coalesce(", false: "(coalesce("}[e.Negated])
	x := e.X
	if !e.Value {
		x = &predicate.Not{X: x}
	}
	p.expr(x, rankOr)
	p.b.WriteString(", FALSE))")
}
