package statement

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/agnes-data/da/api"
)

// walker walks a tree once, rejects what the grammar does not know, and collects
// the tables.
type walker struct {
	sql        string
	at         int // byte offset of the last node with a position; -1: none so far
	depth      int // depth of the current node
	subqueries int // subqueries of expressions that the current node is in
	relations  int // queries and tables so far
	scope      *scope
	tables     []mention
	// columns are the last parts of column names; star says that all columns are
	// selected.
	columns distinct
	star    bool
	calls   []string // names of functions, in lower case
	// nullCompared is the error for a comparison with NULL; nullTested says that NULL
	// IS NULL is asked, too, as where a value that may be none is filled in.
	nullCompared error
	nullTested   bool
	// backtracks says that some pattern may be tried without a time limit.
	backtracks bool
	results    bool // names of kept results are allowed as tables
	settings   map[string]string
}

// scope is the list of the names that WITH has defined so far, innermost first.
type scope struct {
	name      string
	recursive bool // defined by the very query that reads it
	outer     *scope
}

func (s *scope) find(name string) *scope {
	for ; s != nil; s = s.outer {
		if s.name == name {
			return s
		}
	}
	return nil
}

// mention is a table and its position in the text.
type mention struct {
	name string
	at   int
}

// names returns the tables in the order of the text, without duplicates.
func (w *walker) names() []string {
	slices.SortStableFunc(w.tables, func(a, b mention) int { return a.at - b.at })
	var names []string
	for _, m := range w.tables {
		if !slices.Contains(names, m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// visit checks a property's value against its family: a node, a list of nodes, or
// nothing.
func (w *walker) visit(f family, v any) error {
	if f == leaf {
		return w.plain(v)
	}
	switch v := v.(type) {
	case nil:
		return nil
	case []any:
		for _, item := range v {
			if err := w.visit(f, item); err != nil {
				return err
			}
		}
		return nil
	case map[string]any:
		w.depth++
		defer func() { w.depth-- }()
		if w.depth > maxDepth {
			return w.Refuse(api.KindTooDeep, "the statement is nested too deeply", "")
		}
		return w.node(f, v)
	}
	return w.unsupported(grammar[f].what, fmt.Sprintf("%T", v))
}

// node checks one node: its kind, its special rules, its properties.
func (w *walker) node(f family, node map[string]any) error {
	shape := grammar[f]
	kind := ""
	if shape.tag != "" {
		kind = name(node, shape.tag)
	}
	if at, ok := node["query_location"].(float64); ok {
		w.at = int(at)
	}
	if err := w.checkNode(f, kind, node); err != nil {
		return err
	}
	if f == expr && kind == "SUBQUERY" {
		w.subqueries++
		defer func() { w.subqueries-- }()
	}
	if f == query || f == table {
		w.relations++
	}
	switch {
	case w.subqueries > maxSubqueries:
		return w.Refuse(api.KindTooDeep, "there are too many subqueries inside one another", "Name them in a WITH clause.")
	case w.relations > maxRelations:
		return w.Refuse(api.KindTooLong, "the statement has too many queries and tables", "")
	}
	allowed, ok := shape.kinds[kind]
	if !ok {
		return w.unsupported(shape.what, kind)
	}
	for _, key := range slices.Sorted(maps.Keys(node)) {
		if _, ok := allowed[key]; !ok {
			return w.unsupported(shape.what, strings.TrimSpace(kind+" "+key))
		}
	}
	if f == query {
		return w.query(kind, node, allowed)
	}
	return w.properties(node, allowed)
}

func (w *walker) properties(node map[string]any, allowed props, except ...string) error {
	for _, key := range slices.Sorted(maps.Keys(node)) {
		if slices.Contains(except, key) {
			continue
		}
		if err := w.visit(allowed[key], node[key]); err != nil {
			return err
		}
	}
	return nil
}

// query checks a query node with the names that its WITH defines. An item can use
// those before it, the query can use all, and names that they hide are visible
// again after it.
func (w *walker) query(kind string, node map[string]any, allowed props) error {
	outer := w.scope
	defer func() { w.scope = outer }()
	items := child(node, "cte_map")
	for _, item := range list(items["map"]) {
		if err := w.visit(cteEntry, item); err != nil {
			return err
		}
		w.scope = &scope{name: lower(name(child(item, ""), "key")), outer: w.scope}
	}
	for key := range items {
		if _, ok := grammar[cteMap].kinds[""][key]; !ok {
			return w.unsupported(grammar[cteMap].what, key)
		}
	}
	if kind != "RECURSIVE_CTE_NODE" {
		return w.properties(node, allowed, "cte_map")
	}
	// Only the second part of a recursive query sees the name that it defines.
	if err := w.properties(node, allowed, "cte_map", "right"); err != nil {
		return err
	}
	w.scope = &scope{name: lower(name(node, "cte_name")), recursive: true, outer: w.scope}
	return w.visit(allowed["right"], node["right"])
}

// plain checks that a leaf really is one: no part of it looks like a node that
// calls or reads. Texts from the user are values here, never properties.
func (w *walker) plain(v any) error {
	switch v := v.(type) {
	case []any:
		for _, item := range v {
			if err := w.plain(item); err != nil {
				return err
			}
		}
	case map[string]any:
		for key, item := range v {
			switch key {
			case "class", "node", "function_name", "table_name", "query_location":
				return w.unsupported("constant", key)
			}
			if err := w.plain(item); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkNode checks what the grammar cannot express about a node.
func (w *walker) checkNode(f family, kind string, node map[string]any) error {
	switch f {
	case table:
		switch kind {
		case "BASE_TABLE":
			return w.baseTable(node)
		case "SHOW_REF":
			if _, ok := showKinds[name(node, "show_type")]; !ok || node["query"] == nil {
				return w.Refuse(api.KindNotSelect, "SHOW is not supported", show.hint, show.next...)
			}
		}
	case call:
		return w.function(name(node, "function_name"), true)
	case expr:
		switch kind {
		case "COLUMN_REF":
			w.column(list(node["column_names"]))
		case "STAR":
			w.star = true
		case "CONJUNCTION":
			return w.chain(node)
		case "CAST":
			if holdsType(node["cast_type"], "VARIANT") {
				// The engine converts nested JSON recursively, until its stack
				// overflows and the process crashes.
				return w.Refuse(api.KindUnsupported, "a cast to VARIANT is not supported", "Cast to JSON instead.")
			}
		case "FUNCTION", "WINDOW":
			called := name(node, "function_name")
			w.backtracks = w.backtracks || backtracks(lower(called), node)
			return w.function(called, false)
		case "COMPARISON":
			if w.nullCompared == nil && plainComparison[name(node, "type")] && (isNull(node["left"]) || isNull(node["right"])) {
				w.nullCompared = ComparesNull(w.sql, w.at)
			}
		case "OPERATOR":
			w.nullTested = w.nullTested || name(node, "type") == "OPERATOR_IS_NULL" && isNull(list(node["children"])[0])
			if op := name(node, "type"); !operators[op] {
				return w.unsupported("operator", op)
			}
		case "PARAMETER":
			return w.Refuse(api.KindParameter, "the statement has a parameter",
				"Write the value in its place: a text in single quotes, a number as it is.")
		}
	}
	return nil
}

// plainComparison has the comparisons that are NULL for a NULL.
var plainComparison = map[string]bool{
	"COMPARE_EQUAL": true, "COMPARE_NOTEQUAL": true, "COMPARE_LESSTHAN": true, "COMPARE_GREATERTHAN": true,
	"COMPARE_LESSTHANOREQUALTO": true, "COMPARE_GREATERTHANOREQUALTO": true,
}

// ComparesNull refuses a comparison with NULL, which selects nothing: who writes it
// means IS NULL.
func ComparesNull(sql string, offset int) error {
	return RefuseAt(sql, offset, api.KindTypeMismatch, "nothing is equal to NULL, nor above or below it", "Write x IS NULL or x IS NOT NULL.")
}

// isNull reports whether an expression is NULL itself.
func isNull(v any) bool {
	node, _ := v.(map[string]any)
	value, _ := node["value"].(map[string]any)
	return name(node, "class") == "CONSTANT" && value["is_null"] == true
}

// column notes the last part of a column's name.
func (w *walker) column(parts []any) {
	if len(parts) == 0 {
		return
	}
	if last, ok := parts[len(parts)-1].(string); ok {
		w.columns.add(last)
	}
}

// holdsType reports whether a type is of the kind, or has such a part.
func holdsType(v any, kind string) bool {
	switch v := v.(type) {
	case map[string]any:
		if name(v, "id") == kind {
			return true
		}
		for _, part := range v {
			if holdsType(part, kind) {
				return true
			}
		}
	case []any:
		for _, part := range v {
			if holdsType(part, kind) {
				return true
			}
		}
	}
	return false
}

// baseTable notes a table, unless WITH has defined it.
func (w *walker) baseTable(node map[string]any) error {
	written := name(node, "table_name")
	id := lower(written)
	defined := w.scope.find(id)
	if table, version := api.AsOf(written); table != "" && version != "" {
		id = lower(table) + "@" + version // tags are of one case
	}
	if schema, catalog := name(node, "schema_name"), name(node, "catalog_name"); schema != "" || catalog != "" {
		if schema == "recurring" && catalog == "" && defined != nil && defined.recursive {
			return nil // the way to name all rows so far of a recursive query
		}
		return w.Refuse(api.KindQualifiedName, fmt.Sprintf("table %q has a qualified name", api.Clip(written, 80)),
			fmt.Sprintf("Tables have one name: write %s.", api.Clip(written, 80)))
	}
	switch {
	case defined != nil:
		return nil
	case api.CheckTable(id) == nil, w.results && IsResult(id):
		w.tables = append(w.tables, mention{id, w.at})
		return nil
	case strings.ContainsAny(written, `./\:*?`):
		return w.Refuse(api.KindFileAccess, fmt.Sprintf("file %q can't be read", api.Clip(written, 80)),
			"Statements read tables by name. Files can't be read here.")
	}
	return w.Refuse(api.KindBadTableName, fmt.Sprintf("there can be no table %q", api.Clip(written, 80)),
		"Names of tables are lower-case ASCII letters, digits and underscores.")
}

func (w *walker) Refuse(kind, message, hint string, next ...api.Step) error {
	return RefuseAt(w.sql, w.at, kind, message, hint, next...)
}

// unsupported refuses a part of the tree that the grammar does not know.
func (w *walker) unsupported(what, which string) error {
	e := RefuseAt(w.sql, w.at, api.KindUnsupported, fmt.Sprintf("this %s is not supported: %s", what, api.Clip(which, 80)), "")
	e.Details["node"] = api.Clip(which, 80)
	return e
}

// lower folds a name as the engine does: ASCII only.
func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + ('a' - 'A')
		}
		return r
	}, s)
}

// name returns a text property, or "".
func name(node map[string]any, key string) string {
	s, _ := node[key].(string)
	return s
}

// child returns v[key], or v itself for "", as a node; nil if it is not one.
func child(v any, key string) map[string]any {
	node, _ := v.(map[string]any)
	if key == "" {
		return node
	}
	node, _ = node[key].(map[string]any)
	return node
}

func list(v any) []any {
	l, _ := v.([]any)
	return l
}
