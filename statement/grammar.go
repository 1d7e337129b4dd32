package statement

// family is a group of nodes that may appear in the same place of the tree.
type family uint8

const (
	// leaf is for names, numbers and constants. They neither read nor call
	// anything, so they are not examined.
	leaf family = iota
	statement
	subquery
	query
	cteMap
	cteEntry
	cte
	table
	call // a function in FROM
	expr
	caseCheck
	replacement
	modifier
	order
	pivot
	pivotEntry
)

// shape describes a family.
type shape struct {
	// what names the family in messages.
	what string
	// tag is the property with a node's kind; "" if there is only one kind.
	tag string
	// kinds maps a kind to its properties, and each property to the family of its
	// content.
	kinds map[string]props
}

type props map[string]family

// grammar is the allow-list for the trees of DuckDB 1.5: any kind of node or
// property that is missing here is rejected.
var grammar = map[family]shape{
	statement:   oneShape("statement", props{"node": query, "named_param_map": leaf}),
	subquery:    oneShape("subquery", props{"node": query}),
	cteMap:      oneShape("WITH list", props{"map": cteEntry}),
	cteEntry:    oneShape("WITH item", props{"key": leaf, "value": cte}),
	cte:         oneShape("WITH item", props{"aliases": leaf, "query": subquery, "materialized": leaf, "key_targets": expr}),
	caseCheck:   oneShape("CASE branch", props{"when_expr": expr, "then_expr": expr}),
	replacement: oneShape("REPLACE item", props{"key": leaf, "value": expr}),
	order:       oneShape("ORDER BY item", props{"type": leaf, "null_order": leaf, "expression": expr}),
	pivot:       oneShape("PIVOT column", props{"pivot_expressions": expr, "unpivot_names": leaf, "entries": pivotEntry}),
	pivotEntry:  oneShape("PIVOT value", props{"values": leaf, "alias": leaf, "star_expr": expr}),
	query:       {what: "query", tag: "type", kinds: queryKinds},
	table:       {what: "table", tag: "type", kinds: tableKinds},
	expr:        {what: "expression", tag: "class", kinds: exprKinds},
	call:        {what: "table function", tag: "class", kinds: map[string]props{"FUNCTION": exprKinds["FUNCTION"]}},
	modifier: {what: "modifier", tag: "type", kinds: map[string]props{
		"LIMIT_MODIFIER":         {"type": leaf, "limit": expr, "offset": expr},
		"LIMIT_PERCENT_MODIFIER": {"type": leaf, "limit": expr, "offset": expr},
		"ORDER_MODIFIER":         {"type": leaf, "orders": order},
		"DISTINCT_MODIFIER":      {"type": leaf, "distinct_on_targets": expr},
	}},
}

func oneShape(what string, p props) shape { return shape{what: what, kinds: map[string]props{"": p}} }

// with returns p with the properties that are common to the family.
func (p props) with(all props) props {
	for k, v := range all {
		p[k] = v
	}
	return p
}

var queryProps = props{"type": leaf, "modifiers": modifier, "cte_map": cteMap}

var queryKinds = map[string]props{
	"SELECT_NODE": props{
		"select_list": expr, "from_table": table, "where_clause": expr, "group_expressions": expr,
		"group_sets": leaf, "aggregate_handling": leaf, "having": expr, "sample": leaf, "qualify": expr,
	}.with(queryProps),
	"SET_OPERATION_NODE": props{
		"setop_type": leaf, "left": query, "right": query, "setop_all": leaf, "children": query,
	}.with(queryProps),
	"RECURSIVE_CTE_NODE": props{
		"cte_name": leaf, "union_all": leaf, "left": query, "right": query, "aliases": leaf, "key_targets": expr,
	}.with(queryProps),
}

var tableProps = props{"type": leaf, "alias": leaf, "sample": leaf, "query_location": leaf, "column_name_alias": leaf}

