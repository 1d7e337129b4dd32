package metric

import "strings"

// Quote writes a name of ours.
func Quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

func quoteAll(names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = Quote(name)
	}
	return out
}

func as(expr, name string) string { return expr + " AS " + Quote(name) }

// nested writes a statement as a table of another.
func nested(text, alias string) string {
	return "(\n  " + strings.ReplaceAll(text, "\n", "\n  ") + "\n) AS " + alias
}

func groupBy(names []string) string {
	if len(names) == 0 {
		return ""
	}
	return "\nGROUP BY " + strings.Join(quoteAll(names), ", ")
}

func where(conditions []string) string {
	if len(conditions) == 0 {
		return ""
	}
	return "\nWHERE (" + strings.Join(conditions, ") AND (") + ")"
}

// trunc writes the beginning of the grain in which a time is.
func trunc(grain, expr string) string { return "date_trunc('" + grain + "', " + expr + ")" }
