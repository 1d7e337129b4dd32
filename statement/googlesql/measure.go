package googlesql

import (
	"maps"
	"strings"

	"github.com/agnes-data/da/internal/guard/growth"
	"github.com/agnes-data/da/statement"
)

// meter limits the size that a proven statement can grow to: BigQuery inlines
// queries into each other before it reports what a job would read.
type meter struct{ statement.Meter }

// maxSteps bounds the measuring.
const maxSteps = 1_000_000

// query bounds a query.
func (m *meter) query(q *query, p growth.Place) *growth.Relation {
	m.Step()
	if q == nil || m.First != nil {
		return &growth.Relation{}
	}
	m.At = q.at
	if len(q.with) > 0 {
		p.With = maps.Clone(p.With)
	}
	for _, c := range q.with {
		if q.recursive && len(c.as.sides) == 2 {
			p.With[c.name] = m.recursive(c, p).Renamed("", nil)
		} else {
			p.With[c.name] = m.query(c.as, p).Renamed("", nil)
		}
	}
	if q.selects != nil {
		return m.selects(q, p)
	}
	r := &growth.Relation{}
	for i, side := range q.sides {
		if next := m.query(side, p); i == 0 {
			r = next
		} else {
			r = r.Union(next)
		}
	}
	return m.ordered(q, r, p.In(r))
}

// recursive measures a query that reads itself. Its texts have no bound if each
// round multiplies their length.
func (m *meter) recursive(c cte, p growth.Place) *growth.Relation {
	p.With = maps.Clone(p.With)
	p.With[c.name] = growth.Table()
	left := m.query(c.as.sides[0], p)
	round := func(text int64) *growth.Relation {
		p.With[c.name] = left.Round(text, nil)
		return m.query(c.as.sides[1], p)
	}
	once, twice := round(growth.ColumnText), round(2*growth.ColumnText)
	r := left.Union(once)
	if twice.Any.Text-once.Any.Text > growth.ColumnText {
		r.Define("", growth.Size{Nodes: 1, Text: growth.Unbounded})
		m.Made(growth.Size{Text: growth.Unbounded})
	}
	return m.ordered(c.as, r, p.In(r))
}

// ordered adds the clauses after a query.
func (m *meter) ordered(q *query, r *growth.Relation, p growth.Place) *growth.Relation {
	rest := m.sumAll(q.rest, p)
	m.Made(rest)
	r.Nodes = growth.Sum(r.Nodes, rest.Nodes)
	return m.Plan(r)
}

func (m *meter) selects(q *query, p growth.Place) *growth.Relation {
	s := q.selects
	from := &growth.Relation{}
	if s.from != nil {
		from = m.relation(s.from, p)
	}
	r := &growth.Relation{Nodes: growth.Sum(1, from.Nodes)}
	inner := p.In(from)
	for _, i := range s.items {
		m.item(r, i, from, inner)
	}
	// Conditions and orders see the result's names, too.
	both := &growth.Relation{}
	both.Join(from)
	both.Add(r)
	seen := p.In(both)
	rest := m.sumAll(s.rest, seen)
	m.Made(rest)
	groups := m.sumAll(s.groups, seen)
	r.Nodes = growth.Sum(r.Nodes, growth.Sum(rest.Nodes, growth.Product(growth.Sum(groups.Nodes, 1), max(s.sets, 1))))
	if s.row {
		row := &growth.Relation{Nodes: r.Nodes}
		row.Define("", r.All)
		r = row
	}
	return m.ordered(q, r, seen)
}

// item adds a column of a SELECT, or those of a star.
func (m *meter) item(r *growth.Relation, i item, from *growth.Relation, p growth.Place) {
	switch {
	case i.star && (i.value == nil || i.value.kind == column):
		r.Add(from)
		r.Nodes = growth.Sum(r.Nodes, from.All.Nodes)
	case i.star: // the fields of a value
		size := m.expr(i.value, p)
		r.Define("", size)
		r.Nodes = growth.Sum(r.Nodes, size.Nodes)
	default:
		size := m.expr(i.value, p)
		if i.value.kind != column {
			m.Made(size)
		}
		r.Define(i.alias, size)
		r.Nodes = growth.Sum(r.Nodes, size.Nodes)
	}
	m.Plan(r)
}

// relation bounds one item of a FROM.
func (m *meter) relation(r *relation, p growth.Place) *growth.Relation {
	m.At = r.at
	out := &growth.Relation{}
	switch {
	case r.name != "":
		if out = p.With[r.name]; out == nil {
			out = growth.Table()
		}
	case r.query != nil:
		out = m.query(r.query, p)
	case len(r.of) > 0:
		size := m.rows(r.of, p)
		m.Made(size)
		out.Nodes = growth.Sum(size.Nodes, 1)
		out.Define("", growth.Size{Nodes: 1, Text: max(growth.ColumnText, size.Text)})
	default:
		m.parts(out, r, p)
	}
	if len(r.columns) > 0 {
		wider := &growth.Relation{Nodes: out.Nodes}
		wider.Join(out)
		for _, name := range r.columns {
			wider.Define(name, growth.Column)
		}
		out = wider
	}
	if r.alias == "" {
		return m.Plan(out)
	}
	return m.Plan(out.Renamed(r.alias, nil))
}

// parts adds what is joined, and what PIVOT does with it.
func (m *meter) parts(out *growth.Relation, r *relation, p growth.Place) {
	for _, part := range r.parts {
		item := m.relation(part, p.In(out))
		out.Join(item)
		out.Nodes = growth.Sum(out.Nodes, item.Nodes)
		m.Plan(out)
	}
	joined := m.sumAll(r.joined, p.In(out))
	m.Made(joined)
	out.Nodes = growth.Sum(out.Nodes, joined.Nodes)
	for _, e := range r.made {
		size := m.expr(e, p.In(out))
		m.Made(size)
		out.Define("", size)
		out.Nodes = growth.Sum(out.Nodes, size.Nodes)
		m.Plan(out)
	}
}

// rows bounds arrays whose elements become rows: those of a series come one by
// one.
func (m *meter) rows(of []*expr, p growth.Place) growth.Size {
	s := growth.Size{}
	for _, e := range of {
		if e.kind == call && strings.HasPrefix(e.text, "generate_") {
			s = s.Plus(m.sumAll(e.parts, p))
		} else {
			s = s.Plus(m.expr(e, p))
		}
	}
	return s
}
