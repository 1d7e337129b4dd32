package checks

import (
	"cmp"
	"slices"
	"strings"
)

// figures are the aggregates that tests of dbt_expectations bound, by what stands in their names.
var figures = map[string]string{
	"max": "max($)", "min": "min($)", "mean": "avg($)", "median": "median($)", "sum": "sum($)", "stdev": "stddev_samp($)",
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
