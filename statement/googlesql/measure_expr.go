package googlesql

import "github.com/agnes-data/da/internal/guard/growth"

// expr bounds an expression.
func (m *meter) expr(e *expr, p growth.Place) growth.Size {
	m.Step()
	if e == nil || m.First != nil {
		return growth.Size{}
	}
	switch e.kind {
	case literal:
		return growth.Size{Nodes: 1, Text: max(growth.ValueText, int64(len(e.text)))}
	case column:
		if len(e.path) > 1 {
			return p.Scope.FindIn(e.path[0], e.path[1])
		}
		return p.Scope.Find(e.path[0])
	case call:
		return m.call(e, p)
	case subquery:
		r := m.query(e.sub, p)
		return growth.Size{Nodes: growth.Sum(r.Nodes, 1), Text: r.All.Text}
	case branches:
		s := growth.Size{Nodes: 1}
		for _, part := range e.parts {
			size := m.expr(part, p)
			s = growth.Size{Nodes: growth.Sum(s.Nodes, size.Nodes), Text: max(s.Text, size.Text)}
		}
		return s
	}
	s := m.sumAll(e.parts, p)
	if s.Nodes = growth.Sum(s.Nodes, 1); e.stays && !e.grown {
		s.Text = growth.ValueText
	}
	return s
}

func (m *meter) sumAll(list []*expr, p growth.Place) growth.Size {
	s := growth.Size{}
	for _, e := range list {
		s = s.Plus(m.expr(e, p))
	}
	return s
}

// call measures a call, and counts a text that it builds.
func (m *meter) call(e *expr, p growth.Place) growth.Size {
	args := make([]growth.Arg, len(e.parts))
	for i, part := range e.parts {
		args[i] = growth.Arg{Size: m.expr(part, p), Literal: part.kind == literal, Written: part.text}
	}
	s := growth.Call(e.text, args)
	if m.At = e.at; s.Text > growth.MaxText {
		m.Made(s)
	}
	return s
}
