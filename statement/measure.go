package statement

import (
	"github.com/agnes-data/da/internal/guard/growth"
)

// meter limits the size that a proven statement can grow to: the planner expands
// names, and it can be neither interrupted nor limited in memory.
type meter struct{ Meter }

// defined is the list of the queries that WITH has named so far.
type defined struct {
	name  string
	query *growth.Relation
	outer *defined
}

func (d *defined) find(name string) *growth.Relation {
	for ; d != nil; d = d.outer {
		if d.name == name {
			return d.query
		}
	}
	return nil
}

// exprScope is where an expression or a table is.
type exprScope struct {
	with  *defined
	scope *growth.Scope
}

func (p exprScope) in(r *growth.Relation) exprScope {
	p.scope = &growth.Scope{From: r, Outer: p.scope}
	return p
}

// see notes where a node is.
func (m *meter) see(node map[string]any) {
	if at, ok := node["query_location"].(float64); ok {
		m.At = int(at)
	}
}

// query bounds a query node.
func (m *meter) query(node map[string]any, p exprScope) *growth.Relation {
	for _, item := range list(child(node, "cte_map")["map"]) {
		entry := child(item, "")
		value := child(entry, "value")
		r := m.query(child(child(value, "query"), "node"), p)
		p.with = &defined{lower(name(entry, "key")), r.Renamed("", texts(value["aliases"])), p.with}
	}
	switch name(node, "type") {
	case "SET_OPERATION_NODE":
		return m.union(node, p)
	case "RECURSIVE_CTE_NODE":
		return m.recursive(node, p)
	}
	return m.selects(node, p)
}

func (m *meter) union(node map[string]any, p exprScope) *growth.Relation {
	var all *growth.Relation
	for _, part := range append([]any{node["left"], node["right"]}, list(node["children"])...) {
		if part == nil {
			continue
		}
		r := m.query(child(part, ""), p)
		if all == nil {
			all = r
		} else {
			all = all.Union(r)
		}
	}
	if all == nil {
		all = &growth.Relation{}
	}
	all.Nodes = growth.Sum(all.Nodes, m.sumAll(node["modifiers"], p.in(all)).Nodes)
	return m.Plan(all)
}

// recursive measures a query that reads itself. Its texts have no bound if each
// round multiplies their length.
func (m *meter) recursive(node map[string]any, p exprScope) *growth.Relation {
	left := m.query(child(node, "left"), p)
	columns := texts(node["aliases"])
	round := func(text int64) *growth.Relation {
		p := p
		p.with = &defined{lower(name(node, "cte_name")), left.Round(text, columns), p.with}
		return m.query(child(node, "right"), p)
	}
	once, twice := round(growth.ColumnText), round(2*growth.ColumnText)
	r := left.Union(once)
	if twice.Any.Text-once.Any.Text > growth.ColumnText {
		r.Define("", growth.Size{Nodes: 1, Text: growth.Unbounded})
		m.Made(growth.Size{Text: growth.Unbounded})
	}
	return m.Plan(r)
}

// selects bounds a SELECT.
func (m *meter) selects(node map[string]any, p exprScope) *growth.Relation {
	from := m.table(child(node, "from_table"), p)
	result := &growth.Relation{Nodes: growth.Sum(1, from.Nodes)}
	// An item can be used by name in the items after it and in all other clauses.
	known := &growth.Relation{}
	known.Join(from)
	inner := p.in(known)
	for _, item := range list(node["select_list"]) {
		e := child(item, "")
		if name(e, "class") == "STAR" && e["columns"] != true {
			result.Add(from)
			for _, r := range list(e["replace_list"]) {
				entry := child(r, "")
				s := m.expr(entry["value"], inner)
				m.Made(s)
				result.Define(lower(name(entry, "key")), s)
			}
			if names := list(e["rename_list"]); len(names) > 0 || e["rename_list"] != nil {
				result.Define("", from.Any)
			}
			result.Nodes = growth.Sum(result.Nodes, from.All.Nodes)
			m.Plan(result)
			continue
		}
		s := m.expr(e, inner)
		called := lower(name(e, "alias"))
		if name(e, "class") == "COLUMN_REF" {
			if parts := texts(e["column_names"]); called == "" && len(parts) > 0 {
				called = parts[len(parts)-1]
			}
		} else {
			m.Made(s)
		}
		result.Define(called, s)
		if holdsStar(e) { // once for each column
			more := s.Times(from.Width)
			result.Width = growth.Sum(result.Width, from.Width)
			result.All = result.All.Plus(more)
			s.Nodes = more.Nodes
			result.Define("", s)
		}
		if called == "" || !from.Has(called) && (known.Has(called) || !mentions(e, called)) {
			known.Define(called, s)
		}
		result.Nodes = growth.Sum(result.Nodes, s.Nodes)
		m.Plan(result)
	}
	rest := growth.Size{}
	for _, clause := range []string{"where_clause", "group_expressions", "having", "qualify", "modifiers"} {
		s := m.sumAll(node[clause], inner)
		m.Made(s)
		if holdsStar(node[clause]) {
			s = s.Times(from.Width)
		}
		rest = rest.Plus(s)
	}
	sets := int64(max(1, len(list(node["group_sets"]))))
	rest.Nodes = growth.Sum(rest.Nodes, growth.Product(sets-1, growth.Sum(result.Nodes, from.Width)))
	result.Nodes = growth.Sum(result.Nodes, rest.Nodes)
	return m.Plan(result)
}

