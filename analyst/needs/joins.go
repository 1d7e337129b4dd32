package needs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/agnes-data/da/internal/engine/duckdb"
)

// Join says that a statement does not need rows of Table unless the value in
// Column also occurs in OtherColumn of Other. NULL never matches.
type Join struct {
	Table, Column      string
	Other, OtherColumn string
}

// Columns are the column names of each table, in order.
type Columns map[string][]string

// Joins finds the equalities that every needed row of a table must satisfy, from
// the syntax tree of a proven statement: those in the WHERE of the only SELECT
// that reads the table, and in the conditions of its inner joins. It finds
// nothing for a table that is read twice, or whose rows can reach the result in
// another way.
func Joins(ctx context.Context, conn *duckdb.Conn, sql string, columns Columns) ([]Join, error) {
	statements, err := syntax(ctx, conn, sql)
	if err != nil {
		return nil, err
	}
	f := &joins{columns: Columns{}, named: map[string]string{}, reads: map[string]int{}}
	for name, list := range columns {
		f.columns[strings.ToLower(name)], f.named[strings.ToLower(name)] = list, name
	}
	f.count(statements)
	f.walk(statements)
	return f.found, nil
}

// syntax returns the syntax tree of a statement; empty: the engine cannot tell it.
func syntax(ctx context.Context, conn *duckdb.Conn, sql string) ([]any, error) {
	var tree string
	if err := conn.QueryRow(ctx, "SELECT json_serialize_sql($1::VARCHAR, skip_null := true, skip_empty := true, skip_default := true)::VARCHAR", []any{sql}, &tree); err != nil {
		return nil, err
	}
	var statements struct {
		List []any `json:"statements"`
	}
	if err := json.Unmarshal([]byte(tree), &statements); err != nil {
		return nil, fmt.Errorf("read the engine's tree: %w", err)
	}
	return statements.List, nil
}

// joins searches a tree for equalities. Table names are in lower case.
type joins struct {
	columns Columns
	named   map[string]string // table names in their original case
	reads   map[string]int    // how often a table is read
	found   []Join
}

// tree is a node of the engine's syntax tree.
type tree = map[string]any

func text(n tree, key string) string { s, _ := n[key].(string); return s }

func child(n tree, key string) tree { c, _ := n[key].(tree); return c }

func list(n tree, key string) []any { l, _ := n[key].([]any); return l }

// eachNode calls f for every node of a tree.
func eachNode(v any, f func(tree)) {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			eachNode(item, f)
		}
	case tree:
		f(v)
		for _, item := range v {
			eachNode(item, f)
		}
	}
}

// count counts how often each table is read. A name defined by WITH is not a
// table.
func (f *joins) count(v any) {
	eachNode(v, func(n tree) {
		if text(n, "type") == "BASE_TABLE" {
			f.reads[strings.ToLower(text(n, "table_name"))]++
		}
		for _, entry := range list(child(n, "cte_map"), "map") {
			if e, ok := entry.(tree); ok {
				delete(f.columns, strings.ToLower(text(e, "key")))
			}
		}
	})
}

func (f *joins) walk(v any) {
	eachNode(v, func(n tree) {
		if text(n, "type") == "SELECT_NODE" && n["sample"] == nil {
			f.sel(n)
		}
	})
}

// operand is one item of a FROM.
type operand struct {
	table, alias string // table: empty unless the item is a table
	direct       bool   // its rows reach the condition through joins that keep or drop whole rows
}

// sel examines one SELECT.
func (f *joins) sel(n tree) {
	aliases := map[string]bool{}
	for _, item := range list(n, "select_list") {
		if i, ok := item.(tree); ok {
			aliases[strings.ToLower(text(i, "alias"))] = true
		}
	}
	from := f.operands(child(n, "from_table"))
	f.conditions(child(n, "where_clause"), from, aliases)
}

// operands returns the operands of a FROM, and examines the conditions of its joins.
func (f *joins) operands(n tree) []operand {
	switch text(n, "type") {
	case "BASE_TABLE":
		o := operand{alias: strings.ToLower(text(n, "alias")), direct: n["sample"] == nil}
		table := strings.ToLower(text(n, "table_name"))
		if o.alias == "" {
			o.alias = table
		}
		if f.columns[table] != nil && n["column_name_alias"] == nil && n["schema_name"] == nil && n["catalog_name"] == nil {
			o.table = table
		}
		return []operand{o}
	case "JOIN":
		return f.join(n)
	}
	return []operand{{alias: strings.ToLower(text(n, "alias"))}}
}

