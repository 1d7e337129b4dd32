package hidden

import (
	"strings"
	"sync"
)

// shape says what of an answer is sent: the members that it names and nothing else.
type shape struct {
	// rows says that the object has rows, which become a result. Names of columns are
	// those of a table, or of a statement, which can make names of values.
	rows    rowsOf
	members map[string]*shape
	// any is the shape of members of other names; nil: they are not sent.
	any *shape
}

type rowsOf int

const (
	noRows rowsOf = iota
	ofTable
	ofStatement
)

// Shapes of the answers of tools, each a list of members, with those of objects and of
// lists of objects in parentheses. TABLE and STATEMENT stand for rows, * for a member of
// any name. A tool that is not in the list is not offered, and its answer is not sent.
var shapes = sync.OnceValue(func() map[string]*shape {
	return map[string]*shape{
		"catalog_search": parsed("tables(id description source_type query_mode sql_flavor size_hint columns(name type required description) columns_total partition_by row_count where_dialect_hints(*)) tables_total columns_known"),
		"catalog_schema": parsed("table_id source_type sql_flavor description columns(name type required nullable description) columns_total partition_by clustered_by row_count size_bytes where_dialect_hints(*)"),
		"catalog_sample": parsed("table_id TABLE"),
		"metric":         parsed("metrics(name description) dimensions(name grains description) from(*) STATEMENT"),
		"joins":          parsed("joins(column to multiplicity known_from coverage)"),
		"context":        parsed("text"),
		"where_check":    parsed("table_id sql_flavor columns uses_clock"),
		"fetch_estimate": parsed("table_id " + estimate),
		"fetch":          parsed("snapshot(" + snapshot + ") estimate(table_id " + estimate + ") remaining(*)"),
		"plan":           parsed("tables(table_id from select estimated_scan_bytes) estimated_scan_bytes bq_cost_estimate_usd"),
		"query":          parsed("from(*) STATEMENT results(from(*) STATEMENT) failed"),
		"query_remote":   parsed("STATEMENT results(STATEMENT) failed"),

		"snapshot_list":    parsed("snapshots(" + snapshot + ") snapshots_total"),
		"snapshot_refresh": parsed("snapshot(" + snapshot + ") identical rows_before rows_delta"),
		"snapshot_restore": parsed("snapshot(" + snapshot + ")"),
		"snapshot_import":  parsed("snapshot(" + snapshot + ")"),
		"import_file":      parsed("snapshot(" + snapshot + ")"),
		"quota":            parsed("resets_at result_bytes scan_bytes daily_bytes_limit remaining(*)"),

		"list_datasets":      parsed("datasets(name kind bytes row_count column_count) datasets_total"),
		"get_dataset_info":   parsed("name kind sheet row_count column_count columns(name type) columns_shown"),
		"find_value_columns": parsed("name row_count columns(name type rows_equal rows_containing) columns_total"),
		"table_get_map":      parsed("format delimiter encoding_detected has_header sheet sheets(name rows columns) row_count column_count columns(name inferred_type precision scale) columns_shown"),
		"table_describe":     parsed("row_count column_count columns(" + counts + ") columns_shown"),
		"table_stats":        parsed("row_count columns(" + counts + ") columns_total columns_shown"),
		"table_read_rows":    parsed("TABLE"),
		"table_query":        parsed("STATEMENT"),
		"table_export":       parsed("target_path format sheet row_count column_count"),

		"list_files":    parsed("files(name size mime_type version) total"),
		"get_file_info": parsed("name size mime_type version kind workbook(sheets(name rows columns))"),
		"add_result":    parsed("file(name size version) at rows"),

		"send_data_to_ui_as_df": parsed("shown(STATEMENT)"),
		"send_chart_to_ui":      parsed("shown(STATEMENT)"),
		"open_tools":            parsed("opened advice"),
	}
})

const (
	estimate = "estimated_scan_bytes estimated_billed_bytes estimated_result_rows rows_low rows_high estimated_result_bytes bq_cost_estimate_usd table_rows exceeds_max_limit"
	snapshot = "name table_id columns rows bytes_local fetched_at truncated"
	counts   = "name type inferred_type nullable non_null_count null_count distinct_estimate"
	// always are members that any answer can have.
	always = " begin end truncated caveats(kind about(table snapshot)) next(tool) error(*)"
)

// Knows reports whether the values in the answers of a tool can be kept from a model.
func Knows(tool string) bool { return shapes()[tool] != nil }

// parsed reads a shape.
func parsed(text string) *shape {
	s, _ := members(strings.Fields(strings.NewReplacer("(", " ( ", ")", " ) ").Replace(text + always)))
	return s
}

func members(words []string) (*shape, []string) {
	s := &shape{members: map[string]*shape{}}
	for len(words) > 0 {
		name := words[0]
		words = words[1:]
		within := &shape{}
		if len(words) > 0 && words[0] == "(" {
			within, words = members(words[1:])
		}
		switch name {
		case ")":
			return s, words
		case "*":
			s.any = within
		case "TABLE":
			s.rows = ofTable
		case "STATEMENT":
			s.rows = ofStatement
		default:
			s.members[name] = within
		}
	}
	return s, nil
}
