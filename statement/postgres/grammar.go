package postgres

// grammar lists what is known to be harmless: for each kind of node, the fields
// that can be set. Any other kind or field of the parser is rejected.
var grammar = map[string]map[string]bool{
	"Node":        nil, // a wrapper around one of the others
	"RawStmt":     words("stmt stmt_location stmt_len"),
	"SelectStmt":  words("distinct_clause target_list from_clause where_clause group_clause group_distinct having_clause window_clause values_lists sort_clause limit_offset limit_count limit_option with_clause op all larg rarg"),
	"ResTarget":   words("name val location"),
	"ColumnRef":   words("fields location"),
	"A_Star":      {},
	"String":      words("sval"),
	"Integer":     words("ival"),
	"Float":       words("fval"),
	"Boolean":     words("boolval"),
	"BitString":   words("bsval"),
	"A_Const":     words("ival fval boolval sval bsval isnull location"),
	"A_Expr":      words("kind name lexpr rexpr location"),
	"BoolExpr":    words("boolop args location"),
	"NullTest":    words("arg nulltesttype argisrow location"),
	"BooleanTest": words("arg booltesttype location"),

	"CaseExpr":         words("arg args defresult location"),
	"CaseWhen":         words("expr result location"),
	"CoalesceExpr":     words("args location"),
	"MinMaxExpr":       words("op args location"),
	"TypeCast":         words("arg type_name location"),
	"TypeName":         words("names typmods typemod array_bounds location"),
	"FuncCall":         words("funcname args agg_order agg_filter over agg_within_group agg_star agg_distinct funcformat location"),
	"SubLink":          words("sub_link_type testexpr oper_name subselect location"),
	"A_ArrayExpr":      words("elements location list_start list_end"),
	"A_Indices":        words("is_slice lidx uidx"),
	"A_Indirection":    words("arg indirection"),
	"RowExpr":          words("args row_format colnames location"),
	"CollateClause":    words("arg collname location"),
	"SQLValueFunction": words("op typmod location"),
	"GroupingSet":      words("kind content location"),
	"GroupingFunc":     words("args location"),

	"SortBy":          words("node sortby_dir sortby_nulls location"),
	"WindowDef":       words("name refname partition_clause order_clause frame_options start_offset end_offset location"),
	"WithClause":      words("ctes recursive location"),
	"CommonTableExpr": words("ctename aliascolnames ctematerialized ctequery location"),
	"RangeVar":        words("relname inh relpersistence alias location"),
	"RangeSubselect":  words("lateral subquery alias"),
	"RangeFunction":   words("lateral ordinality is_rowsfrom functions alias"),
	"JoinExpr":        words("jointype is_natural larg rarg using_clause join_using_alias quals alias"),
	"Alias":           words("aliasname colnames"),
	"List":            words("items"),
}

// what maps grammar names to names that people know.
var what = map[string]string{
	"into_clause": "SELECT INTO", "locking_clause": "FOR UPDATE and the like", "ParamRef": "a parameter", "RangeTableSample": "TABLESAMPLE",
	"func_variadic": "VARIADIC", "catalogname": "a database's name", "schemaname": "a schema's name", "XmlExpr": "XML", "XmlSerialize": "XML",
	"CurrentOfExpr": "CURRENT OF", "SetToDefault": "DEFAULT", "search_clause": "SEARCH", "cycle_clause": "CYCLE", "coldeflist": "a list of column definitions",
	"InsertStmt": "INSERT", "UpdateStmt": "UPDATE", "DeleteStmt": "DELETE", "MergeStmt": "MERGE", "use_op": "ORDER BY … USING", "setof": "SETOF", "pct_type": "%TYPE",
}
