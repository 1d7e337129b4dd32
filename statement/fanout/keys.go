package fanout

import (
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/unique"
)

// keyed measures whether keys are unique in a relation, among the rows that its own
// conditions choose; nil if they are.
func (g *graph) keyed(r *relation, keys []any) (*Many, error) {
	if single(child(child(r.node, "subquery"), "node"), keys) {
		return nil, nil //nolint:nilnil // documented
	}
	memo := r.id
	for _, k := range keys {
		memo += "\x00" + identity(k)
	}
	if m, ok := g.unique[memo]; ok {
		return m, nil
	}
	table, columns := g.plainKey(r, keys)
	has, hasNot := func(c string) bool { return slices.Contains(columns, c) }, func(c string) bool { return !slices.Contains(columns, c) }
	if slices.ContainsFunc(r.known.Once, func(key []string) bool { return !slices.ContainsFunc(key, hasNot) }) {
		g.unique[memo] = nil
		return nil, nil //nolint:nilnil // documented
	}
	var where []any
	for _, c := range g.conds {
		if refs := g.refs(c.expr); len(refs) == 1 && refs[0] == r && (!c.some || slices.Contains(c.chooses, r)) {
			where = append(where, c.expr)
		}
	}
	whole := len(where) == 0
	for _, k := range keys {
		if e, err := g.present(k); err != nil {
			return nil, err
		} else if !g.nullSafe(k) {
			where = append(where, e)
		}
	}
	m := &Many{Table: r.table, of: r, where: where, keys: keys}
	found := unique.Twice
	if !whole || !g.large(r) || len(columns) != 1 || !slices.ContainsFunc(r.known.Twice, has) {
		var err error
		if found, err = g.quick(r, where, keys); err != nil {
			return nil, err
		}
	}
	if found == unique.Unknown {
		var most int64
		if err := g.grouped(r.node, where, keys, &m.Rows, &m.Keys, &most); err != nil {
			return nil, err
		}
		if most <= 1 {
			found = unique.Once
		}
	}
	if found == unique.Once {
		m = nil
		if table != "" && whole {
			g.tables.Put(table, columns)
		}
	} else {
		for _, k := range keys {
			if !g.fixed(k) {
				m.Key = append(m.Key, strings.ReplaceAll(g.expr(k), `"`+r.id+`".`, ""))
			}
		}
	}
	g.unique[memo] = m
	return m, nil
}

// fixed reports whether a condition gives a key one value, so that all rows have the same.
func (g *graph) fixed(key any) bool {
	id := identity(key)
	return slices.ContainsFunc(g.conds, func(c condition) bool {
		n, _ := c.expr.(node)
		return text(n, "type") == "COMPARE_EQUAL" && (identity(n["left"]) == id && len(g.refs(n["right"])) == 0 ||
			identity(n["right"]) == id && len(g.refs(n["left"])) == 0)
	})
}

// plainTable is the name of a relation that is a table as it is; "" for all else.
func (g *graph) plainTable(r *relation) string {
	named := strings.ToLower(text(r.node, "table_name"))
	hidden := slices.ContainsFunc(g.all, func(item any) bool { n, _ := item.(node); return strings.EqualFold(text(n, "key"), named) })
	if text(r.node, "type") != "BASE_TABLE" || text(r.node, "schema_name") != "" || r.node["sample"] != nil || hidden ||
		len(list(r.node["column_name_alias"])) > 0 {
		return ""
	}
	return named
}

// plainKey returns the table and the columns of keys that are just columns of a table;
// "" for all else.
func (g *graph) plainKey(r *relation, keys []any) (table string, columns []string) {
	named := g.plainTable(r)
	if named == "" {
		return "", nil
	}
	for _, k := range keys {
		n, _ := k.(node)
		parts := names(n["column_names"])
		if len(parts) != 2 || g.nullSafe(k) {
			return "", nil
		}
		columns = append(columns, strings.ToLower(parts[1]))
	}
	slices.Sort(columns)
	return named, slices.Compact(columns)
}

// single reports whether a query has one row for each value of keys, by what it says:
// it groups by them or is DISTINCT over them, or it is one aggregate.
func single(q node, keys []any) bool {
	if text(q, "type") != "SELECT_NODE" || len(list(q["group_sets"])) > 1 {
		return false
	}
	items, groups := list(q["select_list"]), list(q["group_expressions"])
	if len(groups) == 0 {
		return text(q, "aggregate_handling") == "STANDARD_HANDLING" && len(items) > 0 && aggregates(items[0])
	}
	return !slices.ContainsFunc(groups, func(e any) bool {
		e = grouping(e, items)
		return !slices.ContainsFunc(items, func(item any) bool {
			n, _ := item.(node)
			parts := names(n["column_names"])
			name := firstOf(text(n, "alias"), last(parts))
			return identity(item) == identity(e) && slices.ContainsFunc(keys, func(k any) bool {
				kn, _ := k.(node)
				kp := names(kn["column_names"])
				return len(kp) == 2 && strings.EqualFold(kp[1], name)
			})
		})
	})
}
