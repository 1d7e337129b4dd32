package postgres

import (
	"fmt"
	"strings"

	pg "github.com/pganalyze/pg_query_go/v6"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/agnes-data/da/internal/guard/growth"
	"github.com/agnes-data/da/statement"
)

// meter limits the size that a proven statement can grow to. The planner inlines
// queries into each other; it cannot be cancelled and has no memory limit. And
// texts of any length are built in the server's memory.
type meter struct {
	statement.Meter
	windows map[string]bool // of the SELECT that is measured, each once
}

// tableNodes is how many parts of a plan one read of a table counts for. A
// statement may read at most 250 tables with each name replaced by its definition:
// the planner's time and memory grow faster than the number of tables it joins.
const tableNodes = growth.MaxNodes / 250

// maxSteps bounds the measuring.
const maxSteps = 1_000_000

// query bounds a SELECT.
func (m *meter) query(s *pg.SelectStmt, p growth.Place) *growth.Relation {
	if s == nil {
		return &growth.Relation{}
	}
	recursive := s.GetWithClause().GetRecursive()
	for _, n := range s.GetWithClause().GetCtes() {
		c := n.GetCommonTableExpr()
		query := c.GetCtequery().GetSelectStmt()
		columns := texts(c.Aliascolnames)
		var r *growth.Relation
		if recursive && query.GetRarg() != nil {
			r = m.recursive(c.Ctename, query, columns, p)
		} else {
			r = m.query(query, p)
		}
		p.With[c.Ctename] = r.Renamed("", columns)
	}
	if s.Larg != nil {
		left := m.query(s.Larg, p)
		r := left.Union(m.query(s.Rarg, p))
		return m.ordered(s, r, p.In(r))
	}
	return m.selects(s, p)
}

// recursive measures a query that reads itself. Its texts have no bound if each
// round multiplies their length.
func (m *meter) recursive(name string, s *pg.SelectStmt, columns []string, p growth.Place) *growth.Relation {
	p.With[name] = growth.Table()
	left := m.query(s.Larg, p)
	round := func(text int64) *growth.Relation {
		p.With[name] = left.Round(text, columns)
		return m.query(s.Rarg, p)
	}
	once, twice := round(growth.ColumnText), round(2*growth.ColumnText)
	r := left.Union(once)
	if twice.Any.Text-once.Any.Text > growth.ColumnText {
		r.Define("", growth.Size{Nodes: 1, Text: growth.Unbounded})
		m.Made(growth.Size{Text: growth.Unbounded})
	}
	return m.ordered(s, r, p.In(r))
}

// ordered adds the clauses after a query.
func (m *meter) ordered(s *pg.SelectStmt, r *growth.Relation, p growth.Place) *growth.Relation {
	rest := m.sumAll(s.SortClause, p).Plus(m.expr(s.LimitCount, p)).Plus(m.expr(s.LimitOffset, p))
	m.Made(rest)
	r.Nodes = growth.Sum(r.Nodes, rest.Nodes)
	return m.Plan(r)
}

func (m *meter) selects(s *pg.SelectStmt, p growth.Place) *growth.Relation {
	outer := m.windows
	m.windows = map[string]bool{}
	defer func() { m.windows = outer }()
	from := m.from(s.FromClause, p)
	r := &growth.Relation{Nodes: growth.Sum(1, from.Nodes)}
	inner := p.In(from)
	for _, n := range s.TargetList {
		target := n.GetResTarget()
		fields := target.GetVal().GetColumnRef().GetFields()
		if last := len(fields) - 1; last >= 0 && fields[last].GetAStar() != nil {
			r.Add(from)
			r.Nodes = growth.Sum(r.Nodes, from.All.Nodes)
			m.Plan(r)
			continue
		}
		size := m.expr(target.GetVal(), inner)
		name := target.GetName()
		if len(fields) > 0 && name == "" {
			name = fields[len(fields)-1].GetString_().GetSval()
		} else if len(fields) == 0 {
			m.Made(size)
		}
		r.Define(lower(name), size)
		r.Nodes = growth.Sum(r.Nodes, size.Nodes)
		m.Plan(r)
	}
	for i, row := range s.ValuesLists {
		values := m.expr(row, inner)
		m.Made(values)
		r.Nodes = growth.Sum(r.Nodes, values.Nodes)
		if i == 0 {
			for range row.GetList().GetItems() {
				r.Define("", values)
			}
		}
	}
	rest := m.expr(s.WhereClause, inner).Plus(m.expr(s.HavingClause, inner)).Plus(m.sumAll(s.WindowClause,
		inner)).Plus(m.sumAll(s.DistinctClause, inner))
	m.Made(rest)
	groups := m.sumAll(s.GroupClause, inner)
	r.Nodes = growth.Sum(r.Nodes, growth.Sum(rest.Nodes, growth.Product(groups.Nodes, sets(s.GroupClause))))
	// ORDER BY sees the result's names, too.
	both := &growth.Relation{}
	both.Join(from)
	both.Add(r)
	before := r.Nodes
	r = m.ordered(s, r, p.In(both))
	// The plan has a step for each window, and every step carries all that the SELECT
	// and its ORDER BY compute.
	computed := growth.Sum(growth.Sum(r.All.Nodes, rest.Nodes), r.Nodes-before)
	r.Nodes = growth.Sum(r.Nodes, growth.Product(int64(len(m.windows)), computed))
	return m.Plan(r)
}