func (f *joins) join(n tree) []operand {
	left, right := f.operands(child(n, "left")), f.operands(child(n, "right"))
	kind, form := text(n, "join_type"), text(n, "ref_type")
	ordinary := (form == "REGULAR" || form == "CROSS") && n["sample"] == nil
	both := slices.Concat(left, right)
	if ordinary && (kind == "INNER" || kind == "SEMI") {
		f.conditions(child(n, "condition"), both, nil)
		for _, c := range list(n, "using_columns") {
			name, _ := c.(string)
			a, okA := f.resolve([]string{name}, left)
			b, okB := f.resolve([]string{name}, right)
			if okA && okB {
				f.equal(a, b)
			}
		}
	}
	if kind == "SEMI" || kind == "ANTI" {
		return indirect(left, !ordinary)
	}
	return indirect(both, !ordinary || kind != "INNER" && kind != "LEFT")
}

// indirect marks operands whose rows are changed on the way.
func indirect(all []operand, lost bool) []operand {
	out := slices.Clone(all)
	for i := range out {
		out[i].direct = out[i].direct && !lost
	}
	return out
}

// field is a column of an operand.
type field struct {
	operand
	column string
}

// resolve finds the column that a name refers to.
func (f *joins) resolve(parts []string, from []operand) (field, bool) {
	var found []field
	for _, o := range from {
		switch {
		case len(parts) == 2 && !strings.EqualFold(parts[0], o.alias):
			continue
		case o.table == "": // its columns are unknown
			return field{}, false
		}
		for _, c := range f.columns[o.table] {
			if strings.EqualFold(c, parts[len(parts)-1]) {
				found = append(found, field{o, c})
			}
		}
	}
	if len(found) != 1 || len(parts) > 2 {
		return field{}, false
	}
	return found[0], true
}

// conditions examines conditions that must all be TRUE.
func (f *joins) conditions(n tree, from []operand, aliases map[string]bool) {
	column := func(n tree) (field, bool) {
		var parts []string
		for _, p := range list(n, "column_names") {
			s, _ := p.(string)
			parts = append(parts, s)
		}
		if text(n, "class") != "COLUMN_REF" || len(parts) == 0 || len(parts) == 1 && aliases[strings.ToLower(parts[0])] {
			return field{}, false
		}
		return f.resolve(parts, from)
	}
	switch text(n, "type") {
	case "CONJUNCTION_AND":
		for _, c := range list(n, "children") {
			one, _ := c.(tree)
			f.conditions(one, from, aliases)
		}
	case "COMPARE_EQUAL":
		a, okA := column(child(n, "left"))
		b, okB := column(child(n, "right"))
		if okA && okB {
			f.equal(a, b)
		}
	case "SUBQUERY":
		inner := child(child(n, "subquery"), "node")
		items := list(inner, "select_list")
		if text(n, "subquery_type") != "ANY" || text(n, "comparison_type") != "COMPARE_EQUAL" || text(inner, "type") != "SELECT_NODE" ||
			len(items) != 1 {
			return
		}
		item, _ := items[0].(tree)
		outer, ok := column(child(n, "child"))
		if !ok {
			return
		}
		quiet := &joins{columns: f.columns, named: f.named, reads: f.reads} // walk examines its own conditions
		from, aliases = quiet.operands(child(inner, "from_table")), nil
		if listed, ok := column(item); ok {
			f.narrows(outer, listed)
		}
	}
}

func (f *joins) equal(a, b field) {
	f.narrows(a, b)
	f.narrows(b, a)
}

// narrows records that rows of a are useless without a matching value in b.
func (f *joins) narrows(a, b field) {
	j := Join{f.named[a.table], a.column, f.named[b.table], b.column}
	if a.direct && f.reads[a.table] == 1 && a.table != b.table && !slices.Contains(f.found, j) {
		f.found = append(f.found, j)
	}
}
