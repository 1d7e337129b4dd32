// Package intake turns a file, as somebody sent it, into typed columns.
//
// Open tells what kind of file it is, Profile reads all of it once and says
// what is there and what was guessed, Load reads it again and yields Arrow
// batches of exactly those columns. Memory depends on neither size.
//
// The package must not know DuckDB, nor where results go.
package intake
