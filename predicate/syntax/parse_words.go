package syntax

import (
	"fmt"
	"strings"

	"github.com/agnes-data/da/api"
	"github.com/agnes-data/da/internal/words/wordset"
)

// These words only affect the wording of errors and which names must be quoted.
// Everything that is accepted is in the catalogue.
var (
	ddlWords = wordset.New(`create insert update delete drop truncate alter copy merge grant revoke call execute exec attach detach
		export import install load pragma set reset vacuum analyze replace begin commit rollback prepare declare do explain
		checkpoint comment lock listen notify use show describe summarize pivot unpivot`)
	// operatorWords can follow a column, so that a column named like a statement
	// can be used.
	operatorWords = wordset.New(`is in not between like ilike and or isnull notnull similar at collate then end when else as from desc asc glob`)
	trailingWords = wordset.New(`limit order group having offset fetch for window qualify union intersect except where tablesample
		sample using returning join cross inner left right full natural on into from minus`)
	aggregateFunctions = wordset.New(`count sum avg min max array_agg string_agg any_value countif logical_and logical_or bit_and bit_or
		bit_xor stddev stddev_pop stddev_samp variance var_pop var_samp corr covar_pop covar_samp approx_count_distinct
		approx_quantiles approx_top_count approx_top_sum array_concat_agg median mode quantile quantile_cont quantile_disc
		percentile_cont percentile_disc list first last arg_min arg_max min_by max_by max_if min_if sum_if count_if count_star bool_and bool_or every
		json_agg jsonb_agg json_object_agg jsonb_object_agg xmlagg group_concat listagg histogram product kurtosis skewness
		entropy mad regr_slope regr_intercept regr_r2 regr_count grouping hll_count sumif avgif favg fsum sumkahan
		bitstring_agg geomean geometric_mean approx_quantile reservoir_quantile range_agg`)
	windowFunctions   = wordset.New(`row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value`)
	externalFunctions = wordset.New(`external_query bigquery_query bigquery_scan bigquery_execute postgres_query postgres_scan postgres_execute
		mysql_query mysql_execute sqlite_query sqlite_scan query query_table read_csv read_csv_auto read_parquet parquet_scan read_json read_json_auto
		read_ndjson read_ndjson_auto read_json_objects read_text read_blob read_xlsx sniff_csv glob parquet_metadata parquet_schema dblink dblink_exec
		pg_read_file pg_read_binary_file pg_ls_dir pg_stat_file lo_import lo_export lo_get query_to_xml query_to_json table_to_xml
		json_execute_serialized_sql getenv getvariable nextval currval setval duckdb_secrets duckdb_settings file_read http_get iceberg_scan delta_scan arrow_scan`)

	// callableReserved are reserved words that are functions all the same.
	callableReserved = wordset.New(`if left right cast extract try_cast array`)
	intervalUnits    = wordset.New(`microsecond microseconds millisecond milliseconds second seconds minute minutes hour hours day days week weeks
		month months quarter quarters year years decade decades century centuries`)
)

// unexpected explains the token that the parser is at.
func (p *parser) unexpected(expected string) error {
	t := p.cur()
	w := Lower(t.Text)
	f := &Fault{Kind: api.KindSyntaxError, At: t.At, Found: Clip(p.src[t.At:t.End]), Expected: expected}
	f.Msg = fmt.Sprintf("found %q where %s should be", f.Found, expected)
	switch {
	case t.Kind == TokenEnd:
		f.Found, f.Msg = "the end", fmt.Sprintf("the predicate ends where %s should be", expected)
	case t.Kind == TokenWord && (w == "select" || w == "values"):
		return nestedSelect(*t)
	case t.Kind == TokenWord && p.trailing(w):
		f.Kind = api.KindTrailingClause
		f.Msg = fmt.Sprintf("%s starts another clause; a predicate is only one condition", strings.ToUpper(w))
		f.Hint = "Order and number of rows are not part of a predicate."
		f.Next = []api.Step{api.Set(api.OptionOrderBy, "order the rows"), api.Set(api.OptionLimit, "bound their number")}
	case t.Kind == TokenWord && ddlWords.Has(w) && p.ahead(1).Kind == TokenWord:
		f.Kind, f.Msg = api.KindDDLInPredicate, strings.ToUpper(w)+" is a statement, not a condition"
	case t.Kind == TokenWord && (w == "over" || w == "filter"):
		f.Kind, f.Msg = api.KindWindow, "window functions and their clauses can't be used in a predicate"
	case t.Kind == TokenString && p.at > 0 && p.toks[p.at-1].Kind == TokenWord && p.toks[p.at-1].End == t.At:
		f.Hint = fmt.Sprintf("A text has no %s before it here.", p.toks[p.at-1].Text)
	default:
		f.Hint = p.operatorHint(*t, w)
	}
	return f
}

// trailing reports whether a word starts a clause, as opposed to a column of the
// same name after an operator.
func (p *parser) trailing(w string) bool {
	return p.at > 0 && trailingWords.Has(w) && (p.d.Reserved[w] || w == "limit" || w == "offset" || w == "minus" || w == "sample" ||
		w == "qualify")
}

const (
	jsonHint = "Parts of JSON can't be tested here: fetch the column and query it locally."
	noLists  = "Lists can't be written here: x IN (1, 2) tests for several values."
)

// operatorHint suggests replacements for operators and words of other dialects.
func (p *parser) operatorHint(t Token, w string) string {
	if hint := p.d.operatorHints[w]; hint != "" && (t.Kind == TokenWord || t.Kind == TokenSign) {
		return hint
	}
	if t.Kind == TokenWord {
		switch w {
		case "xor":
			return "XOR is not part of this dialect: write (a) != (b), or (a AND NOT b) OR (NOT a AND b)."
		case "ilike":
			return "Write LOWER(x) LIKE 'pattern'."
		case "not":
			if p.ahead(1).word("similar") {
				return "Use NOT LIKE or a regular expression."
			}
		case "unnest":
			return "Write the values in parentheses: x IN (1, 2)."
		case "similar", "glob":
			return "Use LIKE or a regular expression."
		case "contains":
			return "Write x LIKE '%text%'."
		case "escape":
			return ""
		case "collate":
			return "Compare texts in one case: lower(x) = 'text'."
		case "isnull", "notnull":
			return "Write x IS NULL or x IS NOT NULL."
		case "at":
			return "Time zones are given to functions here: EXTRACT(HOUR FROM x AT TIME ZONE 'Europe/Prague')."
		}
		return ""
	}
	switch t.Text {
	case "&&":
		return "Conditions are joined with AND."
	case "||":
		return "Conditions are joined with OR."
	case "!":
		return "A condition is negated with NOT."
	case "==":
		return "Equality is written with one equals sign: a = b."
	case "<=>":
		return "Write a IS NOT DISTINCT FROM b."
	case "::":
		return "Write CAST(x AS type)."
	case "%":
		return "Write MOD(a, b)."
	case "^", "**":
		return "Write power(a, b)."
	case "->", "->>", "#>", "#>>":
		return jsonHint
	case "&", "|", "<<", ">>", "#":
		return "Bits can't be tested here: fetch the column and query it locally."
	case "[":
		return noLists
	case "@>", "<@":
		return "Test single elements."
	case ")":
		return "There are more closing than opening parentheses."
	case ",":
		return "Conditions are joined with AND or OR."
	case "=", "<>", "!=", "<", "<=", ">", ">=":
		return "Comparisons don't chain: write a < b AND b < c."
	case "{", "}":
		return "Struct values can't be written here: compare the fields one by one."
	}
	return ""
}