// sets is how many sets of rows a GROUP BY makes.
func sets(groups []*pg.Node) int64 {
	product := int64(1)
	for _, n := range groups {
		g := n.GetGroupingSet()
		count := int64(1)
		switch {
		case g == nil:
		case g.Kind == pg.GroupingSetKind_GROUPING_SET_ROLLUP:
			count = int64(len(g.Content)) + 1
		case g.Kind == pg.GroupingSetKind_GROUPING_SET_CUBE:
			for range g.Content {
				count = growth.Product(count, 2)
			}
		case g.Kind == pg.GroupingSetKind_GROUPING_SET_SETS:
			count = 0
			for _, c := range g.Content {
				count = growth.Sum(count, sets([]*pg.Node{c}))
			}
		}
		product = growth.Product(product, count)
	}
	return product
}

// from bounds all items of a FROM together.
func (m *meter) from(items []*pg.Node, p growth.Place) *growth.Relation {
	r := &growth.Relation{}
	for _, n := range items {
		item := m.item(n, p.In(r))
		r.Join(item)
		r.Nodes = growth.Sum(r.Nodes, item.Nodes)
	}
	return m.Plan(r)
}

func (m *meter) item(n *pg.Node, p growth.Place) *growth.Relation {
	alias := aliasOf(n)
	name, columns := lower(alias.GetAliasname()), texts(alias.GetColnames())
	r := &growth.Relation{}
	switch {
	case n.GetRangeVar() != nil:
		table := n.GetRangeVar()
		m.see(table.Location)
		if r = p.With[table.Relname]; r == nil {
			r = growth.Table()
			r.Nodes = tableNodes
		}
		if name == "" {
			name = lower(table.Relname)
		}
	case n.GetRangeSubselect() != nil:
		r = m.query(n.GetRangeSubselect().Subquery.GetSelectStmt(), p)
	case n.GetJoinExpr() != nil:
		j := n.GetJoinExpr()
		left := m.item(j.Larg, p)
		right := m.item(j.Rarg, p.In(left))
		r.Join(left)
		r.Join(right)
		r.Nodes = growth.Sum(growth.Sum(left.Nodes, right.Nodes), growth.Sum(1, m.expr(j.Quals, p.In(r)).Nodes))
	case n.GetRangeFunction() != nil:
		s := growth.Size{}
		for _, f := range n.GetRangeFunction().Functions {
			for _, item := range f.GetList().GetItems() {
				// Its rows come one by one.
				s = s.Plus(m.sumAll(item.GetFuncCall().GetArgs(), p))
			}
		}
		m.Made(s)
		r.Nodes = growth.Sum(s.Nodes, 1)
		r.Define("", growth.Size{Nodes: 1, Text: max(growth.ColumnText, s.Text)})
	}
	if name == "" && len(columns) == 0 {
		return m.Plan(r)
	}
	return m.Plan(r.Renamed(name, columns))
}

func (m *meter) see(at int32) {
	if at > 0 {
		m.At = int(at)
	}
}

func texts(nodes []*pg.Node) []string {
	var out []string
	for _, n := range nodes {
		out = append(out, lower(n.GetString_().GetSval()))
	}
	return out
}

