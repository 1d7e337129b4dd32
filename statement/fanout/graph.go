package fanout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/statement"
)

// relation is a table, or a query that is not looked into, of a FROM.
type relation struct {
	id      string // how resolved expressions call it
	node    node   // of FROM, with id for its alias
	origin  node   // as the statement has it
	inner   bool   // an outer join can turn its rows into NULLs
	table   string
	alias   string
	columns []string // nil: unknown
	rows    int64    // -1: unknown
	known   Known
	only    bool        // its rows only choose others: SEMI and ANTI joins
	metric  bool        // a metric joins it, and its model says that no key repeats
	asof    []*relation // it has at most one row for each row of these together
}

// condition is one of a join or of WHERE.
type condition struct {
	expr any
	// chooses are the relations whose rows it can exclude; nil: all that it names.
	chooses []*relation
	some    bool // chooses counts
}

// graph is the FROM and WHERE of a SELECT, with the queries in it that only join and
// choose rows put in their places. Expressions are resolved: they name columns by the
// ids of relations.
type graph struct {
	*parser
	all     []any // items of WITH
	with    []any // those that can be named where the graph is read
	rels    []*relation
	conds   []condition
	from    any
	where   []any
	top     *scope
	groups  []any
	unique  map[string]*Many
	repeats map[string]*repeat
	missed  bool // something could not be measured
}

// joined are the relations whose rows the SELECT has.
func (g *graph) joined() []*relation {
	return slices.DeleteFunc(slices.Clone(g.rels), func(r *relation) bool { return r.only })
}

// refs are the relations that resolved expressions name.
func (g *graph) refs(e any) (out []*relation) {
	visit(e, func(n node) bool {
		if text(n, "class") == "COLUMN_REF" {
			parts := names(n["column_names"])
			for _, r := range g.rels {
				if parts[0] == r.id && !slices.Contains(out, r) {
					out = append(out, r)
				}
			}
		}
		return true
	})
	return out
}

// build reads a SELECT; false: it has something that is not understood.
func (g *graph) build(q node) bool {
	g.top = &scope{items: list(q["select_list"])}
	var err error
	if g.from, err = g.table(child(q, "from_table"), g.top, false); err != nil {
		return false
	}
	if err := g.chosen(q["where_clause"], g.top); err != nil {
		return false
	}
	groups := list(q["group_expressions"])
	if sets := list(q["group_sets"]); len(sets) > 1 {
		groups = nil // one of the sets may be the whole
	}
	if text(q, "aggregate_handling") == "FORCE_AGGREGATES" { // GROUP BY ALL
		groups = slices.DeleteFunc(slices.Clone(g.top.items), aggregates)
	}
	for _, e := range groups {
		n, _ := e.(node)
		if at := number(child(n, "value")["value"]); text(n, "class") == "CONSTANT" {
			i := slices.Index(positions(len(g.top.items)), at)
			if i < 0 {
				return false
			}
			e = g.top.items[i]
		}
		r, err := g.top.resolve(e)
		if err != nil {
			return false
		}
		if len(g.refs(r)) > 0 {
			g.groups = append(g.groups, plain(r))
		}
	}
	return true
}

// aggregates reports whether an expression computes something of several rows.
func aggregates(e any) (yes bool) {
	visit(e, func(n node) bool {
		yes = yes || text(n, "class") == "FUNCTION" && statement.IsAggregate(text(n, "function_name"))
		return !yes && text(n, "class") != "SUBQUERY"
	})
	return yes
}

func positions(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprint(i + 1)
	}
	return out
}

// chosen adds a WHERE.
func (g *graph) chosen(e any, sc *scope) error {
	for _, c := range conjuncts(e) {
		r, err := sc.resolve(c)
		if err != nil {
			return err
		}
		g.where = append(g.where, r)
		g.conds = append(g.conds, condition{expr: r})
	}
	return nil
}

