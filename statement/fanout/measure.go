package fanout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// repeat is how often the rows of a relation appear.
type repeat struct {
	of                 *relation
	rows, appear, most int64
	part               bool // of a part of the rows
}

// judge returns how often the rows of a measure's tables appear, and which tables have
// several rows for one of them; nil if those of one of its tables appear once, or if
// that cannot be found out.
func (g *graph) judge(m measure) (*repeat, []Many) {
	if m.rows && g.pairs() {
		return nil, nil
	}
	of := slices.Clone(m.of)
	if len(of) > 1 {
		for _, r := range of {
			g.count(r)
		}
		slices.SortStableFunc(of, func(a, b *relation) int {
			return int(max(min(b.rows-a.rows, 1),
				-1))
		}) // the details of others are the larger table
	}
	if m.value != nil && len(of) != 1 {
		return nil, nil
	}
	many := map[*relation][]Many{}
	for _, r := range of {
		if r.only {
			return nil, nil
		}
		more, known := g.multipliers(r)
		g.missed = g.missed || !known
		if !known || len(more) == 0 {
			return nil, nil
		}
		many[r] = more
		for _, other := range more { // a group for each of its rows would hide that there are several
			m.groups = slices.DeleteFunc(slices.Clone(m.groups), func(e any) bool { return other.of.metric && slices.Contains(g.refs(e), other.of) })
		}
	}
	var least *repeat
	for _, r := range of {
		found, err := g.repeated(r, m)
		g.missed = g.missed || err != nil
		if err != nil || found.most <= 1 {
			return nil, nil // what cannot be measured is not told
		}
		if least == nil || found.appear*least.rows < least.appear*found.rows {
			least = found
		}
	}
	if m.value != nil {
		if least = g.folded(least, m); least == nil {
			return nil, nil
		}
	}
	return least, many[least.of]
}

// folded is how many of the rows of a relation count if different values count once;
// nil if all do, or that cannot be measured.
func (g *graph) folded(r *repeat, m measure) *repeat {
	present, err := g.present(m.value)
	if err != nil {
		return nil
	}
	m.filter = append(slices.Clip(m.filter), present)
	all, err := g.repeated(r.of, m)
	if err != nil {
		return nil
	}
	values := &repeat{of: r.of, rows: all.rows, most: 1}
	var appear, most int64
	if err := g.grouped(g.from, slices.Concat(g.where, m.filter), append([]any{m.value}, m.groups...), &appear, &values.appear,
		&most); err != nil || values.appear >= values.rows {
		g.missed = g.missed || err != nil
		return nil
	}
	return values
}

// pairs reports whether relations are compared otherwise than by equality: who counts
// rows then counts pairs.
func (g *graph) pairs() bool {
	return slices.ContainsFunc(g.conds, func(c condition) bool {
		n, _ := c.expr.(node)
		switch text(n, "type") {
		case "COMPARE_NOTEQUAL", "COMPARE_LESSTHAN", "COMPARE_GREATERTHAN", "COMPARE_LESSTHANOREQUALTO", "COMPARE_GREATERTHANOREQUALTO":
			return len(g.refs(n)) > 1
		}
		return false
	})
}

// multipliers are the relations that may have several rows for one row of r, by
// what is joined: a relation is reached if what it is joined by is unique in it, and
// comes from relations that are reached. known is false if that cannot be measured.
func (g *graph) multipliers(r *relation) (more []Many, known bool) {
	reached := []*relation{r}
	for {
		more = nil
		before := len(reached)
		for _, other := range g.joined() {
			if slices.Contains(reached, other) {
				continue
			}
			if other.asof != nil && !slices.ContainsFunc(other.asof, func(l *relation) bool { return !l.only && !slices.Contains(reached, l) }) {
				reached = append(reached, other)
				continue
			}
			keys, near := g.keys(other, reached)
			m, err := g.keyed(other, keys)
			switch {
			case err != nil:
				return nil, false
			case m == nil:
				reached = append(reached, other)
			default:
				more = append(more, *m)
				more[len(more)-1].near = near
			}
		}
		if len(reached) == before {
			return more, true
		}
	}
}

// keys are the expressions over a relation that equal a constant, or something of those
// reached: then it is near.
func (g *graph) keys(of *relation, reached []*relation) (keys []any, near bool) {
	same := map[string][]any{} // classes of equal expressions, by each of them
	for _, c := range g.conds {
		n, _ := c.expr.(node)
		if t := text(n, "type"); t != "COMPARE_EQUAL" && t != "COMPARE_NOT_DISTINCT_FROM" || text(n, "class") != "COMPARISON" {
			continue
		}
		all := []any{n["left"], n["right"]}
		for _, side := range []any{n["left"], n["right"]} {
			for _, e := range same[identity(side)] {
				if !slices.ContainsFunc(all, func(o any) bool { return identity(o) == identity(e) }) {
					all = append(all, e)
				}
			}
		}
		for _, e := range all {
			same[identity(e)] = all
		}
	}
	seen := map[string]bool{}
	for _, c := range g.conds {
		n, _ := c.expr.(node)
		for _, e := range []any{n["left"], n["right"]} {
			id := identity(e)
			if refs := g.refs(e); len(refs) != 1 || refs[0] != of || seen[id] {
				continue
			}
			seen[id] = true
			if slices.ContainsFunc(same[id], func(o any) bool {
				from := g.refs(o)
				known := identity(o) != id && !slices.ContainsFunc(from, func(r *relation) bool { return !slices.Contains(reached, r) })
				near = near || known && len(from) > 0
				return known
			}) {
				keys = append(keys, e)
			}
		}
	}
	return keys, near
}

