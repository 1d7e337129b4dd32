package values

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// column is one of a table, as a statement names it. level counts the queries around it
// between the name and the table: a nearer table that has the column is meant.
type column struct {
	table, column string
	level         int
}

// compared is a text that a column must be equal to. columns are those that may be meant:
// which tables have one of the name is not known from the words.
type compared struct {
	columns []column
	text    string
	either  bool // rows need not have it, if they have another one
}

// comparedIn returns the texts that a statement compares columns of tables with.
func comparedIn(ctx context.Context, sql string) ([]compared, error) {
	db, err := duckdb.Open(duckdb.Options{MemoryLimit: "256MiB", Threads: 1})
	if err != nil {
		return nil, err
	}
	defer func() { _ = db.Close() }()
	eng, err := db.Conn()
	if err != nil {
		return nil, err
	}
	var tree string
	if err := eng.QueryRow(ctx, "SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true)::VARCHAR", []any{sql},
		&tree); err != nil {
		return nil, err
	}
	var root any
	if err := json.Unmarshal([]byte(tree), &root); err != nil {
		return nil, err
	}
	return scope{}.compared(root), nil
}

// relation is what FROM names: a table, or a query whose columns come from elsewhere.
type relation struct {
	name  string
	table string
	query map[string]any // nil: a table, or something else without known columns
	in    scope          // around the query
}

// scope is what a name in a statement can mean, the nearest first.
type scope struct {
	ctes   []relation
	levels [][]relation // what FROM names, of this query and of those around it
	either bool         // below IN or OR
}

// compared visits the nodes that choose rows, not those that make columns.
func (s scope) compared(node any) (all []compared) {
	switch n := node.(type) {
	case []any:
		for _, child := range n {
			all = append(all, s.compared(child)...)
		}
	case map[string]any:
		s = s.within(n)
		switch kind, _ := n["type"].(string); {
		case kind == "COMPARE_EQUAL":
			all = append(s.equal(n["left"], n["right"]), s.equal(n["right"], n["left"])...)
		case kind == "COMPARE_IN":
			of, _ := n["children"].([]any)
			s.either = s.either || len(of) > 2
			for i := 1; i < len(of); i++ {
				all = append(all, s.equal(of[0], of[i])...)
			}
		case kind == "CONJUNCTION_OR":
			s.either = true
		case strings.HasPrefix(kind, "OPERATOR_"): // NOT, IS NULL: the text need not be there
			return nil
		}
		compares := n["class"] == "COMPARISON"
		for _, name := range slices.Sorted(maps.Keys(n)) {
			if child, _ := n[name].(map[string]any); name == "select_list" || compares && child["class"] == "COMPARISON" {
				continue // (a = 'x') = false
			}
			all = append(all, s.compared(n[name])...)
		}
	}
	return all
}

// within returns the scope inside a node: its own named queries and relations come first.
func (s scope) within(node map[string]any) scope {
	named, _ := node["cte_map"].(map[string]any)
	list, _ := named["map"].([]any)
	for _, entry := range list {
		e, _ := entry.(map[string]any)
		name, _ := e["key"].(string)
		value, _ := e["value"].(map[string]any)
		query, _ := value["query"].(map[string]any)
		if value["aliases"] != nil {
			query = map[string]any{}
		}
		s.ctes = append([]relation{{name: name, query: queryNode(query), in: s}}, s.ctes...)
	}
	if from, ok := node["from_table"].(map[string]any); ok {
		s.levels = append([][]relation{s.from(from)}, s.levels...)
	}
	return s
}

// queryNode is the node of a query below wrappers.
func queryNode(node map[string]any) map[string]any {
	if inner, ok := node["node"].(map[string]any); ok {
		return inner
	}
	return node
}

// from lists what FROM names.
func (s scope) from(node map[string]any) []relation {
	alias, _ := node["alias"].(string)
	renamed := node["column_name_alias"] != nil
	switch node["type"] {
	case "JOIN":
		left, _ := node["left"].(map[string]any)
		right, _ := node["right"].(map[string]any)
		return append(s.from(left), s.from(right)...)
	case "BASE_TABLE":
		table, _ := node["table_name"].(string)
		r := relation{name: table, table: table}
		if i := slices.IndexFunc(s.ctes, func(c relation) bool { return strings.EqualFold(c.name, table) }); i >= 0 {
			r = s.ctes[i]
		}
		if alias != "" {
			r.name = alias
		}
		if renamed {
			r.table, r.query = "", nil
		}
		return []relation{r}
	case "SUBQUERY":
		query, _ := node["subquery"].(map[string]any)
		if renamed {
			query = nil
		}
		return []relation{{name: alias, query: queryNode(query), in: s}}
	}
	return []relation{{name: alias}}
}

// equal is the comparison of a column with a text; none of anything else.
func (s scope) equal(left, constant any) []compared {
	v, _ := constant.(map[string]any)
	value, _ := v["value"].(map[string]any)
	typ, _ := value["type"].(map[string]any)
	text, isText := value["value"].(string)
	if v["class"] != "CONSTANT" || typ["id"] != "VARCHAR" || !isText {
		return nil
	}
	if columns := s.columns(left); len(columns) > 0 {
		return []compared{{columns, text, s.either}}
	}
	return nil
}

// columns are those of tables that a reference may mean as they are; none of anything else.
func (s scope) columns(node any) (all []column) {
	c, _ := node.(map[string]any)
	names, _ := c["column_names"].([]any)
	if c["class"] != "COLUMN_REF" || len(names) == 0 {
		return nil
	}
	name, _ := names[len(names)-1].(string)
	qualifier := ""
	if len(names) > 1 {
		qualifier, _ = names[len(names)-2].(string)
	}
	for level, relations := range s.levels {
		for _, r := range relations {
			if qualifier != "" && !strings.EqualFold(r.name, qualifier) {
				continue
			}
			if r.table != "" {
				all = append(all, column{r.table, name, level})
			}
			for _, c := range r.in.made(r.query, name) {
				all = append(all, column{c.table, c.column, level})
			}
			if qualifier != "" {
				return all
			}
		}
	}
	return all
}

// made are the columns that a query takes a column of its own from, unchanged.
func (s scope) made(query map[string]any, name string) (all []column) {
	s.levels = nil
	s = s.within(query)
	items, _ := query["select_list"].([]any)
	for _, item := range items {
		i, _ := item.(map[string]any)
		names, _ := i["column_names"].([]any)
		alias, _ := i["alias"].(string)
		if alias == "" && len(names) > 0 {
			alias, _ = names[len(names)-1].(string)
		}
		if strings.EqualFold(alias, name) {
			return s.columns(item)
		}
	}
	for _, item := range items {
		i, _ := item.(map[string]any)
		if i["class"] == "STAR" && i["replace_list"] == nil && i["rename_list"] == nil {
			all = append(all, s.columns(map[string]any{"class": "COLUMN_REF", "column_names": []any{name}})...)
		}
	}
	return all
}
