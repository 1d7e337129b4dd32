package googlesql

import (
	"fmt"
	"maps"
	"strings"

	"github.com/agnes-data/da/internal/growth"
	"github.com/agnes-data/da/statement"
)

// meter bounds what a proven statement may become: BigQuery puts queries into
// one another before it tells what a job would read.
type meter struct {
	sql   string
	at    int
	err   error
	text  int64 // bytes of the long texts that are made for one row
	steps int
}

// maxSteps bounds the measuring itself, which goes through some parts twice.
const maxSteps = 1_000_000

// within is where something stands: the queries that WITH has defined, and the
// columns around it.
type within struct {
	with  map[string]*growth.Relation
	scope *growth.Scope
}

func (p within) in(r *growth.Relation) within {
	p.scope = &growth.Scope{From: r, Outer: p.scope}
	return p
}

// plan holds a relation to the limits.
func (m *meter) plan(r *growth.Relation) *growth.Relation {
	if m.err == nil && (r.Nodes > growth.MaxNodes || r.Width > growth.MaxWidth) {
		m.err = statement.RefuseAt(m.sql, m.at, statement.TooLong, "the statement becomes too large with each name replaced by its definition",
			"Name what is used several times in fewer steps, each once; or fetch an intermediate result and query that.")
	}
	return r
}

// made counts a text that is made for each row.
func (m *meter) made(s growth.Size) {
	if s.Text <= growth.SmallText {
		return
	}
	if m.text = growth.Sum(m.text, s.Text); m.err == nil && m.text > growth.MaxText {
		m.err = statement.RefuseAt(m.sql, m.at, statement.Unsupported, fmt.Sprintf("the texts made here for one row may take more than %d MiB", growth.MaxText>>20),
			"Nest fewer functions that make texts longer, and give lengths as numbers; or fetch the rows and do this in a local query.")
	}
}

// query bounds a query.
func (m *meter) query(q *query, p within) *growth.Relation {
	if m.steps++; m.steps > maxSteps {
		m.plan(&growth.Relation{Nodes: growth.Unbounded})
	}
	if q == nil || m.err != nil {
		return &growth.Relation{}
	}
	m.at = q.at
	if len(q.with) > 0 {
		p.with = maps.Clone(p.with)
	}
	for _, c := range q.with {
		if q.recursive && len(c.as.sides) == 2 {
			p.with[c.name] = m.recursive(c, p).Renamed("", nil)
		} else {
			p.with[c.name] = m.query(c.as, p).Renamed("", nil)
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
	return m.ordered(q, r, p.in(r))
}

// recursive bounds a query that reads itself. Its texts have no bound if each
// round makes them longer by a factor.
func (m *meter) recursive(c cte, p within) *growth.Relation {
	p.with = maps.Clone(p.with)
	p.with[c.name] = growth.Table()
	left := m.query(c.as.sides[0], p)
	round := func(text int64) *growth.Relation {
		p.with[c.name] = left.Round(text, nil)
		return m.query(c.as.sides[1], p)
	}
	once, twice := round(growth.ColumnText), round(2*growth.ColumnText)
	r := left.Union(once)
	if twice.Any.Text-once.Any.Text > growth.ColumnText {
		r.Define("", growth.Size{Nodes: 1, Text: growth.Unbounded})
		m.made(growth.Size{Text: growth.Unbounded})
	}
	return m.ordered(c.as, r, p.in(r))
}

// ordered adds the clauses after a query.
func (m *meter) ordered(q *query, r *growth.Relation, p within) *growth.Relation {
	rest := m.all(q.rest, p)
	m.made(rest)
	r.Nodes = growth.Sum(r.Nodes, rest.Nodes)
	return m.plan(r)
}

func (m *meter) selects(q *query, p within) *growth.Relation {
	s := q.selects
	from := &growth.Relation{}
	if s.from != nil {
		from = m.relation(s.from, p)
	}
	r := &growth.Relation{Nodes: growth.Sum(1, from.Nodes)}
	inner := p.in(from)
	for _, i := range s.items {
		m.item(r, i, from, inner)
	}
	// Conditions and orders see the result's names, too.
	both := &growth.Relation{}
	both.Join(from)
	both.Add(r)
	seen := p.in(both)
	rest := m.all(s.rest, seen)
	m.made(rest)
	groups := m.all(s.groups, seen)
	r.Nodes = growth.Sum(r.Nodes, growth.Sum(rest.Nodes, growth.Product(growth.Sum(groups.Nodes, 1), max(s.sets, 1))))
	if s.row {
		row := &growth.Relation{Nodes: r.Nodes}
		row.Define("", r.All)
		r = row
	}
	return m.ordered(q, r, seen)
}

// item adds a column of a SELECT, or those of a star.
func (m *meter) item(r *growth.Relation, i item, from *growth.Relation, p within) {
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
			m.made(size)
		}
		r.Define(i.alias, size)
		r.Nodes = growth.Sum(r.Nodes, size.Nodes)
	}
	m.plan(r)
}

// relation bounds one item of a FROM.
func (m *meter) relation(r *relation, p within) *growth.Relation {
	m.at = r.at
	out := &growth.Relation{}
	switch {
	case r.name != "":
		if out = p.with[r.name]; out == nil {
			out = growth.Table()
		}
	case r.query != nil:
		out = m.query(r.query, p)
	case len(r.of) > 0:
		size := m.rows(r.of, p)
		m.made(size)
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
		return m.plan(out)
	}
	return m.plan(out.Renamed(r.alias, nil))
}

// parts adds what is joined, and what PIVOT makes of it.
func (m *meter) parts(out *growth.Relation, r *relation, p within) {
	for _, part := range r.parts {
		item := m.relation(part, p.in(out))
		out.Join(item)
		out.Nodes = growth.Sum(out.Nodes, item.Nodes)
		m.plan(out)
	}
	joined := m.all(r.joined, p.in(out))
	m.made(joined)
	out.Nodes = growth.Sum(out.Nodes, joined.Nodes)
	for _, e := range r.made {
		size := m.expr(e, p.in(out))
		m.made(size)
		out.Define("", size)
		out.Nodes = growth.Sum(out.Nodes, size.Nodes)
		m.plan(out)
	}
}

// rows bounds arrays whose elements become rows: those of a series come one by
// one.
func (m *meter) rows(of []*expr, p within) growth.Size {
	s := growth.Size{}
	for _, e := range of {
		if e.kind == call && strings.HasPrefix(e.text, "generate_") {
			s = s.Plus(m.all(e.parts, p))
		} else {
			s = s.Plus(m.expr(e, p))
		}
	}
	return s
}