// expr bounds an expression.
func (m *meter) expr(n *pg.Node, p growth.Place) growth.Size {
	if n == nil || n.Node == nil || m.First != nil {
		return growth.Size{}
	}
	m.Step()
	switch {
	case n.GetAConst() != nil:
		return growth.Size{Nodes: 1, Text: max(growth.ValueText, int64(len(written(n))))}
	case n.GetColumnRef() != nil:
		return m.column(n.GetColumnRef(), p.Scope)
	case n.GetSubLink() != nil:
		r := m.query(n.GetSubLink().Subselect.GetSelectStmt(), p)
		s := growth.Size{Nodes: growth.Sum(r.Nodes, 1), Text: r.All.Text}
		return s.Plus(growth.Size{Nodes: m.expr(n.GetSubLink().Testexpr, p).Nodes})
	case n.GetSelectStmt() != nil:
		r := m.query(n.GetSelectStmt(), p)
		return growth.Size{Nodes: r.Nodes, Text: r.All.Text}
	case n.GetFuncCall() != nil:
		f := n.GetFuncCall()
		m.see(f.Location)
		rest := m.sumAll(f.AggOrder, p).Plus(m.expr(f.AggFilter, p))
		s := m.call(last(f.Funcname), f.Args, p)
		if f.Over != nil {
			m.windows[shape(f.Over.ProtoReflect())] = true
			rest = rest.Plus(m.below(f.Over.ProtoReflect(), p))
		}
		return growth.Size{Nodes: growth.Sum(s.Nodes, rest.Nodes), Text: s.Text}
	case n.GetAExpr() != nil:
		e := n.GetAExpr()
		m.see(e.Location)
		if e.Kind != pg.A_Expr_Kind_AEXPR_OP {
			return growth.Size{Nodes: growth.Sum(1, m.below(e.ProtoReflect(), p).Nodes), Text: growth.ValueText}
		}
		return m.call(last(e.Name), []*pg.Node{e.Lexpr, e.Rexpr}, p)
	case n.GetBoolExpr() != nil, n.GetNullTest() != nil, n.GetBooleanTest() != nil:
		return growth.Size{Nodes: growth.Sum(1, m.below(n.ProtoReflect(), p).Nodes), Text: growth.ValueText}
	case n.GetCaseExpr() != nil:
		return m.branches(n.GetCaseExpr(), p)
	case n.GetTypeCast() != nil:
		s := m.expr(n.GetTypeCast().Arg, p)
		m.see(n.GetTypeCast().Location)
		if name := last(n.GetTypeCast().TypeName.GetNames()); name == "text" || strings.HasPrefix(name, "json") || name == "varchar" ||
			name == "bpchar" {
			s.Text = growth.Product(s.Text, 2) // texts in arrays and rows are quoted
			for _, mod := range n.GetTypeCast().TypeName.GetTypmods() {
				if name == "bpchar" { // is filled with blanks
					s.Text = max(s.Text, int64(mod.GetAConst().GetIval().GetIval()))
				}
			}
		}
		return growth.Size{Nodes: growth.Sum(s.Nodes, 1), Text: s.Text}
	}
	s := m.below(n.ProtoReflect(), p)
	return growth.Size{Nodes: growth.Sum(s.Nodes, 1), Text: s.Text}
}

// column measures a column reference with its qualifiers.
func (m *meter) column(c *pg.ColumnRef, scope *growth.Scope) growth.Size {
	m.see(c.Location)
	var parts []string
	for _, f := range c.Fields {
		if f.GetAStar() != nil { // of count(t.*) and the like
			s := growth.Column
			for ; scope != nil; scope = scope.Outer {
				s = s.Max(scope.From.All)
			}
			return s
		}
		parts = append(parts, lower(f.GetString_().GetSval()))
	}
	if len(parts) == 1 {
		return scope.Find(parts[0])
	}
	return scope.FindIn(parts[0], parts[1])
}

func (m *meter) branches(c *pg.CaseExpr, p growth.Place) growth.Size {
	s := m.expr(c.Defresult, p)
	s.Nodes = growth.Sum(s.Nodes, growth.Sum(1, m.expr(c.Arg, p).Nodes))
	for _, n := range c.Args {
		when, then := m.expr(n.GetCaseWhen().GetExpr(), p), m.expr(n.GetCaseWhen().GetResult(), p)
		s = growth.Size{Nodes: growth.Sum(s.Nodes, growth.Sum(when.Nodes, then.Nodes)), Text: max(s.Text, then.Text)}
	}
	return s
}

func (m *meter) call(function string, nodes []*pg.Node, p growth.Place) growth.Size {
	at := m.At
	var args []growth.Arg
	for _, n := range nodes {
		if n == nil {
			continue
		}
		a := growth.Arg{Size: m.expr(n, p)}
		if n.GetAConst() != nil {
			a.Literal, a.Written = true, written(n)
		}
		args = append(args, a)
	}
	s := growth.Call(function, args)
	if m.At = at; s.Text > growth.MaxText {
		m.Made(s)
	}
	return s
}

func (m *meter) sumAll(nodes []*pg.Node, p growth.Place) growth.Size {
	s := growth.Size{}
	for _, n := range nodes {
		s = s.Plus(m.expr(n, p))
	}
	return s
}

// below adds up the nodes below a node.
func (m *meter) below(msg protoreflect.Message, p growth.Place) growth.Size {
	s := growth.Size{}
	for child := range children(msg) {
		if n, ok := child.Interface().(*pg.Node); ok {
			s = s.Plus(m.expr(n, p))
		} else {
			s = s.Plus(m.below(child, p))
		}
	}
	return s
}

// written returns the text of a constant.
func written(n *pg.Node) string {
	c := n.GetAConst()
	switch {
	case c.GetSval() != nil:
		return c.GetSval().Sval
	case c.GetFval() != nil:
		return c.GetFval().Fval
	case c.GetIval() != nil:
		return fmt.Sprint(c.GetIval().Ival)
	case c.GetBsval() != nil:
		return c.GetBsval().Bsval
	}
	return ""
}