// table adds what a node of FROM has and returns the node with resolved conditions.
// inner says that an outer join around it can turn its rows into NULLs.
func (g *graph) table(n node, sc *scope, inner bool) (any, error) {
	switch text(n, "type") {
	case "JOIN":
		return g.join(n, sc, inner)
	case "SUBQUERY":
		if q := child(child(n, "subquery"), "node"); g.opens(q, inner) {
			return g.open(n, q, text(n, "alias"), sc, inner)
		}
	case "BASE_TABLE":
		name := text(n, "table_name")
		at := g.defined(name)
		if at < 0 && slices.ContainsFunc(g.all, func(item any) bool { return strings.EqualFold(text(item.(node), "key"), name) }) {
			return nil, errNotUnderstood // a query that has the name of a table in it
		}
		if q := g.named(at); g.opens(q, inner) {
			seen := g.with
			defer func() { g.with = seen }()
			g.with = seen[:at] // it can read those before it
			return g.open(n, q, firstOf(text(n, "alias"), name), sc, inner)
		}
	case "TABLE_FUNCTION", "EXPRESSION_LIST":
	default:
		return nil, errNotUnderstood
	}
	r := &relation{id: fmt.Sprintf("#%d", len(g.rels)+1), node: clone(n).(node), origin: n, inner: inner, table: text(n, "table_name"),
		alias: text(n, "alias"), rows: -1}
	r.table, r.alias = firstOf(r.table, r.alias, "a query"), firstOf(r.alias, r.table)
	r.node["alias"] = r.id
	if named := g.plainTable(r); named != "" {
		r.known = g.tables.Known(named)
		r.columns, r.rows = r.known.Columns, r.known.Rows
	}
	if r.columns == nil {
		r.columns = g.columns(r)
	}
	g.rels = append(g.rels, r)
	sc.sources = append(sc.sources, &source{alias: r.alias, rel: r})
	return r.node, nil
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// defined is the place of the query that WITH names; -1 if it names none.
func (g *graph) defined(name string) int {
	for i := len(g.with) - 1; i >= 0; i-- {
		if strings.EqualFold(text(g.with[i].(node), "key"), name) {
			return i
		}
	}
	return -1
}

// named is the query of an item of WITH; nil for -1, or if its columns are renamed.
func (g *graph) named(at int) node {
	if at < 0 {
		return nil
	}
	value := child(g.with[at], "value")
	if len(list(value["aliases"])) > 0 {
		return nil
	}
	return child(child(value, "query"), "node")
}

// opens reports whether a query only joins and chooses rows, so that each of its rows
// is one of its tables' joined rows.
func (g *graph) opens(q node, inner bool) bool {
	if text(q, "type") != "SELECT_NODE" || len(list(child(q, "cte_map")["map"])) > 0 || len(list(q["modifiers"])) > 0 ||
		len(list(q["group_expressions"])) > 0 ||
		len(list(q["group_sets"])) > 0 || q["having"] != nil || q["qualify"] != nil || q["sample"] != nil ||
		text(q, "aggregate_handling") != "STANDARD_HANDLING" {
		return false
	}
	if q["where_clause"] != nil && inner {
		return false
	}
	if aggregates(q["select_list"]) {
		return false
	}
	plain := true
	visit(q["select_list"], func(n node) bool {
		name := strings.ToLower(text(n, "function_name"))
		plain = plain && text(n, "class") != "WINDOW" && name != "unnest" && name != "generate_subscripts" &&
			!(text(n, "class") == "STAR" && (n["columns"] == true || n["expr"] != nil))
		return plain
	})
	return plain
}

// open puts what a query joins in its place.
func (g *graph) open(n, q node, alias string, sc *scope, inner bool) (any, error) {
	within, before := &scope{outer: sc}, len(g.rels)
	from, err := g.table(child(q, "from_table"), within, inner)
	if err != nil {
		return nil, err
	}
	if err := g.chosen(q["where_clause"], within); err != nil {
		return nil, err
	}
	out, err := within.outputs(list(q["select_list"]))
	if err != nil {
		return nil, err
	}
	for i, name := range names(n["column_name_alias"]) {
		if i < len(out) {
			out[i].name = name
		}
	}
	for _, r := range g.rels[before:] {
		r.metric = r.metric || slices.ContainsFunc(out, func(o output) bool { return strings.HasPrefix(o.name, statement.MetricKey) })
	}
	sc.sources = append(sc.sources, &source{alias: alias, columns: out})
	return from, nil
}

// join adds a join.
func (g *graph) join(n node, sc *scope, inner bool) (any, error) {
	out := clone(n).(node)
	kind, way := text(n, "join_type"), text(n, "ref_type")
	if way == "POSITIONAL" || way == "DEPENDENT" {
		return nil, errNotUnderstood
	}
	firstRel, firstSource := len(g.rels), len(sc.sources)
	left, err := g.table(child(n, "left"), sc, inner || kind == "RIGHT" || kind == "OUTER")
	if err != nil {
		return nil, err
	}
	midRel, midSource := len(g.rels), len(sc.sources)
	right, err := g.table(child(n, "right"), sc, inner || kind == "LEFT" || kind == "OUTER")
	if err != nil {
		return nil, err
	}
	out["left"], out["right"] = left, right
	lefts, rights := &scope{sources: sc.sources[firstSource:midSource]}, &scope{sources: sc.sources[midSource:]}
	using := names(n["using_columns"])
	if way == "NATURAL" {
		if using, err = common(lefts, rights); err != nil {
			return nil, err
		}
		out["ref_type"] = "REGULAR"
	}
	var conds []any
	for _, name := range using {
		c, err := g.equal(name, lefts, rights)
		if err != nil {
			return nil, err
		}
		conds = append(conds, c)
	}
	for _, c := range conjuncts(n["condition"]) {
		r, err := sc.resolve(c)
		if err != nil {
			return nil, err
		}
		conds = append(conds, r)
	}
	if out["using_columns"] = []any{}; len(conds) > 0 {
		if out["condition"], err = g.both(conds); err != nil {
			return nil, err
		}
	}
	for _, r := range g.rels[midRel:] {
		r.only = r.only || kind == "SEMI" || kind == "ANTI"
		if way == "ASOF" && len(g.rels) == midRel+1 {
			r.asof = g.rels[firstRel:midRel]
		}
	}
	for _, c := range conds {
		chooses := g.rels[firstRel:]
		switch kind {
		case "LEFT":
			chooses = g.rels[midRel:]
		case "RIGHT":
			chooses = g.rels[firstRel:midRel]
		case "OUTER":
			chooses = nil
		}
		g.conds = append(g.conds, condition{c, slices.Clone(chooses), true})
	}
	return out, nil
}

// common are the names of columns that both sides have.
func common(left, right *scope) (out []string, err error) {
	a, err := left.outputs(nil)
	if err != nil {
		return nil, err
	}
	b, err := right.outputs(nil)
	for _, c := range a {
		if slices.ContainsFunc(b, func(o output) bool { return strings.EqualFold(o.name, c.name) }) && !slices.Contains(out, c.name) {
			out = append(out, c.name)
		}
	}
	return out, err
}

// equal is the condition that a column of both sides is the same.
func (g *graph) equal(name string, left, right *scope) (any, error) {
	q, err := g.query("SELECT a = b")
	if err != nil {
		return nil, err
	}
	e := list(q["select_list"])[0].(node)
	for side, sc := range map[string]*scope{"left": left, "right": right} {
		ref := child(e, side)
		ref["column_names"] = []any{name}
		if e[side], err = sc.resolve(ref); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// both is the condition that all of some hold.
func (g *graph) both(conds []any) (any, error) {
	if len(conds) == 1 {
		return conds[0], nil
	}
	q, err := g.query("SELECT a AND b")
	if err != nil {
		return nil, err
	}
	e := list(q["select_list"])[0].(node)
	e["children"] = conds
	return e, nil
}
