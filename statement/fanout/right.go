package fanout

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/agnes-data/da/statement"
)

// task is a SELECT in which rows are repeated.
type task struct {
	q     node
	g     *graph
	wrong []node    // the aggregates that count rows more than once
	of    []*repeat // of each of them
	many  []*relation
}

// right returns the whole statement with no row repeated; empty if there is no simple
// one. The tree is changed.
func (f *finder) right(sql string) string {
	for _, t := range f.tasks {
		if !t.distinct() && !t.summed() {
			return ""
		}
	}
	text, err := f.print(child(f.tree, "node"))
	if err != nil {
		return ""
	}
	if !strings.Contains(sql, "count_star") {
		text = strings.ReplaceAll(text, "count_star()", "count(*)")
	}
	// What is offered has been measured, too.
	again := &finder{parser: f.parser}
	if again.tree, err = f.parse(text); err != nil {
		return ""
	}
	if again.queries(again.tree, []any{}); len(again.found) > 0 || again.missed {
		return ""
	}
	return text
}

// distinct turns counts of a key into counts of different ones.
func (t *task) distinct() bool {
	for i, n := range t.wrong {
		args, err := t.g.top.resolveAll(list(n["children"]))
		if err != nil || !strings.EqualFold(text(n, "function_name"), "count") || text(n, "class") != "FUNCTION" || len(args) != 1 {
			return false
		}
		if m, err := t.g.keyed(t.of[i].of, args); err != nil || m != nil {
			return false
		}
	}
	t.keepNames()
	for _, n := range t.wrong {
		n["distinct"] = true
	}
	return true
}

// keepNames names the columns of the SELECT that would have another name when they are
// computed otherwise.
func (t *task) keepNames() {
	for _, item := range list(t.q["select_list"]) {
		if n := item.(node); text(n, "alias") == "" && aggregates(n) {
			n["alias"] = t.g.expr(n)
		}
	}
}

// summed puts a query in the place of each table that has many rows for one: grouped by
// what the SELECT uses of it outside of aggregates, and with what it aggregates of it.
func (t *task) summed() bool {
	for _, n := range t.wrong {
		if text(n, "class") == "WINDOW" || len(list(n["children"])) == 0 {
			return false
		}
	}
	for _, r := range t.many {
		if leaf := leafOf(t.q["from_table"], r.origin); leaf == nil {
			return false
		} else if s := (&summing{task: t, of: r}); !s.put(leaf) {
			return false
		}
	}
	for _, n := range t.wrong {
		n["distinct"] = false
	}
	return true
}

// leafOf finds a node of FROM itself, not in a query of it.
func leafOf(from any, origin node) node {
	n, _ := from.(node)
	if text(n, "type") == "JOIN" {
		if found := leafOf(n["left"], origin); found != nil {
			return found
		}
		return leafOf(n["right"], origin)
	}
	if reflect.ValueOf(n).Pointer() == reflect.ValueOf(origin).Pointer() {
		return n
	}
	return nil
}

// summing makes the query for one table.
type summing struct {
	*task
	of     *relation
	keys   []string
	values []any // aggregates with their names
	where  []any
	failed bool
}

// put replaces a node of FROM.
func (s *summing) put(leaf node) bool {
	s.keepNames()
	items := list(s.q["select_list"])
	for i, item := range items {
		named := text(item.(node), "alias")
		items[i] = s.rewrite(item)
		items[i].(node)["alias"] = named
	}
	for _, part := range []string{"having", "qualify", "modifiers", "group_expressions"} {
		s.q[part] = s.rewrite(s.q[part])
	}
	s.choose(s.q, "where_clause", !s.of.inner)
	s.joins(s.q["from_table"])
	if s.failed || len(s.keys) == 0 {
		return false
	}
	q, err := s.g.query("SELECT * FROM t GROUP BY x")
	if err != nil {
		return false
	}
	var list, groups, set []any
	for i, key := range s.keys {
		list, groups, set = append(list, s.column(key)), append(groups, s.column(key)), append(set, i)
	}
	q["select_list"], q["group_expressions"], q["group_sets"] = append(list, s.values...), groups, []any{set}
	if q["from_table"] = clone(leaf); len(s.where) > 0 {
		if q["where_clause"], err = s.g.both(s.where); err != nil {
			return false
		}
	}
	wrapped, err := s.g.query("SELECT * FROM (SELECT 1) AS x")
	if err != nil {
		return false
	}
	by := child(wrapped, "from_table")
	child(by, "subquery")["node"], by["alias"] = q, s.of.alias
	clear(leaf)
	for key, v := range by {
		leaf[key] = v
	}
	for _, v := range s.values { // which conditions and items name from now on
		s.of.columns = append(s.of.columns, text(v.(node), "alias"))
	}
	return true
}

// column names a column of the table, or of the query that takes its place.
func (s *summing) column(name string) node {
	return node{"class": "COLUMN_REF", "type": "COLUMN_REF", "alias": "", "query_location": 0, "column_names": []any{s.of.alias, name}}
}

// mine reports whether an expression names columns of the table; only says that it
// names no others.
func (s *summing) mine(e any) (mine, only bool) {
	r, err := s.g.top.resolve(e)
	if err != nil {
		s.failed = true
		return false, false
	}
	refs := s.g.refs(r)
	return slices.Contains(refs, s.of), len(refs) == 1 && refs[0] == s.of
}

