// Package table answers questions about files: what columns a CSV file or a
// sheet has, what is in them, which rows it holds, what a SELECT over them
// yields, and writes them to other files.
//
// Each operation is a method of Tables that takes a request and returns a
// result, both with JSON tags: they are the same for every door. Answers are
// deterministic: the same call on the same files gives the same bytes.
//
// The package must not print, parse flags, or read a file outside of the root
// that it was given.
package table
