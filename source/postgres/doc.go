// Package postgres is a source: tables, views, partitioned and foreign tables of
// a PostgreSQL database. Every request runs in its own read-only transaction.
// Rows go from the wire directly into Arrow arrays; each column uses the format,
// binary or text, that costs the engine less. Large tables are read on several
// connections that share one snapshot.
//
// The package must not write, must not run SQL text from users, and keeps nothing
// about tables between requests.
package postgres