// choose takes the conditions that choose rows of the table out of a clause, if inside
// says that they can be in its query.
func (s *summing) choose(n node, clause string, inside bool) {
	var rest []any
	for _, c := range conjuncts(n[clause]) {
		if _, only := s.mine(c); only && inside {
			s.where = append(s.where, c)
		} else {
			rest = append(rest, s.rewrite(c))
		}
	}
	n[clause] = nil
	if len(rest) > 0 {
		both, err := s.g.both(rest)
		if s.failed = s.failed || err != nil; err == nil {
			n[clause] = both
		}
	}
}

// joins goes through the conditions of joins.
func (s *summing) joins(from any) {
	n, _ := from.(node)
	if text(n, "type") != "JOIN" {
		return
	}
	s.joins(n["left"])
	s.joins(n["right"])
	for _, name := range names(n["using_columns"]) {
		s.key(name)
	}
	if text(n, "ref_type") == "NATURAL" {
		s.failed = true
		return
	}
	held := leafOf(n["right"], s.of.origin) != nil
	kind := text(n, "join_type")
	had := n["condition"] != nil
	s.choose(n, "condition", kind == "INNER" || kind == "LEFT" && held)
	s.failed = s.failed || had && n["condition"] == nil
}

// key adds a column of the table that is used outside of aggregates.
func (s *summing) key(name string) {
	if !slices.ContainsFunc(s.keys, func(k string) bool { return strings.EqualFold(k, name) }) &&
		slices.ContainsFunc(s.of.columns, func(c string) bool { return strings.EqualFold(c, name) }) {
		s.keys = append(s.keys, name)
	}
}

// rewrite returns an expression of the SELECT over the query.
func (s *summing) rewrite(e any) any {
	switch v := e.(type) {
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = s.rewrite(item)
		}
		return out
	case node:
		switch class := text(v, "class"); {
		case class == "SUBQUERY":
			mine, _ := s.mine(v)
			s.failed = s.failed || mine
			return v
		case class == "COLUMN_REF":
			if len(names(v["column_names"])) == 1 && s.isItem(v) {
				return v
			}
			if mine, _ := s.mine(v); mine {
				parts := names(v["column_names"])
				s.key(parts[len(parts)-1])
			}
			return v
		case class == "STAR":
			s.failed = true
			return v
		case class == "FUNCTION" && statement.IsAggregate(text(v, "function_name")):
			return s.aggregate(v)
		}
		for key, item := range v {
			v[key] = s.rewrite(item)
		}
		return v
	}
	return e
}

// isItem says that a name is that of an item of the SELECT.
func (s *summing) isItem(ref node) bool {
	called := names(ref["column_names"])[0]
	return slices.ContainsFunc(list(s.q["select_list"]), func(item any) bool { return strings.EqualFold(text(item.(node), "alias"), called) })
}

// combined says how an aggregate of all rows comes from those of groups: the inner
// aggregates, and the outer expression over a and b.
var combined = map[string]struct {
	inner []string
	outer string
}{
	"sum": {[]string{"sum"}, "sum(a)"}, "min": {[]string{"min"}, "min(a)"}, "max": {[]string{"max"}, "max(a)"},
	"count": {[]string{"count"}, "CAST(coalesce(sum(a), 0) AS BIGINT)"},
	"avg":   {[]string{"sum", "count"}, "sum(a) / sum(b)"}, "mean": {[]string{"sum", "count"}, "sum(a) / sum(b)"},
	"count_star": {[]string{"count_star"}, "CAST(coalesce(sum(a), 0) AS BIGINT)"},
}

// aggregate returns an aggregate over the query, if it is one of the table.
func (s *summing) aggregate(n node) any {
	name := strings.ToLower(text(n, "function_name"))
	mine, only := s.mine([]any{n["children"], n["filter"]})
	rows := name == "count_star" && n["filter"] == nil && len(s.many) == 1
	if !mine && !rows {
		s.failed = s.failed || name == "count_star"
		return n
	}
	how, ok := combined[name]
	if !ok || !only && !rows || n["distinct"] == true && name != "min" && name != "max" {
		s.failed = true
		return n
	}
	if rows && s.of.inner { // a row that finds none is one, too
		how.outer = strings.Replace(how.outer, "sum(a)", "sum(coalesce(a, 1))", 1)
	}
	q, err := s.g.query("SELECT " + how.outer)
	if err != nil {
		s.failed = true
		return n
	}
	out := list(q["select_list"])[0]
	columns := map[string]string{}
	for i, f := range how.inner {
		columns[string(rune('a'+i))] = s.value(f, n)
	}
	visit(out, func(ref node) bool {
		if text(ref, "class") == "COLUMN_REF" {
			ref["column_names"] = []any{s.of.alias, columns[names(ref["column_names"])[0]]}
		}
		return true
	})
	return out
}

// value adds an aggregate to the query and returns its name there.
func (s *summing) value(f string, n node) string {
	inner := plain(n).(node)
	inner["function_name"], inner["distinct"] = f, false
	name := "rows"
	if args := list(n["children"]); len(args) > 0 {
		if name = f + "_" + fmt.Sprint(len(s.values)+1); text(args[0].(node), "class") == "COLUMN_REF" {
			name = f + "_" + last(names(args[0].(node)["column_names"]))
		}
	}
	for _, had := range s.values {
		if identity(had) == identity(inner) {
			return text(had.(node), "alias")
		}
	}
	taken := func(name string) bool {
		return slices.Contains(s.of.columns, name) || slices.ContainsFunc(s.values, func(v any) bool { return text(v.(node), "alias") == name })
	}
	for taken(name) {
		name += "_"
	}
	inner["alias"] = name
	s.values = append(s.values, inner)
	return name
}
