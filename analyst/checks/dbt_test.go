package checks

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/agnes-data/da/internal/testing/enginetest"
)

// TestTestsOfDBT reads the forms in which dbt lets people write tests, and names what it
// does not know.
func TestTestsOfDBT(t *testing.T) {
	for test, want := range map[string]string{
		"not_null":    "not_null(a)",
		"{not_null:}": "not_null(a)",
		"{unique: {name: one of each, severity: warn}}":                                                       "one of each warn",
		"{name: mine, test_name: not_null, config: {severity: WARN}}":                                         "mine warn",
		"{relationships: {arguments: {to: \"source('raw', 'shops')\", field: id}}}":                           "relationships(a to shops.id)",
		"{relationships: {to: \"ref('pkg', 'shops')\", field: id}}":                                           "relationships(a to shops.id)",
		"{dbt_utils.expression_is_true: {expression: '> 0'}}":                                                 "a > 0",
		"{not_null: {config: {where: b > 1}}}":                                                                "not_null(a)",
		"{relationships: {field: id}}":                                                                        "unread: relationships: a column or another part is missing",
		"{accepted_values: {values: [x], quote: false}}":                                                      "unread: da does not know its argument quote",
		"{unique: {config: {where: b > 1}}}":                                                                  "unique(a)",
		"{unique: {tags: [x], meta: {owner: me}, config: {warn_if: '> 0', store_failures: true}}}":            "unique(a)",
		"{not_null: {config: {severity: warn, error_if: '>100'}}}":                                            "not_null(a) warn",
		"{not_null: {config: {severity: error, error_if: '>100'}}}":                                           "unread: da does not know its argument error_if",
		"{dbt_utils.expression_is_true: {expression: \"> {{ var('least') }}\"}}":                              "unread: its argument expression is written in Jinja",
		"{not_null: {config: {where: \"b = '{{ x }}'\"}}}":                                                    "unread: its where is written in Jinja",
		"{dbt_expectations.expect_column_values_to_match_regex_list: {regex_list: [x, y]}}":                   `"a" IS NULL OR (regexp_matches("a", 'x') OR regexp_matches("a", 'y'))`,
		"{dbt_expectations.expect_column_max_to_be_between: {max_value: 9, group_by: [b]}}":                   "unread: da does not know its argument group_by",
		"{dbt_expectations.expect_table_row_count_to_be_between: {min_value: 'x'}}":                           "unread: rows: none of min, max and max_change is given",
		"{my_own: {config: {severity: warn}}}":                                                                "unread: da has no check like it",
		"{accepted_values: {values: [1, 2], quote: false}}":                                                   "accepted_values(a)",
		"{dbt_utils.accepted_range: {min_value: 0, inclusive: false}}":                                        `"a" IS NULL OR "a" > 0`,
		"{dbt_expectations.expect_column_values_to_be_between: {min_value: 0, max_value: 9, strictly: true}}": `"a" IS NULL OR "a" > 0 AND "a" < 9`,
		"{dbt_expectations.expect_column_values_to_not_be_null: {row_condition: b > 1}}":                      "not_null(a)",
		"{dbt_expectations.expect_column_to_exist:}":                                                          "schema(1 columns)",
		"{dbt_expectations.expect_table_columns_to_match_set: {column_list: [a, b]}}":                         "schema(2 columns)",
		"{dbt_expectations.expect_table_row_count_to_equal: {value: 6}}":                                      "rows(min 6, max 6)",
		"{dbt_expectations.expect_column_values_to_not_be_in_set: {value_set: [x]}}":                          `"a" IS NULL OR NOT ("a" IS NULL OR "a" IN ('x'))`,
		"{dbt_expectations.expect_column_values_to_not_match_regex: {regex: \"'x\"}}":                         `"a" IS NULL OR NOT regexp_matches("a", '''x')`,
		"{dbt_expectations.expect_column_values_to_match_like_pattern: {like_pattern: 'x%'}}":                 `"a" IS NULL OR "a" LIKE 'x%'`,
		"{dbt_expectations.expect_column_value_lengths_to_be_between: {min_value: 2}}":                        `"a" IS NULL OR length("a") >= 2`,
		"{dbt_expectations.expect_column_value_lengths_to_equal: {value: 3}}":                                 `"a" IS NULL OR length("a") = 3`,
		"{dbt_expectations.expect_column_pair_values_A_to_be_greater_than_B: {column_A: a, column_B: b}}":     `("a" > "b") IS NOT FALSE`,
		"{dbt_expectations.expect_row_values_to_have_recent_data: {datepart: day, interval: 2}}":              "freshness(a, 2d)",
		"{dbt_utils.not_null_proportion: {at_least: 0.75}}":                                                   "null_share(a, max 0.25)",
		"{dbt_utils.not_empty_string:}":                                                                       `"a" IS NULL OR trim("a") <> ''`,
		"{dbt_expectations.expect_column_value_lengths_to_be_between: {}}":                                    "unread: it has no kind of check, such as not_null",
		"{dbt_expectations.expect_column_values_to_not_match_regex: {regex: x, is_raw: true}}":                `"a" IS NULL OR NOT regexp_matches("a", 'x')`,
		"{dbt_utils.recency: {datepart: month, field: a, interval: 1}}":                                       "unread: freshness: '1' is not an age such as 36h or 7d",
		"{dbt_utils.recency: {datepart: day, field: a, interval: 1, config: {where: b = 1}}}":                 "unread: da does not know its argument where",
		"{not_null: {config: {severity: fatal}}}":                                                             "unread: the severity is error or warn, not 'fatal'",
		"5":    "unread: da has no check like it",
		"null": "unread: da has no check like it",
	} {
		text := fmt.Sprintf("models:\n  - name: m\n    tests: [{dbt_utils.unique_combination_of_columns: {combination_of_columns: [a, b]}}]\n    columns:\n      - name: a\n        data_tests:\n          - %s\n", test)
		f, err := ReadFile("schema.yml", text)
		if err != nil {
			t.Errorf("%s: %v", test, err)
			continue
		}
		got := ""
		for _, c := range f.Unread {
			_, why, _ := strings.Cut(c.Text, " was not run: ")
			got = "unread: " + why
		}
		for _, c := range f.Tables["m"].Checks[1:] {
			one, err := c.Compile(f.Tables["m"], time.Time{})
			if err != nil {
				t.Fatal(err)
			}
			if got = one.Name; one.Severity == Warn {
				got += " warn"
			}
		}
		if !strings.HasSuffix(got, want) || got == "" {
			t.Errorf("%s: %s, not %s", test, got, want)
		}
	}
	for _, text := range []string{"models: [{name: m}]", "seeds: [{name: m, columns: [{name: a, tests: [x]}]}]", "models: [{name: '../m', tests: [{expression_is_true: {expression: a}}]}]"} {
		if _, err := ReadFile("schema.yml", text); err == nil {
			t.Errorf("%s is read", text)
		}
	}
}