// table bounds one item of FROM.
func (m *meter) table(node map[string]any, p exprScope) *growth.Relation {
	if node == nil {
		return &growth.Relation{}
	}
	m.see(node)
	alias, columns := lower(name(node, "alias")), texts(node["column_name_alias"])
	var r *growth.Relation
	switch name(node, "type") {
	case "BASE_TABLE":
		id := lower(name(node, "table_name"))
		if r = p.with.find(id); r == nil {
			r = growth.Table()
		}
		if alias == "" {
			alias = id
		}
	case "SUBQUERY":
		r = m.query(child(child(node, "subquery"), "node"), p)
	case "JOIN":
		left := m.table(child(node, "left"), p)
		right := m.table(child(node, "right"), p.in(left))
		r = &growth.Relation{}
		r.Join(left)
		r.Join(right)
		condition := m.sumAll(node["condition"], p.in(r))
		r.Nodes = growth.Sum(growth.Sum(left.Nodes, right.Nodes), condition.Nodes+1)
	case "TABLE_FUNCTION":
		// Its rows come one by one.
		s := m.sumAll(child(node, "function")["children"], p)
		m.Made(s)
		r = &growth.Relation{Nodes: growth.Sum(s.Nodes, 1)}
		r.Define("", growth.Size{Nodes: 1, Text: max(growth.ColumnText, s.Text)})
	case "EXPRESSION_LIST":
		r = &growth.Relation{}
		for _, row := range list(node["values"]) {
			for _, v := range list(row) {
				s := m.expr(v, p)
				m.Made(s)
				r.Nodes = growth.Sum(r.Nodes, s.Nodes)
				r.Define("", s)
			}
		}
		if rows := list(node["values"]); len(rows) > 0 {
			r.Width = int64(len(list(rows[0])))
		}
	case "PIVOT":
		r = m.pivot(node, p)
	case "SHOW_REF":
		q := m.query(child(node, "query"), p)
		// Statistics are a dozen aggregates of each column.
		r = &growth.Relation{Nodes: growth.Sum(q.Nodes, growth.Product(q.All.Nodes, 12))}
		r.Define("", growth.Column)
	default:
		r = &growth.Relation{}
	}
	if alias == "" && len(columns) == 0 {
		return m.Plan(r)
	}
	return m.Plan(r.Renamed(alias, columns))
}

// pivot bounds a PIVOT: a column for each combination of values and aggregate.
func (m *meter) pivot(node map[string]any, p exprScope) *growth.Relation {
	source := m.table(child(node, "source"), p)
	inner := p.in(source)
	aggregates := m.sumAll(node["aggregates"], inner)
	combinations := int64(1)
	rest := growth.Size{}
	for _, on := range list(node["pivots"]) {
		pivot := child(on, "")
		entries := list(pivot["entries"])
		width := int64(max(1, len(entries)))
		for _, e := range entries {
			if star := child(e, "")["star_expr"]; star != nil {
				width = growth.Sum(width, source.Width)
			}
		}
		combinations = growth.Product(combinations, width)
		rest = rest.Plus(m.sumAll(pivot["pivot_expressions"], inner))
	}
	r := source.Renamed("", nil)
	r.Nodes = growth.Sum(source.Nodes, growth.Product(combinations, growth.Sum(1, growth.Sum(aggregates.Nodes, rest.Nodes))))
	r.Width = growth.Sum(r.Width, growth.Product(combinations, int64(max(1, len(list(node["aggregates"]))))))
	r.Define("", aggregates.Max(growth.Column))
	return r
}

// mentions reports whether an expression uses a column, which can then not be a
// name defined by the same SELECT.
func mentions(v any, column string) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if mentions(item, column) {
				return true
			}
		}
	case map[string]any:
		switch name(v, "class") {
		case "COLUMN_REF":
			parts := texts(v["column_names"])
			return len(parts) == 1 && parts[0] == column
		case "SUBQUERY", "LAMBDA", "CONSTANT":
			return false
		}
		for key, item := range v {
			if key != "cast_type" && mentions(item, column) {
				return true
			}
		}
	}
	return false
}

// texts returns the names in a list, in lower case.
func texts(v any) []string {
	var out []string
	for _, item := range list(v) {
		if s, ok := item.(string); ok {
			out = append(out, lower(s))
		}
	}
	return out
}

// holdsStar reports whether an expression is repeated for each column.
func holdsStar(v any) bool {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if holdsStar(item) {
				return true
			}
		}
	case map[string]any:
		if name(v, "class") == "STAR" && v["columns"] == true {
			return true
		}
		for _, item := range v {
			if holdsStar(item) {
				return true
			}
		}
	}
	return false
}