func last(parts []string) string {
	if len(parts) == 0 {
		return ""
	}
	return parts[len(parts)-1]
}

// grouping is the item that an expression of GROUP BY means.
func grouping(e any, items []any) any {
	n, _ := e.(node)
	for i, item := range items {
		m, _ := item.(node)
		parts := names(n["column_names"])
		if text(n, "class") == "CONSTANT" && number(child(n, "value")["value"]) == fmt.Sprint(i+1) ||
			len(parts) == 1 && text(m, "alias") != "" && strings.EqualFold(parts[0], text(m, "alias")) {
			return item
		}
	}
	return e
}

// nullSafe reports whether NULLs of a key are joined, too.
func (g *graph) nullSafe(key any) bool {
	id := identity(key)
	return slices.ContainsFunc(g.conds, func(c condition) bool {
		n, _ := c.expr.(node)
		return text(n, "type") == "COMPARE_NOT_DISTINCT_FROM" && (identity(n["left"]) == id || identity(n["right"]) == id)
	})
}

// present is the condition that an expression is not NULL.
func (g *graph) present(e any) (any, error) {
	q, err := g.query("SELECT a IS NOT NULL")
	if err != nil {
		return nil, err
	}
	n := list(q["select_list"])[0].(node)
	n["children"] = []any{e}
	return n, nil
}

// repeated measures how often the rows of a relation appear in each group.
func (g *graph) repeated(r *relation, m measure) (*repeat, error) {
	memo := fmt.Sprint(r.id, "\x00", m.value == nil, identity(m.filter), "\x00", identity(m.groups))
	if found, ok := g.repeats[memo]; ok {
		return found, nil
	}
	q, err := g.query(`SELECT r."#row" FROM (SELECT *, row_number() OVER () AS "#row" FROM t) AS r`)
	if err != nil {
		return nil, err
	}
	counted, row := child(q, "from_table"), list(q["select_list"])[0].(node)
	counted["alias"], row["column_names"] = r.id, []any{r.id, "#row"}
	inner := clone(r.node).(node)
	inner["alias"] = ""
	child(child(counted, "subquery"), "node")["from_table"] = inner
	present, err := g.present(row)
	if err != nil {
		return nil, err
	}
	found := &repeat{of: r}
	from, keys := replaced(g.from, r, counted), append([]any{row}, m.groups...)
	where := slices.Concat(g.where, m.filter, []any{present})
	var some any
	if m.value == nil { // how many values there are, no part tells
		some, err = g.part(r)
	}
	if found.part = some != nil; err == nil && found.part {
		err = g.grouped(from, append(slices.Clip(where), some), keys, &found.appear, &found.rows, &found.most)
	}
	if err == nil && found.most <= 1 { // a part that appears once tells nothing of the others
		found.part = false
		err = g.grouped(from, where, keys, &found.appear, &found.rows, &found.most)
	}
	if err != nil {
		return nil, err
	}
	g.repeats[memo] = found
	return found, nil
}

// replaced is a FROM with another node for a relation.
func replaced(from any, r *relation, by node) any {
	n := from.(node)
	if text(n, "alias") == r.id && text(n, "type") != "JOIN" {
		return by
	}
	if text(n, "type") != "JOIN" {
		return n
	}
	out := make(node, len(n))
	for key, v := range n {
		out[key] = v
	}
	out["left"], out["right"] = replaced(n["left"], r, by), replaced(n["right"], r, by)
	return out
}

// grouped counts rows, groups, and the rows of the largest group.
func (g *graph) grouped(from any, where, keys []any, rows, groups, most *int64) error {
	q, err := g.query("SELECT count(*) AS n FROM t GROUP BY x")
	if err != nil {
		return err
	}
	q["from_table"] = from
	if len(where) > 0 {
		if q["where_clause"], err = g.both(where); err != nil {
			return err
		}
	}
	set := make([]any, len(keys))
	for i := range keys {
		set[i] = i
	}
	q["group_expressions"], q["group_sets"] = keys, []any{set}
	if len(keys) == 0 {
		q["group_expressions"], q["group_sets"] = set, set
	}
	q["cte_map"] = node{"map": g.all}
	sql, err := g.print(q)
	if err != nil {
		return err
	}
	return g.run("SELECT coalesce(sum(n), 0)::BIGINT, count(*), coalesce(max(n), 0)::BIGINT FROM ("+sql+")", rows, groups, most)
}

// columns are the names of a relation's columns; nil if they cannot be found out.
func (g *graph) columns(r *relation) []string {
	sql := "SELECT * FROM " + duckdb.Quote(text(r.node, "table_name"))
	if text(r.node, "type") != "BASE_TABLE" || len(g.all) > 0 || len(list(r.node["column_name_alias"])) > 0 {
		q, err := g.query("SELECT * FROM t")
		if err != nil {
			return nil
		}
		q["from_table"], q["cte_map"] = r.node, node{"map": g.all}
		if sql, err = g.print(q); err != nil {
			return nil
		}
	}
	described, err := g.conn.Describe(g.ctx, sql)
	if err != nil {
		return nil
	}
	var out []string
	for _, c := range described {
		out = append(out, c.Name)
	}
	return out
}

// count fills in how many rows a table has, which its file says.
func (g *graph) count(r *relation) {
	if r.rows >= 0 || text(r.node, "type") != "BASE_TABLE" || g.defined(text(r.node, "table_name")) >= 0 {
		return
	}
	if err := g.conn.QueryRow(g.ctx, "SELECT count(*) FROM "+duckdb.Quote(text(r.node, "table_name")), nil, &r.rows); err != nil {
		r.rows = -1
	}
}