var tableKinds = map[string]props{
	"EMPTY":      props{}.with(tableProps),
	"BASE_TABLE": props{"table_name": leaf, "schema_name": leaf, "catalog_name": leaf}.with(tableProps),
	"SUBQUERY":   props{"subquery": subquery}.with(tableProps),
	"JOIN": props{
		"left": table, "right": table, "condition": expr, "join_type": leaf, "ref_type": leaf, "using_columns": leaf,
	}.with(tableProps),
	"TABLE_FUNCTION":  props{"function": call, "with_ordinality": leaf}.with(tableProps),
	"EXPRESSION_LIST": props{"values": expr, "expected_names": leaf, "expected_types": leaf}.with(tableProps),
	"PIVOT": props{
		"source": table, "aggregates": expr, "pivots": pivot, "groups": leaf, "unpivot_names": leaf, "include_nulls": leaf,
	}.with(tableProps),
	"SHOW_REF": props{"query": query, "show_type": leaf}.with(tableProps),
}

var exprProps = props{"class": leaf, "type": leaf, "alias": leaf, "query_location": leaf}

var exprKinds = map[string]props{
	"CONSTANT":             props{"value": leaf}.with(exprProps),
	"COLUMN_REF":           props{"column_names": leaf}.with(exprProps),
	"POSITIONAL_REFERENCE": props{"index": leaf}.with(exprProps),
	"STAR": props{
		"relation_name": leaf, "exclude_list": leaf, "qualified_exclude_list": leaf, "rename_list": leaf,
		"replace_list": replacement, "columns": leaf, "expr": expr,
	}.with(exprProps),
	"FUNCTION": props{
		"function_name": leaf, "schema": leaf, "catalog": leaf, "children": expr, "filter": expr,
		"order_bys": modifier, "distinct": leaf, "is_operator": leaf,
	}.with(exprProps),
	"WINDOW": props{
		"function_name": leaf, "schema": leaf, "catalog": leaf, "children": expr, "partitions": expr,
		"orders": order, "start": leaf, "end": leaf, "start_expr": expr, "end_expr": expr, "offset_expr": expr,
		"default_expr": expr, "ignore_nulls": leaf, "filter_expr": expr, "exclude_clause": leaf, "distinct": leaf,
		"arg_orders": order,
	}.with(exprProps),
	"OPERATOR":    props{"children": expr}.with(exprProps),
	"CONJUNCTION": props{"children": expr}.with(exprProps),
	"COMPARISON":  props{"left": expr, "right": expr}.with(exprProps),
	"BETWEEN":     props{"input": expr, "lower": expr, "upper": expr}.with(exprProps),
	"CASE":        props{"case_checks": caseCheck, "else_expr": expr}.with(exprProps),
	"CAST":        props{"child": expr, "cast_type": leaf, "try_cast": leaf}.with(exprProps),
	"COLLATE":     props{"child": expr, "collation": leaf}.with(exprProps),
	"LAMBDA":      props{"lhs": expr, "expr": expr, "syntax_type": leaf}.with(exprProps),
	"SUBQUERY": props{
		"subquery_type": leaf, "subquery": subquery, "child": expr, "comparison_type": leaf,
	}.with(exprProps),
}

// operators are the kinds of an OPERATOR node: forms of the language, not
// functions of a catalog.
var operators = map[string]bool{
	"OPERATOR_NOT": true, "OPERATOR_IS_NULL": true, "OPERATOR_IS_NOT_NULL": true, "OPERATOR_COALESCE": true,
	"OPERATOR_NULLIF": true, "OPERATOR_TRY": true, "OPERATOR_UNPACK": true, "COMPARE_IN": true,
	"COMPARE_NOT_IN": true, "ARRAY_CONSTRUCTOR": true, "ARRAY_EXTRACT": true, "ARRAY_SLICE": true,
	"STRUCT_EXTRACT": true, "GROUPING_FUNCTION": true, "ARROW": true,
}

// showKinds are the SHOW nodes that describe a query and not the catalog.
var showKinds = map[string]Kind{"DESCRIBE": KindDescribe, "SUMMARY": KindSummarize}
