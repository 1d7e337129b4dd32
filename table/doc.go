// Package table answers questions about files: which columns a CSV file or a
// sheet has, what they contain, which rows there are, and what a SELECT returns.
// It also writes rows to other files.
//
// Each operation is a method of Tables with a request and a result, both with
// JSON tags, so that they are the same for every door. Answers are deterministic:
// the same call on the same files returns the same bytes.
//
// The package must not print, parse flags, or read a file outside of the root
// that it was given.
package table
