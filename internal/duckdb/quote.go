package duckdb

import "strings"

// Quote makes an identifier of a name, always in quotes, so that no name is
// taken for a keyword or a function.
func Quote(ident string) string { return `"` + strings.ReplaceAll(ident, `"`, `""`) + `"` }

// Literal makes a string literal of s. A NUL byte stays in it, and the
// statement is then refused.
func Literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }
