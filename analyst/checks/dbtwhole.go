package checks

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// figures maps a part of the names of dbt_expectations' tests to the aggregate that they bound.
var figures = map[string]string{
	"max": "max($)", "min": "min($)", "mean": "avg($)", "median": "median($::DOUBLE)", "sum": "sum($)", "stdev": "stddev_samp($)",
	"distinct_count": "count(DISTINCT $)", "unique_value_count": "count(DISTINCT $)",
	"proportion_of_unique_values": "count(DISTINCT $) / nullif(count($), 0)",
}

// whole makes a check of the tests that look at a model as a whole, and returns the names of the
// arguments that it takes; nil: it is another test.
func (t dbtTest) whole(kind, column string, c *Check) []string {
	from := quote(t.model)
	if t.where != "" {
		from = "(SELECT * FROM " + from + " WHERE " + t.where + ")"
	}
	q := quote(column)
	// bounded checks that an aggregate has a value, and is what the condition says of it.
	bounded := func(aggregate, condition string) {
		if condition != "" {
			c.Name = cmp.Or(t.name, kind+"("+column+")")
			c.Empty = "SELECT value FROM (SELECT " + aggregate + " AS value FROM " + from + ") WHERE NOT (" + condition + ")"
		}
	}
	value := func(operator string) string {
		if v := t.of["value"]; v != nil {
			return "value " + operator + " " + literal(v)
		}
		return ""
	}
	other := func(operator string) {
		if to := modelOf(textOf(t.of["compare_model"])); to != "" {
			c.Name = cmp.Or(t.name, kind+"("+to+")")
			c.Empty = "SELECT here, there FROM (SELECT (SELECT count(*) FROM " + from + ") AS here, (SELECT count(*) FROM " + quote(to) +
				") AS there) WHERE NOT (here " + operator + " there)"
		}
	}
	switch kind {
	case "at_least_one":
		bounded("count("+q+")", "value > 0")
		return []string{}
	case "not_constant":
		bounded("count(DISTINCT "+q+")", "value <> 1")
		return []string{}
	case "equal_rowcount", "expect_table_row_count_to_equal_other_table":
		other("=")
		return []string{"compare_model"}
	case "fewer_rows_than":
		other("<")
		return []string{"compare_model"}
	case "relationships_where":
		to, field := modelOf(textOf(t.of["to"])), textOf(t.of["field"])
		if filled(to, field) != nil {
			return []string{}
		}
		c.Name = cmp.Or(t.name, kind+"("+column+" to "+to+"."+field+")")
		c.Empty = "SELECT a." + q + " FROM " + from + " AS a WHERE a." + q + " IS NOT NULL AND (" + cmp.Or(textOf(t.of["from_condition"]), "true") +
			") AND a." + q + " NOT IN (SELECT " + quote(field) + " FROM " + quote(to) + " WHERE " + quote(field) + " IS NOT NULL AND (" +
			cmp.Or(textOf(t.of["to_condition"]), "true") + "))"
		return []string{"to", "field", "from_condition", "to_condition"}
	}
	for name, aggregate := range figures {
		aggregate = strings.ReplaceAll(aggregate, "$", q)
		switch strings.TrimPrefix(kind, "expect_column_"+name) {
		case "_to_be_between":
			least, most := " >= ", " <= "
			if t.of["strictly"] == true {
				least, most = " > ", " < "
			}
			bounded(aggregate, t.between("value", least, most))
			return []string{"min_value", "max_value", "strictly"}
		case "_to_equal":
			bounded(aggregate, value("="))
			return []string{"value"}
		case "_to_be_greater_than":
			bounded(aggregate, value(">"))
			return []string{"value"}
		case "_to_be_less_than":
			bounded(aggregate, value("<"))
			return []string{"value"}
		}
	}
	return nil
}

// ofTable makes a check of the tests of a table, or of pairs of columns, as further does.
func (t dbtTest) ofTable(kind, column string, c *Check) []string {
	columns := func() map[string]string {
		all := map[string]string{}
		for _, name := range textsOf(t.of["column_list"]) {
			all[name] = ""
		}
		return all
	}
	switch kind {
	case "expect_column_to_exist":
		c.Schema = &Schema{Columns: map[string]string{column: ""}}
		return []string{}
	case "expect_table_columns_to_contain_set", "expect_table_columns_to_match_set":
		c.Schema = &Schema{Columns: columns(), Only: strings.Contains(kind, "_match_")}
		return []string{"column_list"}
	case "expect_table_row_count_to_equal":
		c.Rows = &Rows{Min: wholeOf(t.of["value"]), Max: wholeOf(t.of["value"])}
		return []string{"value"}
	case "expect_column_pair_values_to_be_equal":
		c.Condition = "(" + quote(textOf(t.of["column_A"])) + " = " + quote(textOf(t.of["column_B"])) + ") IS NOT FALSE"
		return []string{"column_A", "column_B"}
	case "expect_column_pair_values_A_to_be_greater_than_B":
		than := map[bool]string{false: " > ", true: " >= "}[t.of["or_equal"] == true]
		c.Condition = "(" + quote(textOf(t.of["column_A"])) + than + quote(textOf(t.of["column_B"])) + ") IS NOT FALSE"
		return []string{"column_A", "column_B", "or_equal"}
	case "recency", "expect_row_values_to_have_recent_data":
		unit := map[string]string{"day": "d", "hour": "h"}[textOf(t.of["datepart"])] // months have no length
		c.Freshness = &Freshness{Column: cmp.Or(column, textOf(t.of["field"])), MaxAge: fmt.Sprint(t.of["interval"]) + unit}
		return []string{"datepart", "interval", "field"}
	case "not_null_proportion":
		if least, err := strconv.ParseFloat(fmt.Sprint(t.of["at_least"]), 64); err == nil {
			c.NullShare = &NullShare{Column: column, Max: 1 - least}
		}
		return []string{"at_least"}
	}
	return nil
}

// templated reports whether a value is written in the language in which dbt makes texts.
func templated(value any) bool {
	switch v := value.(type) {
	case string:
		return strings.Contains(v, "{{") || strings.Contains(v, "{%")
	case []any:
		return slices.ContainsFunc(v, templated)
	}
	return false
}

// quotes are the arguments that say whether values are texts, as they are here: numbers are
// numbers, quoted or not.
func (t dbtTest) quotes(values []any) (takes []string) {
	for _, name := range []string{"quote", "quote_values"} {
		if t.of[name] == true || !slices.ContainsFunc(values, func(v any) bool { return textOf(v) != "" }) {
			takes = append(takes, name)
		}
	}
	return takes
}