// TestTestsOfDBTOfAllRows runs tests of dbt that are of a model as a whole, or of some of its rows.
func TestTestsOfDBTOfAllRows(t *testing.T) {
	conn := enginetest.Conn(t)
	if err := conn.Exec(t.Context(), "CREATE TABLE m AS SELECT i AS n, (i // 2)::DECIMAL(9,0) AS a, 'x' AS same, NULL AS nothing FROM range(10) t(i); CREATE TABLE other AS SELECT i AS id, i < 3 AS old FROM range(4) t(i)"); err != nil {
		t.Fatal(err)
	}
	for test, holds := range map[string]bool{
		"{unique: {where: n > 8}}": true, "{unique: {where: n > 7}}": false,
		"{relationships: {to: ref('other'), field: id, where: n < 8}}": true, "{relationships: {to: ref('other'), field: id, where: n < 9}}": false,
		"{dbt_utils.relationships_where: {to: ref('other'), field: id, from_condition: n < 8}}":                    true,
		"{dbt_utils.relationships_where: {to: ref('other'), field: id, from_condition: n < 8, to_condition: old}}": false,
		"{dbt_utils.relationships_where: {to: ref('other'), field: id}}":                                           false,
		"{dbt_utils.not_null_proportion: {at_least: 0.5, where: n > 3}}":                                           true,
		"{dbt_utils.not_null_proportion: {at_least: 0.5, column_name: nothing, where: n > 3}}":                     true, // the column it stands at
		"{dbt_utils.at_least_one: {}}":                                                                                              true,
		"{dbt_utils.at_least_one: {where: n > 9}}":                                                                                  false,
		"{dbt_utils.not_constant: {}}":                                                                                              true,
		"{dbt_utils.not_constant: {where: a = 2}}":                                                                                  false,
		"{dbt_utils.equal_rowcount: {compare_model: ref('m')}}":                                                                     true,
		"{dbt_utils.equal_rowcount: {compare_model: ref('other')}}":                                                                 false,
		"{dbt_utils.fewer_rows_than: {compare_model: ref('other')}}":                                                                false,
		"{dbt_expectations.expect_table_row_count_to_equal_other_table: {compare_model: ref('other')}}":                             false,
		"{dbt_expectations.expect_column_max_to_be_between: {min_value: 4, max_value: 4}}":                                          true,
		"{dbt_expectations.expect_column_max_to_be_between: {min_value: 4, max_value: 5, strictly: true}}":                          false,
		"{dbt_expectations.expect_column_mean_to_be_between: {max_value: 1.9}}":                                                     false,
		"{dbt_expectations.expect_column_median_to_be_between: {min_value: 1.5, max_value: 1.5, row_condition: n BETWEEN 2 AND 5}}": true, // the engine's median of a DECIMAL has its scale
		"{dbt_expectations.expect_column_distinct_count_to_equal: {value: 5}}":                                                      true,
		"{dbt_expectations.expect_column_distinct_count_to_equal: {value: 5, row_condition: n > 1}}":                                false,
		"{dbt_expectations.expect_column_distinct_count_to_be_less_than: {value: 5}}":                                               false,
		"{dbt_expectations.expect_column_proportion_of_unique_values_to_be_between: {min_value: 0.5, max_value: 0.5}}":              true,
		"{dbt_expectations.expect_column_sum_to_be_between: {min_value: 21}}":                                                       false,
	} {
		f, err := ReadFile("schema.yml", "models:\n  - name: m\n    columns:\n      - name: a\n        data_tests:\n          - "+test+"\n")
		if err != nil || len(f.Unread) > 0 {
			t.Errorf("%s: %v, %v", test, err, f)
			continue
		}
		var broken int64
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM ("+f.Tables["m"].Checks[0].Empty+")", nil, &broken); err != nil || broken == 0 != holds {
			t.Errorf("%s holds: %v, %v", test, broken == 0, err)
		}
	}
}
