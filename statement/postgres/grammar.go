package postgres

import (
	"sync"

	"github.com/agnes-data/da/internal/words/wordset"
)

// grammar lists what is known to be harmless: for each kind of node, the fields
// that can be set. Any other kind or field of the parser is rejected.
var grammar = sync.OnceValue(func() map[string]*wordset.Set {
	return map[string]*wordset.Set{
		"Node":        nil, // a wrapper around one of the others
		"RawStmt":     wordset.New("stmt stmt_location stmt_len"),
		"SelectStmt":  wordset.New("distinct_clause target_list from_clause where_clause group_clause group_distinct having_clause window_clause values_lists sort_clause limit_offset limit_count limit_option with_clause op all larg rarg"),
		"ResTarget":   wordset.New("name val location"),
		"ColumnRef":   wordset.New("fields location"),
		"A_Star":      {},
		"String":      wordset.New("sval"),
		"Integer":     wordset.New("ival"),
		"Float":       wordset.New("fval"),
		"Boolean":     wordset.New("boolval"),
		"BitString":   wordset.New("bsval"),
		"A_Const":     wordset.New("ival fval boolval sval bsval isnull location"),
		"A_Expr":      wordset.New("kind name lexpr rexpr location"),
		"BoolExpr":    wordset.New("boolop args location"),
		"NullTest":    wordset.New("arg nulltesttype argisrow location"),
		"BooleanTest": wordset.New("arg booltesttype location"),

		"CaseExpr":         wordset.New("arg args defresult location"),
		"CaseWhen":         wordset.New("expr result location"),
		"CoalesceExpr":     wordset.New("args location"),
		"MinMaxExpr":       wordset.New("op args location"),
		"TypeCast":         wordset.New("arg type_name location"),
		"TypeName":         wordset.New("names typmods typemod array_bounds location"),
		"FuncCall":         wordset.New("funcname args agg_order agg_filter over agg_within_group agg_star agg_distinct funcformat location"),
		"SubLink":          wordset.New("sub_link_type testexpr oper_name subselect location"),
		"A_ArrayExpr":      wordset.New("elements location list_start list_end"),
		"A_Indices":        wordset.New("is_slice lidx uidx"),
		"A_Indirection":    wordset.New("arg indirection"),
		"RowExpr":          wordset.New("args row_format colnames location"),
		"CollateClause":    wordset.New("arg collname location"),
		"SQLValueFunction": wordset.New("op typmod location"),
		"GroupingSet":      wordset.New("kind content location"),
		"GroupingFunc":     wordset.New("args location"),

		"SortBy":          wordset.New("node sortby_dir sortby_nulls location"),
		"WindowDef":       wordset.New("name refname partition_clause order_clause frame_options start_offset end_offset location"),
		"WithClause":      wordset.New("ctes recursive location"),
		"CommonTableExpr": wordset.New("ctename aliascolnames ctematerialized ctequery location"),
		"RangeVar":        wordset.New("relname inh relpersistence alias location"),
		"RangeSubselect":  wordset.New("lateral subquery alias"),
		"RangeFunction":   wordset.New("lateral ordinality is_rowsfrom functions alias"),
		"JoinExpr":        wordset.New("jointype is_natural larg rarg using_clause join_using_alias quals alias"),
		"Alias":           wordset.New("aliasname colnames"),
		"List":            wordset.New("items"),
	}
})

// what maps grammar names to names that people know.
var what = map[string]string{
	"into_clause": "SELECT INTO", "locking_clause": "FOR UPDATE and the like", "ParamRef": "a parameter", "RangeTableSample": "TABLESAMPLE",
	"func_variadic": "VARIADIC", "catalogname": "a database's name", "schemaname": "a schema's name", "XmlExpr": "XML", "XmlSerialize": "XML",
	"CurrentOfExpr": "CURRENT OF", "SetToDefault": "DEFAULT", "search_clause": "SEARCH", "cycle_clause": "CYCLE",
	"coldeflist": "a list of column definitions",
	"InsertStmt": "INSERT", "UpdateStmt": "UPDATE", "DeleteStmt": "DELETE", "MergeStmt": "MERGE", "use_op": "ORDER BY … USING",
	"setof": "SETOF", "pct_type": "%TYPE",
}
