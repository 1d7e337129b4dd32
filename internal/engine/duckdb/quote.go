package duckdb

import "strings"

// Quote quotes a name as an identifier. It always adds quotes, so that no name is
// taken for a keyword or a function.
func Quote(ident string) string { return `"` + strings.ReplaceAll(ident, `"`, `""`) + `"` }

// Row names a relation whose rows are hashed whole, as in hash(Row): the engine takes a
// column of the same name before the row, so no column is to have it.
const Row = `"a row of da"`

// Literal quotes s as a string literal. A NUL byte stays in it, and the statement
// is then rejected.
func Literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// PathLiteral quotes a path as a string literal that matches only that file. The
// engine treats every path as a pattern. A path with both a pattern character and
// a backslash is not found, because in a pattern the engine treats a backslash as
// a slash.
func PathLiteral(path string) string { return Literal(bracketed.Replace(path)) }

// bracketed escapes pattern characters with brackets, because the engine has no
// other escape.
var bracketed = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")
