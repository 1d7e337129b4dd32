package analyst

import "strings"

// quoteItems quotes those column names that a comma-separated list would
// misread.
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
