package analyst

import "strings"

// shellQuote makes s one word of a POSIX shell, for commands that are shown to
// be run.
func shellQuote(s string) string {
	if s != "" && strings.IndexFunc(s, func(r rune) bool {
		return !(r == '_' || r == '-' || r == '.' || r == ',' || r == '/' || r == ':' ||
			'0' <= r && r <= '9' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z')
	}) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

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
