package query

import "strings"

// quoteItems quotes column names that would be misread in a comma-separated list.
func quoteItems(names []string) []string {
	var out []string
	for _, n := range names {
		if strings.ContainsAny(n, ",\"` ") {
			n = `"` + strings.ReplaceAll(n, `"`, `""`) + `"`
		}
		out = append(out, n)
	}
	return out
}
