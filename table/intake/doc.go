// Package intake turns a file, as somebody sent it, into typed columns.
//
// Open detects the kind of file, Profile reads all of it once and reports what it
// contains and what was guessed, and Load reads it again and returns Arrow
// batches of exactly those columns. Memory does not depend on the size of the
// file.
//
// The package must not know DuckDB or where results go.
package intake
