package duckdb

import "strings"

// Quote makes an identifier of a name, always in quotes, so that no name is
// taken for a keyword or a function.
func Quote(ident string) string { return `"` + strings.ReplaceAll(ident, `"`, `""`) + `"` }

// Literal makes a string literal of s. A NUL byte stays in it, and the
// statement is then refused.
func Literal(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

// PathLiteral makes a string literal that stands for just the file at path. The
// engine takes every path that it reads for a pattern. A path that holds both a
// character of patterns and a backslash is not found: beside a pattern the
// engine takes a backslash for a slash.
func PathLiteral(path string) string { return Literal(bracketed.Replace(path)) }

// bracketed writes the characters of a pattern so that they stand for
// themselves; the engine knows no escape.
var bracketed = strings.NewReplacer("*", "[*]", "?", "[?]", "[", "[[]")
