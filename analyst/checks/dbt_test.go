package checks

import (
	"fmt"
	"strings"
	"testing"
	"time"
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
		"{unique: {config: {where: b > 1}}}":                                                                  "unread: with where, da checks single rows only",
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
		"{dbt_expectations.expect_column_values_to_not_match_regex: {regex: x, is_raw: true}}":                "unread: da does not know its argument is_raw",
		"{dbt_utils.recency: {datepart: month, field: a, interval: 1}}":                                       "unread: freshness: '1' is not an age such as 36h or 7d",
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
